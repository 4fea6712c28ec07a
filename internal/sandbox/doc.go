// Package sandbox runs a stranger's program under stated limits, or refuses.
//
// What it promises. A [Job] lists everything that the program may have:
// arguments, environment, host paths, small files, the network as a yes or a
// no, and [Limits]. Whatever is not listed is absent. The whole process tree
// ends with the call, with its time limit, with the cancellation of its
// context, and with the death of the calling process. The [Outcome] says which
// driver ran, and in NotEnforced what that driver could not do.
//
// What it never does. It never runs a job with less than it was asked to
// enforce without saying so, it never runs one unprotected (only [OpenUnsafe],
// a separate constructor, does), it never reads an inherited environment, and
// it never mixes its own set-up failures with the program's exit code or its
// standard error: those arrive as an error of kind Denied or Unavailable.
//
// Drivers, tried in this order:
//
//   - namespaces: new user, mount, pid, ipc, uts, cgroup and, but for the
//     host's own routes, net namespaces; a root of its own made of the listed
//     mounts; Landlock as second layer, seccomp, resource limits, no capabilities.
//   - landlock: for hosts that refuse user namespaces. Files are hidden by
//     Landlock, everything that it does not mediate by seccomp. What remains
//     open is in NotEnforced.
//   - bubblewrap: the system's bwrap makes namespaces and root.
//   - container: docker or podman makes them, with no image but an empty one.
//   - seatbelt: sandbox-exec of macOS, by a profile; compiled, and never run.
//
// In what bwrap or an engine built, this program is executed anew as a helper,
// by an init of this package, before main and without a call. It holds the root
// against what was asked for, and goes on as all do.
//
// In the first two, the process that becomes the tool is cloned from this one and shares
// its memory until then, so it runs nothing of Go's: it follows a [plan], a list
// of system calls that was put together before. Executing this program anew for
// that work takes longer than the work. The tool is process 1 of its pid
// namespace, so a signal that it sends to itself and does not handle is ignored
// by the kernel; faults, exits and exceptions are reported as usual.
//
// Package ahead starts the first of these processes before main. So whatever
// this package imports is waited for by every run, and with it all packages
// whose paths come first in the alphabet: path/filepath and os/exec are too late
// for it.
//
// Limits over a whole tree are the kernel's where this process may make control
// groups (cgroup v2), and watched from outside where it may not; the Outcome
// says so.
//
// Paths. A job is written with paths as the program will see them.
// [ScratchDir] is its private, empty, writable directory. Where a driver
// cannot move files to another path, it rewrites the paths instead, see
// [Job].
package sandbox
