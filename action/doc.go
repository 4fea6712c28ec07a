// Package action is patch-git's face on GitHub: the verbs that action.yml calls.
// Each takes the event that a workflow was started for, makes the calls that it
// asks for, and tells the outcome as check run, annotations, one comment, labels,
// job summary and outputs. It decides nothing: what a pull request may do is
// decided by package review and package contribute, and what follows from that
// by [review.Review.Conclude].
//
// Everything about a pull request was written by a stranger. Into Markdown it
// goes through span and block alone, into a log through logLine, into an output
// not at all: outputs are words of this program. Nothing of a pull request is
// checked out, and only trial runs it, in the sandbox, in a job that has no
// secret and whose word counts against the tool only.
//
// The runner's environment is read through the Host value and nowhere else.
package action
