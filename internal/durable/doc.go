// Package durable puts bytes on disk so that a reader, at any instant and
// after any crash, sees the old content or the new one and never a mixture.
//
// It promises:
//
//   - a write is a temporary file in the same directory, an fsync, a rename and
//     an fsync of the directory; what a kill -9 leaves behind is a temporary
//     file that nobody reads and that [Sweep] recognises;
//   - an immutable object refuses a second body;
//   - a read has a cap that holds while reading, and only regular files are
//     read, so that a pipe, a device or a growing file cannot hang or fill us;
//   - locks are advisory, between processes, waited for with a limit, and the
//     operating system drops them when their holder dies;
//   - a full disk, a read-only file system and a missing permission are three
//     different reasons of fault.Unavailable, each with a hint.
//
// It never follows a symbolic link at the last part of a path that it writes,
// never deletes what it did not create, and never reads clock or environment.
// Directories above the one named by the caller are the caller's to trust.
package durable
