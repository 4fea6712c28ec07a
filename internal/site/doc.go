// Package site writes the pages of a registry: an index of its tools, one page
// for each, and the page for what is not there. They lie beside the published
// tree in the folder that a static host serves:
//
//	index.html               the newest versions and all tools
//	list/<a>/index.html      the tools of one first letter, where there are many
//	t/<name>/index.html      one tool: card, permissions, how to pull it, versions
//	404.html, style.css, .nojekyll
//	v1/…                     the published tree itself; not of this package
//
// It promises that the same tree makes the same bytes, that a page is written
// only where it changes, and that pages of tools that are gone go too.
//
// Whatever is not a constant of this program is escaped, by [page.add] alone,
// which takes no other markup. The pages have no script, load nothing but their
// own style and send nothing anywhere; their policy (CSP) forbids it to
// whatever might get into one.
//
// A page says what the published tree says; only the program verifies it.
package site
