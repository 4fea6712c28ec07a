// Package pyenv finds a Python on this machine and makes ready what a tool
// needs to run on it: its bytecode and its hash-locked packages.
//
// It promises:
//
//   - an interpreter is believed only after it ran in the sandbox, with exactly
//     the mounts that the tool will get, and said what it is; shims of version
//     managers are never run. The exact minor version is preferred; a newer
//     one serves a release without packages and says so; an older one never;
//   - packages come from the release's closure alone: no resolver, no index, no
//     build. A wheel counts only by its digest, whichever server had it. What
//     is unpacked from it are plain files below one directory, with every
//     size, path and count checked before and while writing;
//   - bytecode is made here, in the sandbox, from verified source. Bytecode
//     from a wheel or a registry is never used;
//   - the tool runs as `python /tmp/tool.py < /tmp/args.json` would: as
//     __main__, with its file name, its tracebacks and its exit codes [AR-40,
//     AR-41, AR-43]; nothing of the user's home is shown to it but interpreter
//     and environment;
//   - whatever it keeps on disk appears whole or not at all.
//
// It never runs tool or package code outside of the sandbox, never runs code
// of a wheel to install it, never writes into an interpreter's own tree, and
// never contacts a package index but through the resolver that the maintainer
// installed, when a version is accepted.
//
// Steps of one run: [Pythons.Find], [Pythons.EnvFor] (and [Pythons.Install]
// the first time), [Pythons.Prepare], [Program.Job].
package pyenv
