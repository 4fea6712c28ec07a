package sandbox

import (
	"slices"
	"strings"
)

// relocation tells where the paths of a job really are, for drivers that
// cannot give the program a root of its own.
type relocation []struct{ seen, real string }

// relocate maps ScratchDir to scratch and every target to its source. A mount
// that stays where it is counts too: it may lie below ScratchDir.
func relocate(scratch string, mounts []Mount) relocation {
	r := relocation{{ScratchDir, scratch}}
	for _, m := range mounts {
		r = append(r, struct{ seen, real string }{m.Target, m.Source})
	}
	// The longest first: a target inside another one wins.
	slices.SortFunc(r, func(a, b struct{ seen, real string }) int { return len(b.seen) - len(a.seen) })
	return r
}

// path rewrites s when it is a path of the job, and else returns it as it is.
func (r relocation) path(s string) string {
	for _, p := range r {
		if below(s, p.seen) {
			return p.real + s[len(p.seen):]
		}
	}
	return s
}

// job rewrites every place that [Job] names.
func (r relocation) job(j Job) Job {
	j.Argv = slices.Clone(j.Argv)
	for i := range j.Argv {
		j.Argv[i] = r.path(j.Argv[i])
	}
	j.Env = slices.Clone(j.Env)
	for i, e := range j.Env {
		name, value, _ := strings.Cut(e, "=")
		parts := strings.Split(value, ":")
		for k := range parts {
			parts[k] = r.path(parts[k])
		}
		j.Env[i] = name + "=" + strings.Join(parts, ":")
	}
	j.Dir = r.path(j.Dir)
	if j.StdinFile != "" {
		j.StdinFile = r.path(j.StdinFile)
	}
	j.Files = slices.Clone(j.Files)
	for i := range j.Files {
		j.Files[i].Target = r.path(j.Files[i].Target)
	}
	return j
}
