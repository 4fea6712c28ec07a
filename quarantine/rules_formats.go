package quarantine

// The rules about skills: what their instructions point at, and what they tell
// their reader to install.
var (
	missingReference = &Rule{
		ID: "SKL-001", Severity: bad, Waiver: WaiverNone,
		What:   "a skill points at a file that is not in it, or holds a program that nobody read",
		Why:    "who follows the skill would read or run what is not part of the release, and so was checked by nobody",
		Fix:    "put the file into the folder of the skill, below scripts/, references/ or assets/",
		Source: "SKL-001, SK-29, C-40",
	}
	orderedInstall = &Rule{
		ID: "SKL-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a skill has its reader install or run what comes from elsewhere",
		Why:    "what is fetched that way is decided at the moment it is fetched, and was checked by nobody",
		Fix:    "carry the program in the skill, or name a pinned package of a known name",
		Source: "SKL-002",
	}
	wideTools = &Rule{
		ID: "SKL-003", Severity: warn, Waiver: WaiverAuthor,
		What:   "a skill asks for tools of its host that nothing in it needs",
		Why:    "hosts let a skill use without asking what stands in allowed-tools",
		Fix:    "name the commands that are needed, such as Bash(git status:*), and leave out the rest",
		Source: "SKL-003",
	}
	unreadScript = &Rule{
		ID: "SKL-004", Severity: warn, Waiver: WaiverMaintainer,
		What:   "a skill carries a program in a language that the rules cannot analyse",
		Why:    "only its text was looked at, so a person has to read what it does",
		Fix:    "write the program in Python, or ask a maintainer to read it",
		Source: "SKL-001",
	}
	undeclaredScript = &Rule{
		ID: "SKL-005", Severity: warn, Waiver: WaiverMaintainer,
		What:   "a script of a skill does more than the skill says",
		Why:    "hosts run a skill's scripts with the rights of its user, and people go by what it declares",
		Fix:    "declare it, as execution.network or outputs.files, or remove what names it",
		Source: "CAP-001, SK-35, C-39",
	}
)

// The rules about how an install manifest acquires, proves and removes a tool.
var (
	looseArtifact = &Rule{
		ID: "INS-001", Severity: bad, Waiver: WaiverMaintainer,
		What:   "an install manifest does not pin what it installs, or takes it from a place that is not known",
		Why:    "what is installed could be another thing tomorrow, or another thing for somebody else",
		Fix:    "pin an exact version, a full commit, a sha256 or an image digest, at a host where projects are published",
		Source: "INS-001, TI-P6, TI-P7, TI-P8",
	}
	longCommand = &Rule{
		ID: "INS-002", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a command of an install manifest does more than it is there for",
		Why:    "it runs on the machine of everybody who installs the tool, before anybody used it",
		Fix:    "call one program with constant arguments that only looks (smoke) or only takes back (kill_switch)",
		Source: "INS-001, TI-P33, TI-P37",
	}
	looseEndpoint = &Rule{
		ID: "INS-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "an install manifest sends requests to a place that is not encrypted, has no name, or is inside of the user's network",
		Why:    "arguments and secrets go there, and nobody can tell who answers",
		Fix:    "give the https address of a named host",
		Source: "TI-P10, TI-P34, MAN-004",
	}
	shellEntry = &Rule{
		ID: "INS-004", Severity: bad, Waiver: WaiverMaintainer,
		What:   "an install manifest starts its tool through a shell or an interpreter with code in its arguments",
		Why:    "argument vectors go past no shell, so that what a caller sends is never a command; a shell undoes that",
		Fix:    "name the program that was installed, and give it arguments",
		Source: "TI-P9",
	}
	secretPlace = &Rule{
		ID: "INS-005", Severity: bad, Waiver: WaiverMaintainer,
		What:   "an install manifest asks for a secret that is not its own, or does not treat it as one",
		Why:    "a person types what is asked for, and a host keeps it no better than the manifest says",
		Fix:    "set secret: true, and ask for the keys of the service that the tool is about alone",
		Source: "TI-P12, TI-P15",
	}
)

var (
	skillRules      = []*Rule{missingReference, orderedInstall, wideTools, unreadScript, undeclaredScript}
	deploymentRules = []*Rule{looseArtifact, longCommand, looseEndpoint, shellEntry, secretPlace}
)
