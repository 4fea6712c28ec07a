package main

import (
	"strings"
	"testing"
)

const table = "\uFEFF# confusables.txt\n# Version: 16.0.0\n\n" +
	"0430 ;\t0061 ;\tMA\t# ( а → a )\n" + // a Cyrillic letter
	"2474 ;\t0028 006C 0029 ;\tMA\t# ( ⑴ → (l) )\n" + // normalization alone gives ASCII
	"1D6C2 ;\t0061 ;\tMA\t# ( 𝛂 → a )\n" + // and here what the next line maps
	"03B1 ;\t0061 ;\tMA\t# ( α → a )\n" +
	"0031 ;\t006C ;\tMA\t# ( 1 → l )\n" + // ASCII reads as itself
	"05AD ;\t0596 ;\tMA\t# ( ֭ → ֖ )\n" + // not ASCII
	"0391 ;\t0041 ;\tMA\t# ( Α → A )\n" +
	"2016 ;\t006C 006C ;\tMA\t# ( ‖ → ll )\n"

func TestWrite(t *testing.T) {
	var out strings.Builder
	if err := write(&out, strings.NewReader(table)); err != nil {
		t.Fatal(err)
	}
	head, rows, _ := strings.Cut(out.String(), "LICENSE.\n")
	if want := "A 0391\na 03B1 0430\nll 2016\n"; rows != want || !strings.Contains(head, "16.0.0") {
		t.Errorf("got %s\n%s, want %s", head, rows, want)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":      "",
		"no version":   strings.Replace(table, "Version", "Edition", 1),
		"no code":      strings.Replace(table, "0430", "zz", 1),
		"no character": strings.Replace(table, "0430", "D800", 1),
		"empty code":   strings.Replace(table, "0430", "", 1),
		"four fields":  strings.Replace(table, "MA", "MA ; x", 1),
		"another file": "# Version: 16.0.0\n05AD ;\t0596 ;\tMA\n",
	} {
		var out strings.Builder
		if err := write(&out, strings.NewReader(text)); err == nil || strings.Contains(out.String(), "\na ") {
			t.Errorf("%s: got %v and %s", name, err, out.String())
		}
	}
}
