package consume

import "github.com/patch-cat/patch-git/spec"

// Rule is one thing that a client refuses by itself. It is told as an error with a
// kind and a reason, and not as a finding.
type Rule struct {
	ID       string
	Severity spec.Severity
	What     string // what is seen, one clause
	Why      string // why it matters
	Fix      string // what its user does
}

// Rules are those of an installation, in the order of their ids.
func Rules() []Rule {
	return []Rule{
		{
			"RUN-001", spec.SeverityError, "what a registry publishes is not signed as pinned, or older than what was seen of it",
			"whoever serves the files could be anybody, or keep back what was revoked", "ask who runs the registry; patch-git registry add pins another one",
		},
		{
			"RUN-002", spec.SeverityError, "a file of a release has another digest than the one that was signed",
			"what was reviewed is not what would run", "pull it again, and tell who runs the registry",
		},
		{
			"RUN-003", spec.SeverityError, "the rules of this program refuse a release that its registry accepted, or nobody here could check it",
			"a registry is no reason to run code", "leave it; patch-git pull --despite-findings takes the digest of who has read it",
		},
		{
			"RUN-004", spec.SeverityError, "a version asks for more than the installed one",
			"who agreed to that did not agree to this", "read what is new; patch-git pull --yes agrees to it",
		},
	}
}
