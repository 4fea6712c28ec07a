// Package provision acquires what an install manifest names, into a folder of its
// own, or not at all.
//
//	prefixes/<digest of the release>/prefix.json   what lies here and how it is started
//	prefixes/<digest of the release>/root/         the artifact
//
// What it promises. Nothing of an artifact runs while it is acquired: no build, no
// install script, no hook. Every byte is held against a digest that the manifest, the
// signed closure, a lock or git's object names state, before it is kept under the
// name that anybody looks for: the folder is made under another name and renamed as
// its last step, so that a reader, and a crash, find a whole prefix or none. Several
// processes that want the same release make it once. Everything that a stranger sends
// is bounded in size, number and time.
//
// What it never does. It starts no program by itself: git, a container engine, npm's
// resolver and interpreters come as functions of a [Provisioner], because who may run
// what is decided above. It holds no secret and is given none.
package provision
