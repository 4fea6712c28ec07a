package review

import (
	"path"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Names in a source tree.
const (
	toolsDir   = "tools"
	metaFile   = "tool.yaml"
	configFile = "registry.yaml"
	waiversDir = "waivers"
)

// Outline is what the paths of a submission say that it is about.
type Outline struct {
	Kind    Kind
	Name    spec.Name    // "" unless it is about one name
	Version spec.Version // "" unless it touches one version
	Files   []spec.File  // of that version, sorted by path; nil unless each of them is there whole
	Meta    *Change      // of tool.yaml
	Config  *Change      // of registry.yaml
	Waivers []Change     // of what maintainers let pass

	findings collector
	touched  []version // in the order of their paths
	rules    []Change  // what governs: everything outside of tools/
	there    []string  // paths that the head has
	submitted
}

// submitted is how much there is, readable or not.
type submitted struct {
	files int
	bytes int64
}

// version is a version directory with what is done to it.
type version struct {
	number  spec.Version
	changes []Change // their paths are those in the directory
}

// Dir is the folder of the version in the repository.
func (o *Outline) Dir() string { return versionDir(o.Name, o.Version) }

func versionDir(n spec.Name, v spec.Version) string {
	if n == "" || v == "" {
		return ""
	}
	return path.Join(toolsDir, n.Shard(), string(n), string(v))
}

// Read sorts the changes of a submission by their paths, which a stranger
// chose. It reads no more of their content than whether it is text.
func Read(s *Submission) *Outline {
	o := &Outline{}
	names := map[string]bool{}
	for _, c := range plain(s.Changes) {
		o.files++
		o.bytes += int64(len(c.Data))
		if c.Status != Removed {
			o.there = append(o.there, c.Path)
		}
		o.sort(c, names)
	}
	o.twins()
	switch inTools := len(names) > 0 || len(o.touched) > 0 || o.Meta != nil; {
	case inTools && len(o.rules) > 0:
		o.Kind = KindMixed
		o.findings.add(governance, o.rules[0].Path, "%d files outside of %s/ are changed together with a tool", len(o.rules), toolsDir)
	case len(names) > 1:
		o.Kind = KindMixed
		o.findings.add(oneThing, "", "%d names are changed at once", len(names))
	case len(o.touched) > 0:
		o.Kind = KindRelease
	case o.Meta != nil:
		o.Kind = KindMeta
	case inTools:
		o.Kind = KindMixed // of things that have no place, each of which is refused
	case len(o.rules) > 0:
		o.Kind = KindGovernance
	default:
		o.Kind = KindEmpty
		o.findings.add(oneThing, "", "nothing is changed")
	}
	if len(names) != 1 {
		o.Name = ""
	}
	if o.Name != "" && len(o.touched) == 1 {
		o.Version = o.touched[0].number
		o.complete()
	}
	return o
}

// plain makes two changes of a rename, because a rename takes a file away from
// where it was, and orders them all by path.
func plain(changes []Change) []Change {
	var out []Change
	for _, c := range changes {
		if c.Status == Renamed {
			out = append(out, Change{Path: c.Previous, Status: Removed})
			c.Status, c.Previous = Added, ""
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// sort puts one change where it belongs. names are those that the submission
// is about, as they are spelled in it.
func (o *Outline) sort(c Change, names map[string]bool) {
	o.status(c)
	parts := strings.Split(c.Path, "/")
	switch {
	case !clean(c.Path):
		o.findings.add(shape, c.Path, "the path %s is not a clean one", spec.Quote(c.Path))
		names[c.Path] = true // it is about nothing that could be accepted
		return
	case parts[0] != toolsDir:
		if strings.EqualFold(parts[0], toolsDir) {
			o.findings.add(shape, c.Path, "the folder is the same as %s/ where case does not count", toolsDir)
		}
		o.rules = append(o.rules, c)
		if c.Path == configFile {
			o.Config = &c
		}
		if parts[0] == waiversDir {
			o.Waivers = append(o.Waivers, c)
		}
		return
	case len(parts) < 4:
		names[c.Path] = true
		o.misplaced(c)
		return
	}
	names[parts[2]] = true
	n, err := spec.ParseName(parts[2])
	if err != nil {
		o.findings.add(takenName, c.Path, "%v", err)
		return
	}
	if n.Shard() != parts[1] {
		o.misplaced(c)
		return
	}
	o.Name = n
	if len(parts) == 4 && parts[3] == metaFile {
		o.file(c)
		o.Meta = &c
		return
	}
	v, err := spec.ParseVersion(parts[3])
	if err != nil || len(parts) < 5 {
		o.misplaced(c)
		return
	}
	o.file(c)
	c.Path = strings.Join(parts[4:], "/")
	i := slices.IndexFunc(o.touched, func(t version) bool { return t.number == v })
	if i < 0 {
		i = len(o.touched)
		o.touched = append(o.touched, version{number: v})
	}
	o.touched[i].changes = append(o.touched[i].changes, c)
}

func (o *Outline) misplaced(c Change) {
	o.findings.add(shape, c.Path, "this is not where a registry has anything")
}

// status refuses what nobody told the meaning of.
func (o *Outline) status(c Change) {
	if c.Status != Added && c.Status != Modified && c.Status != Removed {
		o.findings.add(shape, c.Path, "nobody can tell what happened to the file: %s", spec.Quote(string(c.Status)))
	}
}

// clean tells whether a path is what git may have and every system reads alike.
func clean(p string) bool {
	if p == "" || path.Clean(p) != p || path.IsAbs(p) || strings.ContainsRune(p, '\\') || strings.HasPrefix(p, "../") || p == ".." {
		return false
	}
	return !strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' })
}

// twins finds two paths that are one where case does not count, which would
// let one of them hide the other, and a path that is there twice.
func (o *Outline) twins() {
	seen := map[string]string{}
	for i, p := range o.there {
		if i > 0 && p == o.there[i-1] {
			o.findings.add(shape, p, "the file is there twice")
		}
		at := ""
		for part := range strings.SplitSeq(p, "/") {
			at = path.Join(at, part)
			fold := strings.ToLower(at)
			if other, ok := seen[fold]; ok && other != at {
				o.findings.add(shape, p, "%s and %s are the same where case does not count", spec.Quote(other), spec.Quote(at))
				return // one is enough, and there may be thousands
			}
			seen[fold] = at
		}
	}
}

// complete takes over the files of the one version, if they are all there.
func (o *Outline) complete() {
	var files []spec.File
	for _, c := range o.touched[0].changes {
		if c.Status != Added || c.Refused != "" || c.Data == nil {
			return
		}
		files = append(files, spec.File{Path: c.Path, Data: c.Data})
	}
	o.Files = files
}
