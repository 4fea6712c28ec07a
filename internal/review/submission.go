package review

import (
	"time"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Submission is a pull request as data, as a stranger wrote it.
type Submission struct {
	Number     int
	URL        string
	Base, Head string // commits
	Author     ledger.Owner
	Maintainer bool // GitHub lets the author write to the registry
	Draft      bool
	Opened     time.Time
	Labels     []string
	Approvals  []Approval // of this head alone
	Changes    []Change
}

// Approval is somebody's yes to the very head that is judged.
type Approval struct {
	By         ledger.Owner
	Maintainer bool
}

// Change is one changed file. Data is nil of a removed file, and of one that
// Refused says was not read.
type Change struct {
	Path     string
	Status   Status
	Previous string // path before a rename
	Mode     string // of git
	Data     []byte
	Refused  string // why it was not read: a link, a submodule, too large
}

// Status is what happened to a file.
type Status string

// What can happen to a file.
const (
	Added    Status = "added"
	Modified Status = "modified"
	Removed  Status = "removed"
	Renamed  Status = "renamed"
)

// Policy is what registry.yaml says about pull requests.
type Policy struct {
	Maintainers   []ledger.Owner // beside those who may write to the repository
	AutoMerge     bool
	NewNameWait   time.Duration // after which a new name is merged without a person; 0 is never
	UpdatesPerDay int           // merged without a person, of one owner
	JudgeRequired bool
}

// Base is what the registry has under the name of a submission.
type Base struct {
	Owners   []ledger.Owner // none: the name is new
	Versions []spec.Version
	Latest   *spec.Tool // of the highest version
	Today    int        // versions of this owner that were merged in the last 24 hours
}
