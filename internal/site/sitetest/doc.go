// Package sitetest is for tests of the pages of a registry: a host that serves
// a folder as GitHub Pages does ([Host]), and the programs in testdata that drive
// a browser over it. It is for tests alone.
//
// `make test-site` installs what those programs need, makes registries (one that
// people like, one that is hostile, one of ten thousand tools), and looks at their
// pages in Chromium. What the browser showed lies in testdata/artefacts.
package sitetest
