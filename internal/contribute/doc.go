// Package contribute is the writer's side of patch-git: check a tool, stage it
// in a registry's source tree, accept it (resolve its packages, sign, log) and
// publish the tree that clients read. Who has no right to do that proposes it: a
// draft of a pull request is made, sent to GitHub and followed.
//
// It runs no contributed code: Python sources are parsed by CPython's own
// parser inside the sandbox, nothing of them is executed.
package contribute
