// Package spec holds the nouns of patch-git: names, versions, references,
// digests, tools, releases, candidates and findings, and how each is parsed,
// compared and escaped. It does no input or output and knows no file format.
//
// A string becomes one of these types once, at the edge, through a Parse
// function; from there on the type carries the guarantee.
package spec
