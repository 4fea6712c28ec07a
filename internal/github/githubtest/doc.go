// Package githubtest is a double of GitHub's REST interface for tests: accounts,
// tokens with permissions, forks, pull requests, comments, checks, labels,
// reviews, issues, runs of workflows and the device flow. It is for tests alone.
//
// Repositories are bare git repositories on disk, worked on by the git program.
// What is committed through the interface is really there, and what somebody
// pushes with git is seen by the interface at the next request.
//
// Every request is held against what GitHub documents: method, path, parameters,
// headers, names and types and lengths of the fields of the body. One that
// GitHub would refuse as malformed fails the test ([Options.T]); one that it
// would refuse because of the state of things or of a missing permission is
// answered as GitHub does. The table of routes names the page of the
// documentation of each; answers have the shape that is described there, which
// the test of this package holds them against.
//
// [Server.Fail] makes the interface misbehave on demand: 5xx, rate limits, cut
// connections, lost answers, lists that are cut, or anything in the middle of
// something else.
package githubtest
