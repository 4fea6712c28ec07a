package quarantine

// The rules about what the main file reaches outside of itself.
var (
	notProvided = &Rule{
		ID: "DEP-004", Severity: warn, Waiver: WaiverAuthor,
		What:   "a module is imported that neither Python nor a declared package provides",
		Why:    "the tool fails where that module is not installed by chance",
		Fix:    "add the package that provides it to runtime.packages, pinned",
		Source: "PM-41",
	}
	besideFile = &Rule{
		ID: "DEP-005", Severity: bad, Waiver: WaiverNone,
		What:   "a module is imported from beside the file",
		Why:    "a tool is a single file, so the module is not there",
		Fix:    "put the code into the file",
		Source: "PM-1",
	}
	undeclared = &Rule{
		ID: "CAP-001", Severity: bad, Waiver: WaiverDeclare,
		What:   "the code names something that the manifest does not declare",
		Why:    "people agree to what is declared, and the sandbox gives no more than that",
		Fix:    "declare it, or remove what names it",
		Source: "CAP-001, PM-32",
	}
	unused = &Rule{
		ID: "CAP-002", Severity: warn, Waiver: WaiverAuthor,
		What:   "the manifest declares something that nothing in the code names",
		Why:    "people are asked to agree to more than the tool does",
		Fix:    "remove the declaration",
		Source: "CAP-002",
	}
	unclassified = &Rule{
		ID: "CAP-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a module is used of which nobody wrote down what it can do",
		Why:    "what it reaches cannot be held against what the manifest declares",
		Fix:    "use a module of Python or a package of the catalogue, or ask the maintainers to add this one",
		Source: "CAP-003",
	}
	toxic = &Rule{
		ID: "CAP-005", Severity: warn, Waiver: WaiverAuthor,
		What:   "the code joins abilities that are dangerous together",
		Why:    "whoever steers it through its arguments or through what it fetches gets both",
		Fix:    "split the tool where you can; otherwise say in its description what it does with both",
		Source: "CAP-005",
	}
)

var reachRules = []*Rule{notProvided, besideFile, undeclared, unused, unclassified, toxic}
