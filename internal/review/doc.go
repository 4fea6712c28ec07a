// Package review decides what a pull request to a registry may do: which paths
// it may touch, who may say so, and whether it is merged without a person. It
// is pure: a submission, the state of the base and a policy go in, findings and
// a decision come out. Whether the tool itself is fit is for package quarantine;
// its findings are handed in.
//
// [Read] sorts the changed files into an [Outline], by their paths alone. Who
// calls it reads what the base has under that name and what the rules of
// quarantine find, and [Outline.Judge] makes the [Review] of all of it. What
// later jobs say is added by [Review.With], which can only make it worse.
//
// People are compared by their numbers: a login can be given up and taken by
// somebody else. Nobody's number is 0. An approval counts only for the very
// head that it was given to.
//
// The zero value of everything here refuses.
package review
