package quarantine

import (
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
	look := skeleton(string(name))
	for _, other := range c.Names {
		if c.Owner != "" && other.Owner == c.Owner {
			continue
		}
		n := string(other.Name)
		switch {
		case strings.EqualFold(n, string(name)):
			c.add(takenName, at{file: c.main}, "the name %s belongs to another owner", spec.Quote(n))
		case skeleton(n) == look:
			c.add(takenName, at{file: c.main}, "the name reads as %s of another owner", spec.Quote(n))
		case oneEdit(n, string(name)):
			c.warn(takenName, at{file: c.main}, "the name is one letter away from %s of another owner", spec.Quote(n))
		}
	}
}

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
