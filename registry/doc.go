// Package registry reads the published tree of a registry from wherever it
// lies and writes it where it is published.
//
// Reading promises:
//
//   - a [Source] is a folder, a git branch, static files on a web server or
//     memory, and all of them answer alike; [Open] chooses by the form of a
//     location;
//   - [Fetch], [FetchRecord] and [FetchHead] bring together the bytes from
//     which something can be verified, in as few round trips as there can be,
//     and repair on the way what caches and publications under way mix up;
//   - "there is no such file" and "nobody could tell" are different errors,
//     and every read has a bound that no server can talk us out of.
//
// Reading never claims trust: what comes out is a spec.Candidate or a
// spec.Chain, which package verify refuses or turns into something else. It
// runs no hook, filter or program of a repository, sends no cookie and no
// token, and shows no password of an address.
//
// Writing promises that [Seal] moves a [Store] from one whole state to the
// next: a crash between any two writes leaves the old or the new one, and the
// same call finishes the job.
package registry
