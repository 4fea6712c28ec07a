package quarantine

// The rules about the files, the name and the version of a release.
var (
	incomplete = &Rule{
		ID: "GOV-000", Severity: bad, Waiver: WaiverNone,
		What:   "the check did not finish",
		Why:    "a release that was not judged whole cannot be accepted",
		Fix:    "run the check again",
		Source: "design §5",
	}
	flood = &Rule{
		ID: "GOV-999", Severity: bad, Waiver: WaiverNone,
		What:   "a rule found more than is listed",
		Why:    "what is not listed may be an error, and then this is one",
		Fix:    "mend what is listed and check again",
		Source: "",
	}
	shape = &Rule{
		ID: "GOV-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "the files of the release are not what the format carries",
		Why:    "a file that nobody reads or that systems see differently is a place to hide",
		Fix:    "keep the main file, README.md, LICENSE, NOTES.md and nothing else",
		Source: "GOV-003, design §3",
	}
	takenName = &Rule{
		ID: "MAN-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "the name or an alias is that of somebody else's tool, or is read as it",
		Why:    "people and models pick tools by name, so a near-name is taken for the known tool",
		Fix:    "choose a name of your own",
		Source: "MAN-002, PM-8",
	}
	changed = &Rule{
		ID: "MAN-003", Severity: bad, Waiver: WaiverNone,
		What:   "the version is published already or not above what is published",
		Why:    "what is pinned must never change, and an older number would never be picked",
		Fix:    "raise the version above every published one",
		Source: "MAN-003, PM-10",
	}
	fewExamples = &Rule{
		ID: "MAN-006", Severity: warn, Waiver: WaiverAuthor,
		What:   "the tool names fewer than three requests that it serves",
		Why:    "people and models search in their own words, which a description seldom has",
		Fix:    "add x-examples: three requests of people who need this tool and do not know its name",
		Source: "PM-11",
	}
	idleExample = &Rule{
		ID: "MAN-007", Severity: warn, Waiver: WaiverAuthor,
		What:   "an example is no request of its own",
		Why:    "what repeats another text, or lists words, was written for a search and helps nobody to find the tool",
		Fix:    "write what a person would ask for, in a sentence, or remove it",
		Source: "PM-11",
	}
	scriptBlock = &Rule{
		ID: "MAN-005", Severity: bad, Waiver: WaiverNone,
		What:   "the script block (PEP 723) and the manifest disagree",
		Why:    "other runners install what the block says, so reviewers and users would see different packages",
		Fix:    "make the block say what runtime says, or remove it",
		Source: "MAN-005",
	}
)

var releaseRules = []*Rule{incomplete, flood, shape, takenName, changed, scriptBlock, fewExamples, idleExample}
