package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestPoolLingers: what is left of a program when its call is answered is gone soon
// after, and at Close at the latest.
func TestPoolLingers(t *testing.T) {
	s := namespaces(t)
	word := mark(t)
	p := sandbox.NewPool(s, sandbox.PoolOptions{})
	held := func() (n int) {
		links, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			if to, _ := os.Readlink(l); strings.HasPrefix(to, "mnt:[") || strings.HasPrefix(to, "net:[") {
				n++
			}
		}
		return n
	}
	before := held()
	job := waiter(t, word, hello)
	call(t, p, release, job)
	settled(t, p, word, 1)
	if out := call(t, p, release, job); !out.Warm {
		t.Fatal("it did not wait")
	}
	waitFor(t, "its world is given up", func() bool { return held() == before })
	settled(t, p, word, 2)
	call(t, p, release, job)
	p.Close()
	if n := held(); n != before || len(spared(word)) > 0 {
		t.Errorf("a closed pool holds %d namespaces and left %v", n-before, spared(word))
	}
}
