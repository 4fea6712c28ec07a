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
	undeclaredNetwork = &Rule{
		ID: "CAP-001", Severity: warn, Waiver: WaiverDeclare,
		What:   "a network module is imported while the manifest says network: false",
		Why:    "the sandbox gives such a tool no network, so it fails or does less than it says",
		Fix:    "declare network: true, or remove the import",
		Source: "CAP-001, PM-32",
	}
)

var reachRules = []*Rule{notProvided, besideFile, undeclaredNetwork}
