package quarantine

// The rules of the judge. Nothing in this package finds them: a model does, where
// one is configured, and they stand here with the others for who reads them.
var (
	modelDescription = &Rule{
		ID: "LLM-001", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a model reads more in a description than a description",
		Why:    "agents are given it when they pick a tool, and take orders in it for those of their user",
		Fix:    "describe what the tool does, takes and returns, and nothing else",
		Source: "LLM-001",
	}
	modelProse = &Rule{
		ID: "LLM-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a model reads instructions in notes, comments or strings",
		Why:    "an agent that reads the files may take them for those of its user",
		Fix:    "write for people who use the tool, and leave out what tells an agent how to behave",
		Source: "LLM-002",
	}
	modelCode = &Rule{
		ID: "LLM-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a model finds that the code does something else than its description and its manifest say",
		Why:    "users decide by what the tool says that it does",
		Fix:    "say in the description what the line is for, or remove it",
		Source: "LLM-003",
	}
	modelSilent = &Rule{
		ID: "LLM-004", Severity: warn, Waiver: WaiverNone,
		What:   "the model gave no answer that counts",
		Why:    "what nobody could tell is no yes",
		Fix:    "a maintainer looks at it, or runs the workflow again when the model answers",
		Source: "LLM-004",
	}
)

var modelRules = []*Rule{modelDescription, modelProse, modelCode, modelSilent}
