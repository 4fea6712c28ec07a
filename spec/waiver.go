package spec

import (
	"fmt"
	"time"
)

// Waiver lets one finding pass: for these very bytes, and for a while. What
// becomes of it is for package quarantine; a registry keeps its waivers apart
// from what they are about, so that no tool brings its own.
type Waiver struct {
	Rule    string  `json:"rule"`
	Version Version `json:"version"` // of the release
	File    string  `json:"file"`    // path in the release
	Digest  Digest  `json:"digest"`  // of the whole file
	Line    int     `json:"line"`    // 0 is the whole file
	Seen    string  `json:"seen"`    // what the finding says was seen there

	Reason     string `json:"reason"`
	Approver   string `json:"approver"`    // login
	ApproverID int64  `json:"approver_id"` // number of the account, 0 where there is none
	Since      Day    `json:"since"`
	Until      Day    `json:"until"` // the last day
}

// Waived is what a finding says of the waiver that it fell under. The zero
// value is that there is none.
type Waived struct {
	Reason   string `json:"reason"`
	Approver string `json:"approver"`
	Until    Day    `json:"until"`
}

// Holds tells whether the waiver counts at a time.
func (w *Waiver) Holds(at time.Time) bool {
	since, errSince := w.Since.Time()
	until, errUntil := w.Until.Time()
	return errSince == nil && errUntil == nil && !at.Before(since) && at.Before(until.AddDate(0, 0, 1))
}

// Day is a day in UTC, written as 2026-11-22.
type Day string

// Time is when the day begins.
func (d Day) Time() (time.Time, error) {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}, fmt.Errorf("%s is no day such as 2026-11-22", Quote(string(d)))
	}
	return t, nil
}
