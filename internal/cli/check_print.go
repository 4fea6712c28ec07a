package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/quarantine"
	"github.com/patch-cat/patch-git/spec"
)

// printChecked prints one file of the answer.
func (a *app) printChecked(c *checked, files []spec.File) {
	a.printFindings(c.File, c.Findings, files)
	if !c.OK {
		return
	}
	a.out.printf("%s  %s\n", a.out.green("ok"), pathOf(c.File))
	if c.Review != nil {
		a.printRehearsed(c.Review)
	}
}

// placed is a finding with the file called as a person finds it. of is the file
// or folder that was looked at, as it was typed; findings name files as they are
// called in a release.
func placed(of string, f spec.Finding) spec.Finding {
	main := spec.FormatOf(filepath.Base(of)) // where a main file was typed, the release is the folder around it
	switch {
	case main == spec.FormatSkill && f.File != of && f.File != "" && !filepath.IsAbs(f.File):
		f.File = filepath.Join(filepath.Dir(of), f.File)
	case f.File == "", f.File == of, spec.FormatOf(f.File) != "" && strings.EqualFold(filepath.Ext(of), filepath.Ext(f.File)):
		f.File = of
	case !filepath.IsAbs(f.File) && !strings.HasPrefix(f.File, `"`): // not one that had to be quoted
		f.File = filepath.Join(of, f.File)
	}
	return f
}

// pathOf is how a path is printed where a line begins with it: quoted where it holds
// what no line has, or begins as a command of GitHub Actions does.
func pathOf(file string) string {
	if oneLine(safe(file)) != file || strings.HasPrefix(strings.TrimSpace(file), ":") || strings.HasPrefix(file, " ") {
		return spec.Quote(file)
	}
	return file
}

// printFindings prints problems with their places, the line of the source where
// files has it, why each matters, and what to do.
func (a *app) printFindings(of string, fs []spec.Finding, files []spec.File) {
	whys := map[string]string{}
	if len(fs) > 0 {
		for _, r := range catalogue() {
			whys[r.ID] = r.Why
		}
	}
	// A line with a secret goes to no terminal and no log, whatever else is in it.
	type place struct {
		file string
		line int
	}
	secret := map[place]bool{}
	for _, f := range fs {
		secret[place{f.File, f.Line}] = secret[place{f.File, f.Line}] || f.ID == quarantine.SecretRule || f.Code == "secret-default"
	}
	for _, f := range fs {
		shown := placed(of, f)
		shown.File = pathOf(shown.File)
		why := whys[f.ID]
		if seen, ok := strings.CutSuffix(f.Message, "; "+why); ok && why != "" {
			shown.Message = seen
		} else {
			why = ""
		}
		text := oneLine(safe(shown.String()))
		switch f.Weight() {
		case spec.SeverityError:
			text = a.out.red(text)
		case spec.SeverityNote:
			text = a.out.dim(text)
		}
		a.out.printf("%s\n", text)
		if !secret[place{f.File, f.Line}] {
			a.printLine(&f, files)
		}
		if why != "" {
			a.out.printf("    why: %s\n", oneLine(safe(why)))
		}
		if f.Fix != "" {
			a.out.printf("    fix: %s\n", oneLine(safe(f.Fix)))
		}
	}
}

// plainWidth is how wide an excerpt is where nobody tells how wide a line is.
const plainWidth = 100

// printLine prints the line that a finding is about, and a caret below the
// column.
func (a *app) printLine(f *spec.Finding, files []spec.File) {
	if f.Line <= 0 {
		return
	}
	for _, file := range files {
		line, ok := lineOf(file.Data, f.Line)
		if file.Path != f.File || !ok {
			continue
		}
		gutter := fmt.Sprintf("%6d | ", f.Line)
		text, before := sanitize.Excerpt(line, max(f.Col, 1), max(cmp.Or(a.host.Terminal.Width, plainWidth)-len(gutter)-1, 20))
		a.out.printf("%s%s\n", a.out.dim(gutter), text)
		if f.Col > 0 {
			a.out.printf("%s%s%s\n", a.out.dim(strings.Repeat(" ", len(gutter)-2)+"| "), strings.Repeat(" ", before), a.out.green("^"))
		}
		return
	}
}

// lineOf is a line of a text, from 1, without its end.
func lineOf(data []byte, n int) (string, bool) {
	for ; n > 1; n-- {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return "", false
		}
		data = data[i+1:]
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	return string(bytes.TrimSuffix(line, []byte("\r"))), true
}
