// Package standalone holds what this program knows of builds of CPython that
// run from whatever folder they are unpacked into: which there are
// (python-build-standalone, by a pinned table), the one that may be embedded
// in this program, and how their archives are unpacked.
//
// It promises:
//
//   - the table names every archive by its digest. Where it came from, the
//     project's own server or a mirror, decides nothing;
//   - what is unpacked are plain files below one directory and links that stay
//     in it, with every name, size and count checked before and while writing,
//     although the digest was right: the archive is somebody else's work;
//   - the table and the embedded archive cost a start of the program nothing.
//
// It downloads nothing, runs nothing, and does not decide where things lie;
// package pyenv does.
package standalone
