package pyenv

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// FuzzLaunch: what the compiler in the sandbox wrote about a stranger's source
// is taken whole or not at all, and only what was sealed is unsealed.
func FuzzLaunch(f *testing.F) {
	in := &Interpreter{}
	in.Magic = "cb0d0d0a"
	runner := append([]byte{0xcb, 0x0d, 0x0d, 0x0a, pycUnchecked, 0, 0, 0}, make([]byte, pycHeader)...)
	var whole []byte
	for _, part := range [][]byte{runner, []byte("code"), []byte("json\nsys\n")} {
		whole = append(binary.LittleEndian.AppendUint32(whole, uint32(len(part))), part...)
	}
	if in.launch(whole) == nil {
		f.Fatal("the seed is not taken")
	}
	key := spec.DigestOf([]byte("key"))
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(seal(whole, key))
	f.Fuzz(func(t *testing.T, b []byte) {
		if l := in.launch(b); l != nil {
			if !bytes.HasPrefix(l.runner, runner[:8]) {
				t.Errorf("not bytecode: %q", l.runner)
			}
			for _, name := range l.imports {
				if name == "" || strings.Contains(name, "\n") {
					t.Errorf("no name of a module: %q", name)
				}
			}
		}
		if _, ok := unseal(b, key); ok && !bytes.HasPrefix(b, check(b[32:], key)) {
			t.Error("unsealed what was never sealed")
		}
		if back, ok := unseal(seal(b, key), key); !ok || !bytes.Equal(back, b) {
			t.Error("what was sealed does not come back")
		}
		if _, ok := unseal(seal(b, key), spec.DigestOf(b)); ok {
			t.Error("unsealed under another key")
		}
	})
}
