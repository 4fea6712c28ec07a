package quarantine

import (
	"maps"
	"slices"

	"github.com/patch-cat/patch-git/spec"
)

// checkHistory compares the release with what is published under its name
// [PM-10]. The same bytes again are no fault: acceptance may be run twice.
func checkHistory(c *collector) {
	version := c.Release.Ref.Version
	if _, err := spec.ParseVersion(string(version)); err != nil {
		c.add(changed, at{file: c.main}, "%v", err)
		return
	}
	if c.Previous == nil {
		c.skip("the version was not compared with published ones, because no list of versions was given")
		return
	}
	var highest spec.Version
	for _, p := range c.Previous {
		if p.Version == version {
			c.samePublished(p)
			return
		}
		if highest == "" || p.Version.Compare(highest) > 0 {
			highest = p.Version
		}
	}
	if highest != "" && version.Compare(highest) <= 0 {
		c.add(changed, at{file: c.main}, "version %s is not above %s, the highest that is published", version, highest)
	}
}

// Generated tells of the files of a release that acceptance adds; a contributor's
// tree does not have them, so their absence is no change.
func Generated(path string) bool {
	switch path {
	case "closure.json", "pylock.toml", "report.json":
		return true
	}
	return false
}

func (c *collector) samePublished(p Published) {
	here := map[string]bool{}
	for _, f := range c.Release.Files {
		here[f.Path] = true
		switch was, ok := p.Files[f.Path]; {
		case !ok:
			c.add(changed, c.atFile(f.Path), "version %s is published without this file", p.Version)
		case was != spec.DigestOf(f.Data):
			c.add(changed, c.atFile(f.Path), "version %s is published with other content of this file", p.Version)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(p.Files)) {
		if !here[path] && !Generated(path) {
			c.add(changed, c.atFile(path), "version %s is published with this file, which is missing here", p.Version)
		}
	}
}

// atFile points at a file whose path may not have been checked.
func (c *collector) atFile(path string) at {
	if spec.CheckPath(path) != nil {
		return at{file: spec.Quote(path)}
	}
	return at{file: path}
}
