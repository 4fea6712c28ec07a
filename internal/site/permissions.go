package site

import (
	"cmp"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// grant is one thing that a version may or may not do.
type grant struct {
	Value string // for the eye: no, yes, none, read-only, read-write
	What  string
	Text  string
}

// grants says in full what a version may do.
func grants(p spec.Permissions, in room) []grant {
	out := []grant{{"no", "Network", "None. The sandbox gives it no route at all."}}
	if p.Network {
		out[0] = grant{"yes", "Network", "The internet, after you agree."}
	}
	switch p.Filesystem {
	case spec.FilesystemNone:
		out = append(out, grant{"none", "Files", "None of yours."})
	case spec.FilesystemReadOnly:
		out = append(out, grant{"read-only", "Files", "Reads the files that you name, and no others."})
	case spec.FilesystemReadWrite:
		out = append(out, grant{"read-write", "Files", "Reads and writes the files that you name, and no others."})
	default:
		out = append(out, grant{"read-write", "Files", string(p.Filesystem)})
	}
	if p.HumanConfirm {
		out = append(out, grant{"no", "Confirmation", "Asks you before each run."})
	}
	for _, n := range p.Needs {
		out = append(out, grant{"yes", "Code", "It " + spec.NeedWords(n) + "."})
	}
	for _, s := range p.ExternalAuth[:min(len(p.ExternalAuth), in.rows)] {
		out = append(out, grant{"yes", "Account", sanitize.Fit(s, in.width)})
	}
	if more := len(p.ExternalAuth) - in.rows; more > 0 {
		out = append(out, grant{"yes", "Account", "and " + itoa(int64(more)) + " more"})
	}
	for _, list := range []struct {
		what string
		all  []string
	}{{"In your name", p.Scopes}, {"Secret", p.Secrets}, {"Sends to", p.Servers}} {
		for _, s := range list.all[:min(len(list.all), in.rows)] {
			out = append(out, grant{"yes", list.what, sanitize.Fit(s, in.width)})
		}
		if more := len(list.all) - in.rows; more > 0 {
			out = append(out, grant{"yes", list.what, "and " + itoa(int64(more)) + " more"})
		}
	}
	if p.Installs != "" {
		out = append(out, grant{"yes", "Installs", sanitize.Fit(p.Installs, in.width)})
	}
	return out
}

// told is grants of a tool that no sandbox here runs: the same words, and that
// they are the author's.
func told(format spec.Format, out []grant) []grant {
	switch format {
	case spec.FormatSkill:
		for i := range out {
			if out[i].What == "Network" && out[i].Value == "no" {
				out[i].Text = "None, by its own word."
			}
		}
		return append(out, grant{"yes", "Enforced", "By nobody here: the host that follows a skill runs its scripts with your rights."})
	case spec.FormatArcade:
		return append(out, grant{"yes", "Enforced", "By Arcade, which runs it: nothing of it runs on your machine."})
	}
	return out
}

// change is a difference of what two versions may do.
type change struct {
	What, Was, Is string
	More          bool // it asks for more, or warns of less
}

// changed compares what two versions may do.
func changed(was, is spec.Permissions) []change {
	var out []change
	add := func(what, from, to string, more bool) {
		if from != to {
			out = append(out, change{sanitize.Fit(what, cellWidth/4), from, to, more})
		}
	}
	add("network", yesNo(was.Network), yesNo(is.Network), is.Network)
	add("files", string(was.Filesystem), string(is.Filesystem), reach(is.Filesystem) > reach(was.Filesystem))
	add("asks before each run", yesNo(was.HumanConfirm), yesNo(is.HumanConfirm), !is.HumanConfirm)
	lists := func(what func(string) string, a, b []string) {
		for _, x := range b {
			if !slices.Contains(a, x) {
				add(what(x), "no", "yes", true)
			}
		}
		for _, x := range a {
			if !slices.Contains(b, x) {
				add(what(x), "yes", "no", false)
			}
		}
	}
	lists(spec.NeedWords, was.Needs, is.Needs)
	lists(func(s string) string { return "account " + s }, was.ExternalAuth, is.ExternalAuth)
	lists(func(s string) string { return "scope " + s }, was.Scopes, is.Scopes)
	lists(func(s string) string { return "secret " + s }, was.Secrets, is.Secrets)
	lists(func(s string) string { return "sending to " + s }, was.Servers, is.Servers)
	add("installs", sanitize.Fit(cmp.Or(was.Installs, "nothing"), cellWidth/4), sanitize.Fit(cmp.Or(is.Installs, "nothing"), cellWidth/4), is.Installs != "")
	return out
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// reach orders what a tool may see of the files. What is none of the three is
// the most.
func reach(f spec.Filesystem) int {
	switch f {
	case spec.FilesystemNone:
		return 0
	case spec.FilesystemReadOnly:
		return 1
	case spec.FilesystemReadWrite:
		return 2
	}
	return 3
}

// briefly says the same as [grants] in a few words, for a table.
func briefly(p spec.Permissions) string {
	out := []string{networkBadge(p).Text, filesBadge(p).Text}
	if p.HumanConfirm {
		out = append(out, "asks first")
	}
	for _, n := range p.Needs {
		out = append(out, spec.NeedWords(n))
	}
	for _, s := range p.ExternalAuth {
		out = append(out, "your account: "+s)
	}
	for _, s := range p.Scopes {
		out = append(out, "in your name: "+s)
	}
	for _, s := range p.Secrets {
		out = append(out, "your secret: "+s)
	}
	for _, s := range p.Servers {
		out = append(out, "sends to "+s)
	}
	if p.Installs != "" {
		out = append(out, "installs "+p.Installs)
	}
	return strings.Join(out, ", ")
}
