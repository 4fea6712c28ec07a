package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

type finding = spec.Finding

// pace records how long one of n took, all cores working.
func (f *figures) pace(what string, took time.Duration, n int) {
	fmt.Fprintf(&f.timed, "| %s | %d | %.1f ms |\n", what, n, float64(took.Microseconds())/1000/float64(max(1, n)))
}

// targets writes what was aimed at before everything else.
func (e *evaluation) targets() {
	var b strings.Builder
	var body [][]string
	for _, g := range e.goals {
		body = append(body, []string{g.what, g.target, g.got.String(), g.met()})
	}
	table(&b, "Against the targets", fmt.Sprintf("Edition %d of the rules.", quarantine.RulesVersion), []string{"what", "target", "measured", "met"}, body)
	b.WriteString(e.stable.String())
	fmt.Fprintf(&b, "### Missed\n\nBy id, so that anybody with the data can look. No list is shortened.\n\n%s\n", strings.Join(e.missed, "\n"))
	e.stable = strings.Builder{}
	e.stable.WriteString(b.String())
}

// The marks between which the document carries what was measured.
const (
	figuresBegin, figuresEnd = "<!-- figures: make eval-quarantine -->\n", "<!-- end of figures -->\n"
	besideBegin, besideEnd   = "<!-- comparison: make eval-quarantine-write EVAL=-compare -->\n", "<!-- end of comparison -->\n"
	timesBegin, timesEnd     = "<!-- times: make eval-quarantine -->\n", "<!-- end of times -->\n"
)

// publish prints what was measured, and writes it into the document or compares
// it with what stands there.
func (e *evaluation) publish() error {
	times := "| what | n | each |\n|---|---|---|\n" + e.timed.String()
	fmt.Fprintf(os.Stdout, "%s\n%s%s", e.stable.String(), e.beside.String(), times)
	if !e.write && !e.check {
		return nil
	}
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, after, err := between(text, figuresBegin, figuresEnd)
	if err != nil {
		return err
	}
	if e.check {
		if written := string(text[before:after]); written != e.stable.String() {
			return fmt.Errorf("%s has other figures; %s; `make eval-quarantine-write` writes them", document, difference(written, e.stable.String()))
		}
		fmt.Fprintf(os.Stdout, "eval: the figures of %s are what was measured\n", document)
		return nil
	}
	text = bytes.Join([][]byte{text[:before], text[after:]}, []byte(e.stable.String()))
	parts := [][3]string{{timesBegin, timesEnd, times}}
	if e.anchors {
		parts = append(parts, [3]string{besideBegin, besideEnd, e.beside.String()})
	}
	for _, p := range parts {
		if before, after, err = between(text, p[0], p[1]); err != nil {
			return err
		}
		text = bytes.Join([][]byte{text[:before], text[after:]}, []byte(p[2]))
	}
	return os.WriteFile(document, text, 0o644)
}

func between(text []byte, begin, end string) (int, int, error) {
	i := bytes.Index(text, []byte(begin))
	if i < 0 {
		return 0, 0, fmt.Errorf("%s has no mark %q", document, begin)
	}
	i += len(begin)
	n := bytes.Index(text[i:], []byte(end))
	if n < 0 {
		return 0, 0, fmt.Errorf("%s has no mark %q", document, end)
	}
	return i, i + n, nil
}

// difference says where two texts first differ.
func difference(written, measured string) string {
	a, b := strings.Split(written, "\n"), strings.Split(measured, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("it says %q, measured is %q", a[i], b[i])
		}
	}
	return fmt.Sprintf("it has %d lines, measured are %d", len(a), len(b))
}
