package quarantine

// The rules about what a tool does when it is tried. No [Check] finds them: the
// code has to run for that.
var (
	undeclaredDeed = &Rule{
		ID: "DYN-001", Severity: bad, Waiver: WaiverNone,
		What:   "the tool reached for something in the trial that its manifest does not declare",
		Why:    "people agree to what is declared, and the sandbox gives no more, so the tool fails or does what nobody agreed to",
		Fix:    "declare it in the manifest, or remove what does it",
		Source: "DYN-001",
	}
	failedTrial = &Rule{
		ID: "DYN-002", Severity: bad, Waiver: WaiverAuthor,
		What:   "the import or the smoke call did not come to its end",
		Why:    "a tool that cannot be imported and called without network and files cannot be tried, and users would meet the same failure",
		Fix:    "run the tool with the arguments of x-smoke, and mend what fails",
		Source: "DYN-002",
	}
	blindTrial = &Rule{
		ID: "DYN-003", Severity: bad, Waiver: WaiverNone,
		What:   "the sandbox or the recorder of the trial failed its self-test",
		Why:    "where a known-bad program is not stopped and seen, a tool must not be tried",
		Fix:    "mend the machine (patch-git doctor tells what it can enforce); the tool has no part in this",
		Source: "DYN-003",
	}
)

var trialRules = []*Rule{undeclaredDeed, failedTrial, blindTrial}
