package audit

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// RunID names one run: the UTC time of its start down to microseconds, and ten
// random characters, such as 20260314-150926-535897-k3vq7xw2ma. Its order as
// text is the order in time. Only lower-case letters, digits and dashes occur,
// so it is a safe file name everywhere. Only [ParseRunID] and Begin make one.
type RunID string

const (
	runTime   = "20060102-150405.000000" // the dot becomes a dash
	runRandom = 10                       // base32 characters, 50 bits
)

var runGrammar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9]{6}-[a-z2-7]{10}$`) })

// newRunID makes the id of a run that starts now.
func newRunID(now time.Time) RunID {
	return idAt(now) + RunID("-"+strings.ToLower(rand.Text()[:runRandom]))
}

// idAt begins the ids of runs that start at a time; it sorts before all of them.
func idAt(t time.Time) RunID {
	return RunID(strings.Replace(t.UTC().Format(runTime), ".", "-", 1))
}

// ParseRunID reads an id that a person or a file gave. What is not of the
// exact form, and so could leave the directory of runs, is refused.
func ParseRunID(s string) (RunID, error) {
	if !runGrammar().MatchString(s) {
		return "", fmt.Errorf("run id %s is not of the form 20260314-150926-535897-k3vq7xw2ma", spec.Quote(s))
	}
	return RunID(s), nil
}

// UnmarshalText implements encoding.TextUnmarshaler by way of [ParseRunID].
func (id *RunID) UnmarshalText(b []byte) error {
	p, err := ParseRunID(string(b))
	if err != nil {
		return err
	}
	*id = p
	return nil
}
