// Package audit keeps what happened: one record per run of a tool, and the
// tool's standard output and standard error by their digest [AR-19, AR-23,
// AR-24].
//
// A run is recorded twice in the same place: [Journal.Begin] writes the intent
// before anything starts, [Run.Finish] replaces it with the result. A run that
// was killed keeps its intent, with status "started"; so no run goes without a
// trace, whether it succeeded, failed or was refused [C-9].
//
// What it promises:
//
//   - files are mode 0600; inputs are kept as they were given, because a run
//     can only be replayed from them [C-12]; values of environment variables
//     are never kept, only their names [C-7], and values that the caller names
//     as secrets are struck from everything;
//   - each finished record holds the digest of the one before it, so that a
//     record which was changed or removed later leaves a gap that
//     [Journal.Check] names. The chain carries no secret: it shows damage and
//     careless tampering, not the work of somebody who rewrites all of it;
//   - any number of processes may record at once;
//   - a broken record never hides the others.
//
// It never deletes a record, never prints, and does not judge what it records.
package audit
