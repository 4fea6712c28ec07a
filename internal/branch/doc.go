// Package branch is the published tree of a registry as it lies in git: the
// branch `published` of a remote repository, read and written as a
// registry.Store.
//
// It promises:
//
//   - nothing is checked out: blobs are read out of a copy of our own and
//     commits are made from what was written, so that no hook, filter,
//     attribute or line ending of a repository has any effect;
//   - a publication fetches what it needs and not the releases: the trees of
//     one commit, the documents that every publication reads, and of the names
//     that change what is asked for;
//   - a push never replaces what somebody else pushed: the branch moves from
//     the commit that was read, or [ErrMoved] says that it was gone already;
//   - what follows from other files (hash tiles, the list of tools) is answered
//     as if it were there, and not committed.
//
// The program git does the work, because only it speaks to every host with
// partial clones. It runs with a configuration that is ours alone. A token
// comes to it through its environment: it is in no argument, no address, no
// file and no error.
//
// What the branch has is not believed here. registry.Seal compares what it
// builds on with the head, and the head with who has to have signed it.
package branch
