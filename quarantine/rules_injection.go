package quarantine

// The rules about text that gives orders to whoever reads it. Words can be put
// in ever new ways, so these bound little; what they find is worth a look.
var (
	overridingText = &Rule{
		ID: "INJ-001", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text sets the instructions of its reader aside or speaks in another's name",
		Why:    "a model may obey what it was only to read",
		Fix:    "describe what the tool does and say nothing to the model about its instructions",
		Source: "INJ-001",
	}
	concealingText = &Rule{
		ID: "INJ-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text asks for something to be kept from the user",
		Why:    "what a tool makes an agent do is for its user to know",
		Fix:    "remove it",
		Source: "INJ-002",
	}
	standingOrder = &Rule{
		ID: "INJ-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text orders work beside that of the tool, or asks for secrets and conversations",
		Why:    "an agent that follows it does what its user did not ask for",
		Fix:    "describe the tool's own work; what it needs is one of its inputs",
		Source: "INJ-003",
	}
	shadowingText = &Rule{
		ID: "INJ-004", Severity: warn, Waiver: WaiverMaintainer,
		What:   "text says how other tools are to be used, or claims to go before them",
		Why:    "one tool must not decide about another",
		Fix:    "describe this tool alone",
		Source: "INJ-004",
	}
	addressedText = &Rule{
		ID: "INJ-005", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text addresses a model or a reviewer, or claims to be approved",
		Why:    "whoever judges the tool must not be told the verdict by it",
		Fix:    "remove it; approvals stand in the registry",
		Source: "INJ-005",
	}
	installBait = &Rule{
		ID: "INJ-006", Severity: bad, Waiver: WaiverMaintainer,
		What:   "text asks for something to be downloaded and run",
		Why:    "what is installed that way has been checked by nobody",
		Fix:    "declare packages in runtime.packages, and let the tool need nothing else",
		Source: "INJ-006",
	}
)

var injectionRules = []*Rule{overridingText, concealingText, standingOrder, shadowingText, addressedText, installBait}
