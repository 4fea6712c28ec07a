// Command unicode writes internal/sanitize/confusables.txt out of the table of
// the same name of UTS #39 (https://www.unicode.org/Public/security/, also
// icu4c/source/data/unidata in the sources of ICU). It keeps what a reader takes
// for ASCII and drops what normalization alone turns into the same. Read the
// difference before you commit it.
//
//	go run ./docs/unicode confusables.txt >internal/sanitize/confusables.txt
package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./docs/unicode confusables.txt")
		os.Exit(2)
	}
	f, err := os.Open(os.Args[1])
	if err == nil {
		err = write(os.Stdout, f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(w io.Writer, r io.Reader) error {
	table, version, err := read(r)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# What reads as ASCII: the ASCII, then the characters. Written by docs/unicode out of\n"+
		"# confusables.txt %s of UTS #39, © Unicode, Inc., under docs/unicode/LICENSE.\n", version)
	reads := map[string][]rune{}
	for r, ascii := range table {
		if !byItself(table, r, ascii) {
			reads[ascii] = append(reads[ascii], r)
		}
	}
	for _, ascii := range slices.Sorted(maps.Keys(reads)) {
		slices.Sort(reads[ascii])
		fmt.Fprint(b, ascii)
		for _, r := range reads[ascii] {
			fmt.Fprintf(b, " %04X", r)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// read returns what in the table reads as printable ASCII, and its version.
func read(r io.Reader) (table map[rune]string, version string, err error) {
	table = map[rune]string{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimPrefix(lines.Text(), "\uFEFF")
		if v, ok := strings.CutPrefix(line, "# Version: "); ok {
			version = strings.TrimSpace(v)
		}
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(line, ";")
		if len(fields) != 3 {
			return nil, "", fmt.Errorf("line %d has %d fields, want 3", n, len(fields))
		}
		from, err := text(fields[0])
		if err != nil {
			return nil, "", fmt.Errorf("line %d: %w", n, err)
		}
		to, err := text(fields[1])
		if err != nil {
			return nil, "", fmt.Errorf("line %d: %w", n, err)
		}
		if r, size := utf8.DecodeRuneInString(from); size == len(from) && r >= utf8.RuneSelf && isASCII(to) {
			table[r] = to
		}
	}
	if err := lines.Err(); err != nil {
		return nil, "", err
	}
	if len(table) == 0 || version == "" {
		return nil, "", fmt.Errorf("this is not confusables.txt of UTS #39")
	}
	return table, version, nil
}

// text reads code points in hexadecimal.
func text(field string) (string, error) {
	var b strings.Builder
	for hex := range strings.FieldsSeq(field) {
		n, err := strconv.ParseUint(hex, 16, 21)
		if err != nil || !utf8.ValidRune(rune(n)) {
			return "", fmt.Errorf("%q is no code point", hex)
		}
		b.WriteRune(rune(n))
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("no code point")
	}
	return b.String(), nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7F }) < 0
}

// byItself tells whether the reader of the table, who normalizes what is not in
// it, needs no line for r: normalization alone gives ASCII, or what has the same
// line. The table would have it that a full-width I is an l; it is an I.
func byItself(table map[rune]string, r rune, ascii string) bool {
	normal := norm.NFKC.String(string(r))
	if normal == string(r) {
		return false
	}
	if isASCII(normal) {
		return true
	}
	var b strings.Builder
	for _, n := range normal {
		if to, ok := table[n]; ok {
			b.WriteString(to)
		} else {
			b.WriteRune(n)
		}
	}
	return strings.EqualFold(b.String(), ascii)
}
