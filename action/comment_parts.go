package action

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/review"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// card is what users will see of the tool.
func card(r *review.Review, room int) string {
	t := r.Tool
	if t == nil {
		return ""
	}
	lines := []string{string(t.Name) + " " + string(t.Version), ""}
	lines = append(lines, wrap("", t.Description)...)
	lines = append(lines, "")
	for _, in := range t.Inputs {
		about := string(in.Type)
		if in.Required {
			about += ", required"
		}
		if in.Default != nil {
			about += ", default " + string(in.Default)
		}
		lines = append(lines, wrap("in   ", in.Name+" ("+about+") "+in.Description)...)
	}
	for _, o := range t.Operations {
		lines = append(lines, wrap("does ", o.Name+" ("+string(o.Effects)+") "+o.Summary)...)
	}
	if t.Format == spec.FormatPatch {
		lines = append(lines, wrap("out  ", string(t.Output.Type)+" "+t.Output.Description)...)
		lines = append(lines, wrap("on   ", "Python "+t.Runtime.PythonVersion+", packages: "+orNone(t.Runtime.Packages))...)
	}
	if d := t.Deployment; d != nil {
		for _, e := range d.Env {
			lines = append(lines, wrap("asks ", e.Name+": "+e.Prompt)...)
		}
		for _, s := range d.Scopes {
			lines = append(lines, wrap("may  ", s.Resource+" ("+strings.Join(s.Actions, ", ")+"): "+s.Rationale)...)
		}
	}
	if t.GeneratedBy != "" {
		lines = append(lines, wrap("by   ", t.GeneratedBy+", a model")...)
	}
	var owners []string
	for _, o := range r.Owners {
		owners = append(owners, fmt.Sprintf("%s (%d)", o.Login, o.ID))
	}
	lines = append(lines, wrap("of   ", orNone(owners))...)
	return fitted("**What users will see**\n\n", "text", lines, room, "")
}

// permissions shows what the tool may do, against the version before.
func permissions(r *review.Review, room int) string {
	if r.Tool == nil {
		return ""
	}
	more := r.Tool.Format != spec.FormatPatch || r.Was != nil && r.Was.Format != spec.FormatPatch
	now := asked(r.Tool, more)
	if r.Was == nil {
		var lines []string
		for _, p := range now {
			lines = append(lines, wrap(fmt.Sprintf("%-12s ", p[0]), p[1])...)
		}
		return fitted("**What it may do**\n\n", "text", lines, room, "")
	}
	var lines []string
	same := true
	for i, was := range asked(r.Was, more) {
		if was == now[i] {
			lines = append(lines, marked(" ", now[i])...)
			continue
		}
		same = false
		lines = append(append(lines, marked("-", was)...), marked("+", now[i])...)
	}
	title := "**What it may do**, compared with " + span(string(r.Previous))
	switch {
	case same:
		title += ": the same"
	case len(r.Grown) > 0:
		title += ": more, so users are asked anew"
	}
	return fitted(title+"\n\n", "diff", lines, room, "")
}

// asked are the permissions of a tool, each with its name; more adds those that
// no Patch tool has.
func asked(t *spec.Tool, more bool) [][2]string {
	p := t.Permissions()
	rows := [][2]string{
		{"network", yes(p.Network)},
		{"files", string(p.Filesystem)},
		{"asks first", yes(p.HumanConfirm)},
		{"its code", orNone(p.Needs)},
		{"accounts", orNone(p.ExternalAuth)},
		{"packages", orNone(t.Runtime.Packages)},
	}
	if !more {
		return rows
	}
	var actions []string
	for _, o := range t.Operations {
		actions = append(actions, o.Name+" ("+string(o.Effects)+")")
	}
	return append(rows, [2]string{"kind", t.Format.Noun()}, [2]string{"scopes", orNone(p.Scopes)}, [2]string{"secrets", orNone(p.Secrets)},
		[2]string{"sends to", orNone(p.Servers)}, [2]string{"installs", cmp.Or(p.Installs, "nothing")}, [2]string{"actions", orNone(actions)})
}

// marked is a permission as lines of a diff.
func marked(mark string, p [2]string) []string {
	lines := wrap(fmt.Sprintf("%-12s ", p[0]), p[1])
	for i, l := range lines {
		lines[i] = mark + " " + l
	}
	return lines
}

// difference shows the sources against the version before.
func difference(r *review.Review, room int) string {
	if r.Diff == "" {
		return ""
	}
	title := "<details><summary>The source</summary>\n\n"
	if r.Previous != "" {
		title = "<details><summary>What changes in the source</summary>\n\n"
	}
	lines := strings.Split(strings.TrimRight(r.Diff, "\n"), "\n")
	if r.DiffCut {
		lines = append(lines, "… the rest is too long to be shown here")
	}
	return fitted(title, "diff", lines, room, "\n</details>\n")
}

// fitted is a titled block in at most room bytes. Lines that do not fit are
// left out from the end, which is said.
func fitted(title, language string, lines []string, room int, end string) string {
	shown, mark := fenced(lines)
	const note = "\n%d more lines are left out, because a comment has an end.\n"
	room -= len(title) + 2*len(mark) + len(language) + len("\n\n") + len(note) + len("999999") + len(end)
	keep := 0
	for keep < len(shown) && room >= len(shown[keep])+1 {
		room -= len(shown[keep]) + 1
		keep++
	}
	if keep == 0 {
		return leftOut
	}
	text := title + mark + language + "\n" + strings.Join(shown[:keep], "\n") + "\n" + mark + "\n"
	if left := len(shown) - keep; left > 0 {
		text += fmt.Sprintf(note, left)
	}
	return text + end
}

// leftOut stands for a part of which nothing fits. There is always room for it.
const leftOut = "A part is left out here, because a comment has an end.\n"

// wrapColumns is how wide prose in a block is; GitHub does not wrap it.
const wrapColumns = 96

// wrap breaks foreign prose into lines for a block. head, which is ours, begins
// the first, and as many blanks the others. Its own line breaks are not kept.
func wrap(head, text string) []string {
	var lines []string
	line, indent := head, strings.Repeat(" ", len(head))
	for i, word := range strings.Fields(sanitize.ForTerminal(text)) {
		if i > 0 && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > wrapColumns {
			lines, line = append(lines, line), indent+word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// size says a number of bytes as people do.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1000*1000))
}
