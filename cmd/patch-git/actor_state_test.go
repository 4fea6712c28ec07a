package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// rememberedKey is where a transcript keeps what tree-digest saw, by its arguments.
type rememberedKey struct{}

// treeDigest asserts that nothing changed:
//
//	tree-digest PATH…          remembers the content of files and folders
//	tree-digest -same PATH…    fails where they are not what was remembered
//	tree-digest -changed PATH… fails where they are
//
// What may be deleted at any time (cache/) and lock files do not count.
func treeDigest(ts *testscript.TestScript, neg bool, args []string) {
	mode := ""
	if len(args) > 0 && strings.HasPrefix(args[0], "-") {
		mode, args = args[0], args[1:]
	}
	if neg || len(args) == 0 || mode != "" && mode != "-same" && mode != "-changed" {
		ts.Fatalf("usage: tree-digest [-same|-changed] path…")
	}
	now := map[string]string{}
	for _, a := range args {
		ts.Check(contents(ts.MkAbs(a), now))
	}
	seen := ts.Value(rememberedKey{}).(map[string]map[string]string)
	key := strings.Join(args, " ")
	if mode == "" {
		seen[key] = now
		return
	}
	before, ok := seen[key]
	switch {
	case !ok:
		ts.Fatalf("%s was not remembered", strings.Join(args, " "))
	case mode == "-changed" && maps.Equal(before, now):
		ts.Fatalf("nothing changed in %s", strings.Join(args, " "))
	case mode == "-same" && !maps.Equal(before, now):
		ts.Fatalf("changed: %s", strings.Join(differences(before, now), ", "))
	}
}

// contents adds path -> mode and digest of everything below a path; one that
// is not there is empty.
func contents(root string, into map[string]string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == root {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && d.Name() == "cache":
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(d.Name(), ".lock"):
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			into[path] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		into[path] = fmt.Sprintf("%s %x", d.Type(), sha256.Sum256(data))
		return err
	})
}

func differences(before, now map[string]string) []string {
	var out []string
	for path, was := range before {
		if is, ok := now[path]; !ok {
			out = append(out, "- "+path)
		} else if is != was {
			out = append(out, "~ "+path)
		}
	}
	for path := range now {
		if _, ok := before[path]; !ok {
			out = append(out, "+ "+path)
		}
	}
	slices.Sort(out)
	return out
}

// jsonHas asserts about a JSON document: json stdout|stderr path value, where
// path is like a.b.0 and value is the JSON text, or the text itself of a
// string. With ! the path must not be there. stdout must be just the one
// document on one line; on stderr, where it is the last line, every line must
// be a document.
func jsonHas(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || !neg && len(args) != 3 {
		ts.Fatalf("usage: [!] json stdout|stderr path value")
	}
	text := ts.ReadFile(args[0])
	lines := strings.SplitAfter(text, "\n")
	if len(lines) < 2 || len(lines) > 2 && args[0] != "stderr" || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%s is not one line: %q", args[0], text)
	}
	for _, l := range lines[:len(lines)-1] {
		if text = l; !json.Valid([]byte(l)) {
			ts.Fatalf("%s is not JSON: %q", args[0], l)
		}
	}
	var doc any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	ts.Check(d.Decode(&doc))
	at, ok := doc, true
	for step := range strings.SplitSeq(args[1], ".") {
		switch v := at.(type) {
		case map[string]any:
			at, ok = v[step]
		case []any:
			var i int
			_, err := fmt.Sscanf(step, "%d", &i)
			if ok = err == nil && i < len(v); ok {
				at = v[i]
			}
		default:
			ok = false
		}
		if !ok {
			break
		}
	}
	switch {
	case neg && ok:
		ts.Fatalf("%s has %s: %v", args[0], args[1], at)
	case neg:
		return
	case !ok:
		ts.Fatalf("%s has no %s: %s", args[0], args[1], text)
	}
	if s, ok := at.(string); ok && s == args[2] {
		return
	}
	var got bytes.Buffer
	e := json.NewEncoder(&got)
	e.SetEscapeHTML(false)
	ts.Check(e.Encode(at))
	if strings.TrimSpace(got.String()) != args[2] {
		ts.Fatalf("%s of %s is %s, want %s", args[1], args[0], got.String(), args[2])
	}
}

// fill FILE COUNT TEXT writes a file of COUNT times TEXT.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	var n int
	if neg || len(args) != 3 {
		ts.Fatalf("usage: fill file count text")
	}
	_, err := fmt.Sscanf(args[1], "%d", &n)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte(args[2]), n), 0o644))
}

// refuses REASON patch-git ARGS… asserts a refusal as a program sees it (exit
// code 4, nothing on stdout but what verify says, the reason) and as a person
// does, with no control characters, and that nothing of the user's state
// changed.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refuses reason cmd…")
	}
	home := ts.Getenv("PATCH_GIT_HOME")
	before, after := map[string]string{}, map[string]string{}
	ts.Check(contents(home, before))
	exits(ts, false, append([]string{"4"}, append(slices.Clone(args[1:]), "--json")...))
	for path, want := range map[string]string{"kind": "not_verified", "reason": args[0], "exit": "4"} {
		jsonHas(ts, false, []string{"stderr", path, want})
	}
	exits(ts, false, append([]string{"4"}, args[1:]...))
	for _, r := range ts.ReadFile("stderr") {
		if r < ' ' && r != '\n' || r > '~' && r != '…' {
			ts.Fatalf("foreign text in %q", ts.ReadFile("stderr"))
		}
	}
	ts.Check(contents(home, after))
	if diff := differences(before, after); len(diff) > 0 {
		ts.Fatalf("the refusal changed %s", strings.Join(diff, ", "))
	}
}
