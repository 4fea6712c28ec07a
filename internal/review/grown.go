package review

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// grew lists what b asks for beyond a, one line each: what reaches further,
// and what warns less. Another version of a package that was there is no
// growth, a package that was not is, because its authors are new.
func grew(a, b *spec.Tool) []string {
	var out []string
	add := func(what, was, is string) { out = append(out, what+": "+was+" → "+is) }
	if b.Capabilities.Network && !a.Capabilities.Network {
		add("network", "no", "yes")
	}
	if reach(b.Capabilities.Filesystem) > reach(a.Capabilities.Filesystem) {
		add("filesystem", string(a.Capabilities.Filesystem), string(b.Capabilities.Filesystem))
	}
	if a.Capabilities.HumanConfirm && !b.Capabilities.HumanConfirm {
		add("human_confirm", "yes", "no")
	}
	for _, need := range b.Needs {
		if !slices.Contains(a.Needs, need) {
			add(need, "no", "yes")
		}
	}
	for _, scope := range b.ExternalAuth {
		if !slices.Contains(a.ExternalAuth, scope) {
			add("account", "none", scope)
		}
	}
	if a.Format != b.Format && a.Format != "" {
		add("kind", string(a.Format), string(b.Format))
	}
	was, is := a.Permissions(), b.Permissions()
	for _, s := range is.Scopes {
		if !slices.Contains(was.Scopes, s) {
			add("scope", "none", s)
		}
	}
	for _, s := range is.Secrets {
		if !slices.Contains(was.Secrets, s) {
			add("secret", "none", s)
		}
	}
	for _, s := range is.Servers {
		if !slices.Contains(was.Servers, s) {
			add("server", "none", s)
		}
	}
	if was.Installs != is.Installs && is.Installs != "" {
		add("installs", cmp.Or(was.Installs, "nothing"), is.Installs)
	}
	out = append(out, worse(a, b)...)
	for _, p := range b.Runtime.Packages {
		if !slices.ContainsFunc(a.Runtime.Packages, func(q string) bool { return packageName(q) == packageName(p) }) {
			add("package", "none", p)
		}
	}
	for _, in := range b.Inputs {
		i := slices.IndexFunc(a.Inputs, func(was spec.Input) bool { return was.Name == in.Name })
		if in.TaintedOK && (i < 0 || !a.Inputs[i].TaintedOK) {
			add("input "+in.Name+" takes tainted data", "no", "yes")
		}
	}
	return append(out, flags(a, b)...)
}

// worse lists the operations that change more than before, or are new and change
// something: people are asked by what an operation says of its effects. What is
// said to be safe to repeat is repeated when it fails.
func worse(a, b *spec.Tool) []string {
	rank := func(e spec.Effects) int {
		if i := slices.Index([]spec.Effects{spec.EffectsNone, spec.EffectsRead, spec.EffectsWrite, spec.EffectsDestructive}, e); i >= 0 {
			return i
		}
		return 4 // unsaid may be anything
	}
	var out []string
	for _, o := range b.Operations {
		before, there := a.Operation(o.Name)
		switch {
		case !there && rank(o.Effects) >= rank(spec.EffectsWrite):
			out = append(out, "action "+o.Name+": none → "+string(o.Effects))
		case there && rank(o.Effects) > rank(before.Effects):
			out = append(out, "action "+o.Name+": "+string(before.Effects)+" → "+string(o.Effects))
		case there && rank(o.Effects) < rank(before.Effects) && rank(before.Effects) == rank(spec.EffectsDestructive):
			out = append(out, "action "+o.Name+" warns less: "+string(before.Effects)+" → "+string(o.Effects)) // it is not confirmed any more
		case there && o.Idempotent && !before.Idempotent && rank(o.Effects) >= rank(spec.EffectsWrite):
			out = append(out, "action "+o.Name+" is repeated: no → yes")
		}
		known := map[string]bool{}
		if there {
			for _, in := range manifest.OperationInputs(before) {
				known[in.Name] = in.TaintedOK
			}
		}
		for _, in := range manifest.OperationInputs(&o) {
			if in.TaintedOK && !known[in.Name] {
				out = append(out, "input "+in.Name+" of action "+o.Name+" takes tainted data: no → yes")
			}
		}
	}
	return out
}

// reach orders what a tool may see of the files. What is none of the three is
// the most.
func reach(f spec.Filesystem) int {
	switch f {
	case spec.FilesystemNone, "":
		return 0
	case spec.FilesystemReadOnly:
		return 1
	case spec.FilesystemReadWrite:
		return 2
	}
	return 3
}

// packageName is how the index compares names of packages (PEP 503). Extras
// stay part of it, because they bring packages of their own.
func packageName(requirement string) string {
	name, _, _ := strings.Cut(requirement, "==")
	return strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(strings.TrimSpace(name)))
}

// flags compares what a tool says of its effects in keys of its own. Either
// way is for a person: it does more, or it warns of less.
func flags(a, b *spec.Tool) []string {
	var keys []string
	for _, t := range []*spec.Tool{a, b} {
		for key := range t.Extensions {
			low := strings.ToLower(key)
			if (strings.Contains(low, "destruct") || strings.Contains(low, "irrevers") || strings.Contains(low, "side")) && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	var out []string
	for _, key := range keys {
		was, is := a.Extensions[key], b.Extensions[key]
		if !bytes.Equal(was, is) {
			out = append(out, key+": "+orNone(was)+" → "+orNone(is))
		}
	}
	return out
}

func orNone(value []byte) string {
	if value == nil {
		return "none"
	}
	return string(value)
}

// compare holds a version against the one that most users have.
func (j *judgement) compare() {
	j.out.Near = j.base.Near
	if j.out.New {
		return
	}
	j.out.Previous, j.out.Was = j.base.Previous, j.base.Was
	j.out.Diff, j.out.DiffCut = unified(j.base.Files, j.Files)
	if j.out.Tool == nil {
		return
	}
	was := j.base.Was
	if was == nil {
		was = &spec.Tool{} // nobody agreed to anything
	}
	j.out.Grown = grew(was, j.out.Tool)
	if j.base.Highest != nil {
		// Otherwise who withdraws the version that asks for less would have back
		// what it gave up, without anybody's word.
		for _, line := range grew(j.base.Highest, j.out.Tool) {
			if !slices.Contains(j.out.Grown, line) {
				j.out.Grown = append(j.out.Grown, line)
			}
		}
	}
	if len(j.out.Grown) > 0 {
		var lines []string
		for _, g := range j.out.Grown {
			lines = append(lines, spec.Quote(g))
		}
		j.findings.add(grown, j.Dir(), "it asks for more than before: %s", strings.Join(lines, ", "))
	}
}
