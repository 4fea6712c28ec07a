// Package site writes the pages of a registry: what there is to find, where it
// comes from and how to use it. They lie beside the published tree in the folder
// that a static host serves:
//
//	index.html                           search, what is new, ways to browse
//	browse/…                             lists: all, by kind, tag and permission
//	by/<login>/…                         the tools of one publisher
//	t/<name>/index.html                  one tool, by its latest version
//	t/<name>/versions.html               where the page of the tool does not list all
//	t/<name>/<version>/index.html        one version: permissions, provenance, source
//	t/<name>/<version>/source.html       the whole source, where it is long
//	t/<name>/<version>/changes.html      what differs from the version before
//	changes/index.html, feed.xml         the end of the log, for people and as Atom
//	registry/index.html                  who signs, and how to trust that
//	404.html, .nojekyll, assets/…        and what pages load
//	v1/…                                 the published tree itself; not of this package
//
// It promises that the same tree makes the same bytes, that a page is written
// only where it changes, that pages of what is gone go too, and that the page of
// a tool or a version stays below limits.SitePage whatever is in the tool.
//
// Whatever is not a constant of this program is escaped, by the one function
// that prints values; there is no type for markup, and sources are coloured as
// data. Addresses are made of names that have an alphabet, and of others only
// what [outside] lets through. The pages work without scripts, load nothing from
// elsewhere and send nothing anywhere; their policy (CSP) forbids it to whatever
// might get into one. What is there to be copied into a shell, or into the notes
// of an agent, has nothing in it that a stranger wrote but names.
//
// A page says what the published tree says; only the program verifies it.
package site
