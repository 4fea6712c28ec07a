package review

import (
	"slices"
	"strings"
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
	// HeadSince is since when the registry has known this head: not the time
	// of the commit, which its author writes. Zero is only just now. What waits
	// waits from then on, so that nobody lets an innocent head ripen and pushes
	// another one.
	HeadSince time.Time
	Labels    []string
	// Linear says that each commit has one parent, so that there is one merge
	// base and Changes are what a merge does. Where nobody looked it is false.
	Linear bool
	// Tree is the commit of the base that the submission is judged against: the
	// one that is checked out. "" is unknown, and then nothing is merged without
	// a person.
	Tree      string
	Approvals []Approval // of this head alone
	// Objections are by who asks for changes, at whatever head.
	Objections []Approval
	// Merged is how many pull requests of this author were merged in the last
	// 24 hours; nil is that nobody counted, and then none is merged without a
	// person.
	Merged  *int
	Changes []Change
}

// HoldLabel on a pull request keeps it from being merged without a person.
const HoldLabel = "hold"

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
	UpdatesPerDay int           // merged without a person, of one author
	JudgeRequired bool
}

// Meta is tool.yaml.
type Meta struct {
	Owners     []ledger.Owner
	Yanked     map[spec.Version]string
	Revoked    map[spec.Version]string
	Deprecated string
	ReplacedBy spec.Name
	Comments   []string // lines that may have a comment
}

// Base is what the registry has under the name of a submission.
type Base struct {
	Known bool // the tree has something under the name: it is not new
	Gone  bool // it was published, and the tree has nothing of it any more
	// Frozen is that something which was published of it is gone or changed, so
	// that nothing new of it is published until somebody restores that.
	Frozen    bool
	Published []ledger.Owner // its owners where it is published; nil where it is not
	Meta      Meta
	Versions  []spec.Version // of the tree, and those that were ever published
	// Previous is the version that most users have, and Was and Files are what
	// it says and what it consists of; nil where there is none to read.
	Previous spec.Version
	Was      *spec.Tool
	Files    []spec.File
	// Highest is what the highest version says, withdrawn or not, where that is
	// another one: it may ask for less.
	Highest *spec.Tool
	Near    []Near
}

// Content is what others read out of the files of a submission.
type Content struct {
	Tool *spec.Tool // nil where the manifest is not readable
	// Findings are about the files of the version, by their paths in it.
	Findings []spec.Finding
	// Unchecked is what nobody could tell, one sentence each, for which a person
	// has to look; Remarks are shown beside it and weigh nothing.
	Unchecked, Remarks []string
	Meta               *Meta // the proposed tool.yaml; nil where MetaErr says why it is not readable
	MetaErr            error
	Replaces           bool               // the registry has the name that the proposed tool.yaml calls the replacement
	ConfigErr          error              // what is wrong with the proposed registry.yaml
	Waivers            map[string]Waivers // proposed, by their paths
}

// Waivers are what one file wants to let pass.
type Waivers struct {
	Err       error          // why that is not to be
	Approvers []ledger.Owner // who gives those that the base does not have
}

// owns tells whether somebody is among the owners, by number.
func owns(owners []ledger.Owner, who ledger.Owner) bool {
	return who.ID > 0 && slices.ContainsFunc(owners, func(o ledger.Owner) bool { return o.ID == who.ID })
}

// behind are those who stand behind this head: its author and who approved it.
func (s *Submission) behind() []ledger.Owner {
	out := []ledger.Owner{s.Author}
	for _, a := range s.Approvals {
		out = append(out, a.By)
	}
	return out
}

// maintained tells whether a maintainer stands behind this head.
func (s *Submission) maintained(p *Policy) bool {
	if s.byMaintainer(p) {
		return true
	}
	return slices.ContainsFunc(s.Approvals, func(a Approval) bool {
		return a.By.ID > 0 && (a.Maintainer || owns(p.Maintainers, a.By))
	})
}

// byMaintainer tells whether the author is a maintainer.
func (s *Submission) byMaintainer(p *Policy) bool {
	return s.Author.ID > 0 && (s.Maintainer || owns(p.Maintainers, s.Author))
}

// maintainedBy tells whether this very maintainer stands behind this head.
func (s *Submission) maintainedBy(p *Policy, who ledger.Owner) bool {
	is := func(o ledger.Owner) bool { return o.ID > 0 && o.ID == who.ID && strings.EqualFold(o.Login, who.Login) }
	return is(s.Author) && s.byMaintainer(p) || slices.ContainsFunc(s.Approvals, func(a Approval) bool {
		return is(a.By) && (a.Maintainer || owns(p.Maintainers, a.By))
	})
}

// agreedBy tells whether one of the owners stands behind this head.
func (s *Submission) agreedBy(owners []ledger.Owner) bool {
	return slices.ContainsFunc(s.behind(), func(who ledger.Owner) bool { return owns(owners, who) })
}
