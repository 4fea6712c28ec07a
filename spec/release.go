package spec

import (
	"fmt"
	"path"
	"strings"
)

// File is one file of a release: its slash-separated path inside the version
// directory and its bytes, exactly as they were contributed [C-44].
type File struct {
	Path string
	Data []byte
}

// Release is what is proposed and what is published: one name@version and its
// files, of which the first is the format's main file.
type Release struct {
	Ref   Ref
	Tool  Tool
	Files []File // sorted by path, main file included
}

// Main returns the bytes of the format's main file, nil when it is missing.
func (r *Release) Main() []byte {
	for _, f := range r.Files {
		if f.Path == r.Tool.Format.MainFile() {
			return f.Data
		}
	}
	return nil
}

// CheckPath tells why a path may not be a file of a release. Allowed are
// relative slash-separated paths of ASCII letters, digits, dot, dash and
// underscore in which no part begins with a dot or ends with one.
func CheckPath(p string) error {
	if p == "" || len(p) > 200 || path.Clean(p) != p || path.IsAbs(p) {
		return fmt.Errorf("path %s is not a clean relative path", Quote(p))
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part[0] == '.' || part[len(part)-1] == '.' {
			return fmt.Errorf("path %s has a part that begins or ends with a dot", Quote(p))
		}
		stem, _, _ := strings.Cut(strings.ToLower(part), ".")
		if windowsDevices[stem] {
			return fmt.Errorf("path %s has a part that is a device name on Windows", Quote(p))
		}
		for i := range len(part) {
			c := part[i]
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '-' && c != '_' {
				return fmt.Errorf("path %s has a character other than letters, digits, dot, dash and underscore", Quote(p))
			}
		}
	}
	return nil
}

// Candidate is a release as some registry served it: bytes that nobody has
// verified. Nothing of it may be stored, shown as fact, or run; verify turns
// it into a value of another type or refuses it.
type Candidate struct {
	Ref      Ref // what was asked for
	Chain    Chain
	Release  []byte // release.json
	Evidence []byte // evidence.sigstore.json
	Proof    []byte // proof.json, the stored inclusion proof
	Files    map[string][]byte
}

// Chain is the unverified path through the authenticated dictionary of a
// published tree, from its head to the record of one name.
type Chain struct {
	HeadEvidence []byte // head.sigstore.json
	Head         []byte // head.json
	Buckets      []byte // buckets.json
	Bucket       []byte // buckets/<hh>.json; nil when buckets.json says that it is empty
	Record       []byte // records/<ab>/<name>.json; nil when the bucket lacks the name
	Revoked      []byte // revoked.json
}
