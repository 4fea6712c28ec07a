package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// breakTool returns one of the tools, broken by one to four changes that the
// number decides, and their names. Half of them keep the manifest, so that what
// is broken reaches the parser of Python.
func breakTool(number uint64, tools [][]byte) (data []byte, how string) {
	r := rand.New(rand.NewPCG(number, 6))
	data = bytes.Clone(tools[r.IntN(len(tools))])
	names := []string{fmt.Sprint(number)}
	var kept []byte
	if end := bytes.LastIndex(data, []byte("\n# ---\n")); number%4 < 2 && end >= 0 {
		kept, data = data[:end+7], data[end+7:]
	}
	for range 1 + r.IntN(4) {
		c := breakages[r.IntN(len(breakages))]
		names = append(names, c.name)
		data = c.make(r, data, tools)
	}
	return slices.Concat(kept, data), strings.Join(names, " ")
}

// breakage is one way to break a file.
type breakage struct {
	name string
	make func(r *rand.Rand, data []byte, tools [][]byte) []byte
}

var breakages = []breakage{
	{"flip", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		for range 1 + r.IntN(8) {
			if len(data) > 0 {
				data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
			}
		}
		return data
	}},
	{"cut", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		a, b := span(r, data)
		return append(data[:a:a], data[b:]...)
	}},
	{"end", func(r *rand.Rand, data []byte, _ [][]byte) []byte { return data[:r.IntN(len(data)+1)] }},
	{"double", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		a, b := span(r, data)
		return splice(data, b, data[a:b])
	}},
	{"other tool", func(r *rand.Rand, data []byte, tools [][]byte) []byte {
		other := tools[r.IntN(len(tools))]
		a, b := span(r, other)
		return splice(data, r.IntN(len(data)+1), other[a:b])
	}},
	{"token", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		return splice(data, r.IntN(len(data)+1), []byte(oddBytes[r.IntN(len(oddBytes))]))
	}},
	{"tokens", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		for range 3 + r.IntN(20) {
			data = splice(data, r.IntN(len(data)+1), []byte(oddBytes[r.IntN(len(oddBytes))]))
		}
		return data
	}},
	{"lines", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		r.Shuffle(min(len(lines), 1+r.IntN(len(lines))), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return bytes.Join(lines, nil)
	}},
	{"line", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		i := r.IntN(len(lines))
		lines[i] = []byte(oddLines[r.IntN(len(oddLines))] + "\n")
		return bytes.Join(lines, nil)
	}},
	{"value", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		i := r.IntN(min(len(lines), 30)) // the manifest
		if key, _, ok := bytes.Cut(lines[i], []byte(": ")); ok {
			lines[i] = []byte(string(key) + ": " + oddValues[r.IntN(len(oddValues))] + "\n")
		}
		return bytes.Join(lines, nil)
	}},
	{"deep", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		deep := depths[r.IntN(len(depths))]
		n := []int{50, 150, 3000, 60_000}[r.IntN(4)]
		return append(data, "\nDEEP = "+strings.Repeat(deep[0], n)+deep[1]+strings.Repeat(deep[2], n)+"\n"...)
	}},
	{"indent", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		var b strings.Builder
		for i := range 20 + r.IntN(200) {
			b.WriteString(strings.Repeat(" ", i) + "if 1:\n")
		}
		return append(data, b.String()...)
	}},
	{"long", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		return append(data, "\nX = '"+strings.Repeat("a", 100_000<<r.IntN(3))+"'\n"...)
	}},
	{"many", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		return append(data, strings.Repeat("\n"+oddLines[r.IntN(len(oddLines))], 20+r.IntN(4000))...)
	}},
	{"encoding", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		coding := []string{"utf-7", "utf-16", "latin-1", "rot13", "idna", "unicode_escape", "zlib", "\xff"}
		return append([]byte("# -*- coding: "+coding[r.IntN(len(coding))]+" -*-\n"), data...)
	}},
	{"random", func(r *rand.Rand, data []byte, _ [][]byte) []byte {
		noise := make([]byte, r.IntN(2000))
		for i := range noise {
			noise[i] = byte(r.Uint32())
		}
		return splice(data, r.IntN(len(data)+1), noise)
	}},
}

func span(r *rand.Rand, data []byte) (int, int) {
	a := r.IntN(len(data) + 1)
	return a, a + r.IntN(len(data)-a+1)
}

func splice(data []byte, at int, part []byte) []byte {
	return append(data[:at:at], append(bytes.Clone(part), data[at:]...)...)
}

// oddBytes are what readers of bytes, YAML and Python stumble over.
var oddBytes = []string{
	"\x00", "\ufeff", "\r", "\r\r\n", "\f", "\v", "\x1b[2J", "\x1b]0;x\x07", "\x85", "\u2028", "\u202e", "\u200b", "\U000e0041", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\xaf", "\x7f",
	"# ---\n", "# ---", "---\n", "...\n", "# /// script\n", "# ///\n", "\"\"\"", "'''", "\\\n", "\\", "\t", "#", "%", "{", "}", "(", ")", "[", "]", ":", ";", "@", "`", "$", "!",
	"&a ", "*a", "<<: *a", "!!python/object ", "!!binary ", "%YAML 1.1\n", "? ", "- ", "|\n", ">-\n", "~", ".nan", "0x1_f", "1e999", "2026-01-01", "0o7", "1" + strings.Repeat("0", 5000),
	"f'{", "f'{x!r:{y:{z}}}'", "rb'\\", "0b2", "1__0", "async ", "await ", "yield ", "lambda: ", ":=", "->", "**", "match x:\n", "case _:\n", "type X = int\n", "\U0001d5fa\U0001d5ee\U0001d5f6\U0001d5fb", "ｅｖａｌ", "ﬁ", "é", "e\u0301" + strings.Repeat("\u0301", 50),
	"${{ secrets.X }}", "::error::x\n", "<script>", "|a|b|\n", "%0A", "../../x", "CON", "\x1b[8m",
}

// oddLines replace a line of Python, or are repeated.
var oddLines = []string{
	"import os", "from . import x", "from os import *", "import " + strings.Repeat("a.", 500) + "b", "x = yield", "def main(): pass", "def main(a, /, b, *c, d, **e): pass", "class main: pass", "main = 1", "del main", "global x", "nonlocal x",
	"x: int", "x = [i for i in x if (y := i)]", "print(1)", "raise SystemExit", "while 1: pass", "exec('x')", "getattr(os, 'sy' + 'stem')('x')", "x = b'" + strings.Repeat("\\x00", 500) + "'",
	"x = " + strings.Repeat("'a' + ", 200) + "'b'", "x = 'a' * 10 ** 9", "x = 9 ** 9 ** 9", "x = 1 << 10 ** 10", "x = '%999999999d' % 1", "x = f'{1:>999999999}'", "x = bytes(10 ** 10)", "x = [0] * 10 ** 10", "x = 'a'.join(['b'] * 10 ** 8)",
	"x = __import__('base64').b64decode('" + strings.Repeat("QUFB", 2000) + "')", "x = chr(10 ** 10)", "x = '\\N{BELL}\\ud800'", "if __name__ == '__main__': x()", "# ---", "# name: x", "@" + strings.Repeat("a.", 300) + "b\ndef f(): pass",
	"x = {**x, **{**y}}", "a = b = c = d = " + strings.Repeat("e = ", 300) + "f", "try: x\nexcept* y: z", "with (a as b, c as d): pass", "def f(" + strings.Repeat("a, ", 3) + "): pass", "x = 1 if 2 else " + strings.Repeat("3 if 4 else ", 80) + "5", "\tx = 1", "  x = 1",
}

// oddValues replace a value of the manifest.
var oddValues = []string{
	"", "~", "[]", "{}", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "{a: {b: {c: {d: {e: f}}}}}", "*x", "&x y", "!!str x", "|", ">", "\"\\u202e\\0\"", "'", "\"", "yes", "0x10", "1e3", "-0", ".inf", "3.12", "\"3.99\"", "999999999999999999999", "true", "none", "read-write", "../x",
	"[a==1, a==1]", "[\"x @ https://host.invalid/x.whl\"]", "[\"-r x\"]", "\"" + strings.Repeat("long ", 300) + "\"", "[string, null]", "{type: object, properties: {}}", "\"^(a+)+$\"", "x: y: z", "? x", "- x", "@x", "`x", "%x", "{<<: {a: b}}", "\U000e0041", "\x1b[31mred",
}

// depths are what may be nested: before, in the middle, after.
var depths = [][3]string{
	{"(", "1", ")"}, {"[", "", "]"}, {"{1:", "1", "}"}, {"-", "1", ""}, {"not ", "1", ""}, {"lambda: ", "1", ""}, {"", "a", ".b"}, {"", "a", "[0]"}, {"", "a", "()"}, {"", "1", "+1"}, {"", "'a'", "+'a'"}, {"f(", "1", ")"}, {"", "1", " if 1 else 1"}, {"", "a", "=a"}, {"", "1", " and 1"}, {"", "1", "**1"}, {"f'{", "1", "}'"}, {"(yield ", "1", ")"},
}
