// Package audit keeps what happened: one record per run of a tool, and the
// tool's standard output and standard error by their digest [AR-19, AR-23,
// AR-24]. docs/audit.md tells it to a person.
//
// A run is recorded twice in the same place: [Journal.Begin] writes the intent
// before anything starts, [Run.Finish] replaces it with the result. A run that
// was killed keeps its intent, with status "started"; so no run goes without a
// trace, whether it succeeded, failed or was refused [C-9].
//
// What it promises:
//
//   - files are mode 0600; values of environment variables are never kept, only
//     their names [C-7]. Secrets, those that the caller names and those that a
//     detector finds, are struck from everything, and a code under the user's key
//     stands in their place; all else of the inputs is kept as it was given,
//     because a run can only be replayed from them [C-12];
//   - each finished record is signed, holds the digest of the one before it, and
//     the last one that reached the disk is noted apart: what was changed, removed
//     or cut off later [Journal.Check] names. Whoever has the key can make all of
//     it anew, but for a head that was kept elsewhere;
//   - any number of processes may record at once, and one that lives on need not
//     wait for the disk;
//   - a broken record never hides the others.
//
// It deletes a record only in [Journal.Prune], never prints, and does not judge
// what it records.
package audit
