package inspect

import (
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

// Report is what an audit found.
type Report struct {
	Registry spec.RegistryName `json:"registry"`
	Head     *verify.Seen      `json:"head,omitempty"` // nil: it was refused, and nothing else was looked at
	Quick    bool              `json:"quick"`          // the files of the releases were not read
	Counts   Counts            `json:"counts"`

	Problems []Problem `json:"problems"` // damage, sorted by path
	Unread   []Problem `json:"unread"`   // what could not be read, sorted by path
	// How many there are in all; the lists above have the first ones.
	ProblemCount int `json:"problem_count"`
	UnreadCount  int `json:"unread_count"`
	// Stopped says that the audit ended early because too much could not be read.
	Stopped bool `json:"stopped,omitempty"`
}

// Counts is what was read and compared, sound or not.
type Counts struct {
	Entries  int64 `json:"entries"`
	Tiles    int64 `json:"tiles"` // entry tiles and hash tiles
	Buckets  int64 `json:"buckets"`
	Records  int64 `json:"records"`
	Releases int64 `json:"releases"`
	Files    int64 `json:"files"`
	Bytes    int64 `json:"bytes"`
	Revoked  int64 `json:"revoked"`
	Yanked   int64 `json:"yanked"`
}

// Err is the answer as an error: nil where the whole tree was read and is
// sound, NotVerified where there is damage, Unavailable where there is none
// in what could be read.
func (r *Report) Err() error {
	switch {
	case r.ProblemCount > 0:
		return fault.New(fault.NotVerified, "damaged", "the published tree of %s is damaged: %s", r.Registry, count(r.ProblemCount, "problem"))
	case r.UnreadCount > 0:
		return fault.New(fault.Unavailable, "unread", "the published tree of %s could not be read whole: %s",
			r.Registry, count(r.UnreadCount, "file")).Hint("try again, or audit a mirror by its address")
	}
	return nil
}
