package manifest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// describe prints what Python makes of each file: the encoding it would use,
// the line of the first token that is no comment, and whether it compiles.
const describe = `
import base64, io, json, sys, tokenize
out = []
for text in json.load(sys.stdin):
    data = base64.b64decode(text)
    seen = {"encoding": "", "first": 0, "compiles": False}
    try:
        seen["encoding"] = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        compile(data, "tool.py", "exec", dont_inherit=True)
        seen["compiles"] = True
        quiet = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.NEWLINE, tokenize.ENDMARKER)
        for t in tokenize.tokenize(io.BytesIO(data).readline):
            if t.type not in quiet:
                seen["first"] = t.start[0]
                break
    except (SyntaxError, ValueError, LookupError, tokenize.TokenError):
        pass
    out.append(seen)
json.dump(out, sys.stdout)
`

type seenByPython struct {
	Encoding string
	First    int
	Compiles bool
}

func askPython(t *testing.T, files [][]byte) []seenByPython {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed, so its view of the files cannot be asked for")
	}
	texts := make([]string, len(files))
	for i, f := range files {
		texts[i] = base64.StdEncoding.EncodeToString(f)
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-I", "-c", describe)
	cmd.Stdin = bytes.NewReader(input)
	answer, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var seen []seenByPython
	if err := json.Unmarshal(answer, &seen); err != nil || len(seen) != len(files) {
		t.Fatalf("got %d answers for %d files: %v", len(seen), len(files), err)
	}
	return seen
}

// TestPythonAgrees asks Python about every accepted file [PM-3]: it compiles,
// as UTF-8, and no token of code stands above the line where the body begins.
func TestPythonAgrees(t *testing.T) {
	var files [][]byte
	var docs []*Document
	for _, dir := range []string{"ok", "err"} {
		for _, data := range corpus(t, dir) {
			for _, mode := range []Mode{Strict, Lenient} {
				if doc, findings := Read("tool.py", data, mode); doc != nil && !spec.Blocking(findings) {
					files, docs = append(files, data), append(docs, doc)
				}
			}
		}
	}
	for i, seen := range askPython(t, files) {
		if !seen.Compiles || seen.Encoding != "utf-8" && seen.Encoding != "utf-8-sig" || seen.First > 0 && seen.First < docs[i].BodyLine {
			t.Errorf("Python sees %+v, the body begins on line %d:\n%s", seen, docs[i].BodyLine, files[i])
		}
	}
}

// TestCodingCookie compares with Python's own search for the cookie: whatever
// Python would decode as something else is refused.
func TestCodingCookie(t *testing.T) {
	body := string(with(t, "", ""))
	heads := []string{
		"# coding: latin-1\n", "#coding=latin-1\n", "# -*- coding: latin-1 -*-\n", "# vim: set fileencoding=latin-1 :\n",
		"#!/usr/bin/python3\n# coding: latin-1\n", "\n# coding: latin-1\n", " \t# coding:\tlatin-1\n", "# coding: xcoding: latin-1\n",
		"# coding : latin-1\n", "# coding:  coding=latin-1\n", "# encoding latin-1\n", "\n\n# coding: latin-1\n", "# Coding: latin-1\n",
		"# coding: utf-8\n", "# coding: UTF-8\n", "# coding: utf_8\n", "# coding: utf8\n", "# coding: utf-7\n", "# coding: utf-16\n",
		"# coding: \n", "# coding:é\n", "# recoding: cp1252\n", "# coding:latin-1\r\n", "#\n# coding: rot13\n", "# coding:utf-8 coding:latin-1\n",
	}
	files := make([][]byte, len(heads))
	for i, head := range heads {
		files[i] = []byte(head + body)
	}
	refused := 0
	for i, seen := range askPython(t, files) {
		_, findings := Read("tool.py", files[i], Lenient)
		accepted := !has(findings, badCoding)
		if accepted != utf8Names().MatchString(seen.Encoding) {
			t.Errorf("%q: accepted %v, Python decodes it as %q", heads[i], accepted, seen.Encoding)
		}
		if !accepted {
			refused++
		}
	}
	if refused < 10 {
		t.Errorf("only %d heads are refused", refused)
	}
}
