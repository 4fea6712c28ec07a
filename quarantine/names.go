package quarantine

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkName compares the name with the grammar and with every other name of
// the registry [PM-8, design §3].
func checkName(c *collector) {
	name := c.Release.Ref.Name
	if _, err := spec.ParseName(string(name)); err != nil {
		c.add(takenName, at{file: c.main}, "%v", err)
		return
	}
	if c.tool.Name != name || c.tool.Version != c.Release.Ref.Version {
		c.addAs(takenName, bad, at{file: c.main}, "write the name and version of the folder into the manifest", "the manifest says %s@%s and the release is %s",
			spec.Quote(string(c.tool.Name)), spec.Quote(string(c.tool.Version)), spec.Quote(c.Release.Ref.At()))
	}
	if c.Names == nil {
		c.skip("the name was not compared with other names, because no list of names was given")
		return
	}
	for _, other := range c.Names {
		if c.Owner != "" && other.Owner == c.Owner {
			continue
		}
		n := string(other.Name)
		switch alike(n, string(name)) {
		case same:
			c.add(takenName, at{file: c.main}, "the name %s belongs to another owner", spec.Quote(n))
		case confusable:
			c.add(takenName, at{file: c.main}, "the name reads as %s of another owner", spec.Quote(n))
		case near:
			c.warn(takenName, at{file: c.main}, "the name is one letter away from %s of another owner", spec.Quote(n))
		}
		for _, alias := range other.Aliases {
			if ReadAs(alias, name) {
				// A maintainer decides: to be called so costs nothing, so it keeps no name for anybody.
				c.warn(takenName, at{file: c.main}, "%s of another owner is found by the name %s", spec.Quote(n), spec.Quote(string(alias)))
			}
		}
		c.checkAliases(n)
	}
}

// checkAliases compares the aliases with a name of another owner: who types that
// name, or nearly, must not be led to this tool.
func (c *collector) checkAliases(other string) {
	const fix = "leave out the alias"
	for _, a := range c.tool.Aliases {
		alias, where := spec.Quote(string(a)), c.locateText(string(a), 1)
		switch alike(other, string(a)) {
		case same:
			c.addAs(takenName, bad, where, fix, "the alias %s is the name of a tool of another owner", alias)
		case confusable:
			c.addAs(takenName, bad, where, fix, "the alias %s reads as %s of another owner", alias, spec.Quote(other))
		case near:
			c.addAs(takenName, warn, where, fix, "the alias %s is one letter away from %s of another owner", alias, spec.Quote(other))
		}
	}
}

// Called returns the names by which a tool is asked for: its own and its aliases.
func Called(t *spec.Tool) []spec.Name { return append([]spec.Name{t.Name}, t.Aliases...) }

// likenessOf is how close two names are.
type likenessOf int

const (
	different  likenessOf = iota
	near                  // one edit apart
	confusable            // read as each other
	same
)

func alike(a, b string) likenessOf {
	switch {
	case strings.EqualFold(a, b):
		return same
	case oneEdit(a, b):
		if skeleton(a) == skeleton(b) {
			return confusable
		}
		return near
	case skeleton(a) == skeleton(b):
		return confusable
	}
	return different
}

// Alike tells whether a name is so close to another that it matters who owns
// them. Names that are not alike to what a tool is [Called] need not be given
// to [Check].
func Alike(a spec.Name, others ...spec.Name) bool {
	return slices.ContainsFunc(others, func(b spec.Name) bool { return alike(string(a), string(b)) != different })
}

// ReadAs tells whether a name is another one, or is read as it.
func ReadAs(a, b spec.Name) bool { return alike(string(a), string(b)) >= confusable }

// likeness maps what looks alike in many fonts to one spelling (UTS #39, cut
// to the letters that a name may have).
var likeness = strings.NewReplacer("0", "o", "1", "l", "rn", "m", "vv", "w")

// skeleton is equal for names that a reader takes for each other.
func skeleton(name string) string {
	return likeness.Replace(strings.ReplaceAll(strings.ToLower(name), "_", ""))
}

// oneEdit tells whether a becomes b by one letter put in, left out or changed,
// or by two neighbours changing places.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 || a == b {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	return a[i+1:] == b[i+1:] ||
		i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
