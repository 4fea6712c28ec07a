package secrets

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Known are the places and names of secrets, as they are for one user.
type Known struct {
	ends   map[string][]string // the last part of a place -> places
	system []string
	names  map[string]bool
}

// New returns what is known for a user with that home; "" is none.
func New(home string) *Known {
	k := &Known{ends: make(map[string][]string, len(places)), names: make(map[string]bool, len(names)), system: system[:]}
	for _, p := range places {
		k.ends[path.Base(p)] = append(k.ends[path.Base(p)], "/"+p)
	}
	for _, n := range names {
		k.names[n] = true
	}
	if plain(home) != rootHome {
		k.system = append(slices.Clone(k.system), rootHome)
	}
	return k
}

// plain is how paths are compared.
func plain(p string) string { return strings.ToLower(filepath.ToSlash(p)) }

// Of returns the secret that an absolute clean path is, or lies in; "" where
// it is none. head reads the beginning of the file that the path leads to, and
// is nil for a folder.
func (k *Known) Of(p string, head func() ([]byte, error)) string {
	whole := plain(p)
	for i := 1; i <= len(whole); i++ {
		if i < len(whole) && whole[i] != '/' {
			continue
		}
		if k.place(whole[:i]) {
			return p[:min(i, len(p))]
		}
	}
	if head != nil && k.file(path.Base(whole), head) {
		return p
	}
	return ""
}

// place tells whether a path, in lower case, is a known place itself.
func (k *Known) place(p string) bool {
	for _, end := range k.ends[path.Base(p)] {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	return slices.Contains(k.system, p)
}

// file tells whether a file of that name, in lower case, is a secret anywhere.
func (k *Known) file(name string, head func() ([]byte, error)) bool {
	if k.names[name] {
		return true
	}
	ends := func(e string) bool { return strings.HasSuffix(name, e) }
	switch {
	case slices.ContainsFunc(patterns[:], ends):
		return false
	case strings.HasPrefix(name, ".env."), ends(".json") && slices.ContainsFunc(accounts[:], func(b string) bool { return strings.HasPrefix(name, b) }),
		slices.ContainsFunc(endings[:], ends):
		return true
	case !slices.ContainsFunc(keyEndings[:], ends):
		return false
	}
	b, err := head()
	return err != nil || privateKey(b) // who cannot tell does not give it
}

// headSize is how much of a file is read to tell whether there is a private key
// in it: some hold a text, or certificates, before the key.
const headSize = 64 << 10

// privateKey tells whether there is a private key: one in PEM or of OpenPGP in
// ASCII, or the beginning of one in DER.
func privateKey(head []byte) bool {
	for rest := head; ; {
		_, after, ok := bytes.Cut(rest, []byte("-----BEGIN "))
		if !ok {
			break
		}
		label, _, closed := bytes.Cut(after, []byte("-----"))
		if closed && bytes.Contains(label, []byte("PRIVATE KEY")) && !bytes.Contains(label, []byte("\n")) {
			return true
		}
		rest = after
	}
	// A sequence that begins with version 0 or 1, as PKCS #1, SEC 1 and PKCS #8
	// have it, and no certificate does.
	if len(head) < 8 || head[0] != 0x30 {
		return false
	}
	at := 2
	if head[1] >= 0x80 {
		at += int(head[1] & 0x7f)
	}
	return at+3 <= len(head) && head[at] == 2 && head[at+1] == 1 && head[at+2] <= 1
}
