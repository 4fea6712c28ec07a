package quarantine

// The rules about what harmful code looks like. They say what the code does
// and accuse nobody: each of these shapes also has honest uses, which a
// maintainer can tell and a program cannot.
var (
	madeCode = &Rule{
		ID: "PY-003", Severity: bad, Waiver: WaiverMaintainer,
		What:   "code is made while the tool runs, out of what was downloaded, decoded, put together or kept in a text",
		Why:    "nobody can review code that is not in the file",
		Fix:    "write the code as plain Python in the file, and keep data as data",
		Source: "PY-003",
	}
	shellText = &Rule{
		ID: "PY-004", Severity: bad, Waiver: WaiverMaintainer,
		What:   "a process is started that fetches and runs code, opens a remote shell, hides what it does or destroys files",
		Why:    "what such a command does is decided elsewhere, and cannot be taken back",
		Fix:    "call the one program that is needed with constant arguments, or do the work in Python",
		Source: "PY-004",
	}
	privateOut = &Rule{
		ID: "PY-005", Severity: bad, Waiver: WaiverMaintainer,
		What:   "what belongs to the user or the machine is read and can leave it",
		Why:    "keys, profiles, the environment and the name of the host are no input of a tool",
		Fix:    "take what is needed as an input, or read the one variable or file that is declared",
		Source: "PY-005",
	}
	endpoint = &Rule{
		ID: "PY-006", Severity: bad, Waiver: WaiverMaintainer,
		What:   "the code names a place where data is dropped or fetched without a trace",
		Why:    "webhooks, paste sites, tunnels and request bins belong to whoever opened them a minute ago",
		Fix:    "name the service that the tool is for by its own host, and take webhooks as an input",
		Source: "PY-006",
	}
	persistence = &Rule{
		ID: "PY-007", Severity: bad, Waiver: WaiverMaintainer,
		What:   "something is written where systems and interpreters start it by themselves",
		Why:    "the tool would go on running after its call, outside of the sandbox",
		Fix:    "do the work within the call, and leave start files alone",
		Source: "PY-007",
	}
	gadget = &Rule{
		ID: "PY-009", Severity: bad, Waiver: WaiverDeclare,
		What:   "the code reaches into the interpreter, or past it into native code",
		Why:    "what it does then is not what the file says, and other checks do not see it",
		Fix:    "use the ordinary interface, or declare x-needs: [dynamic] (frames, hooks, patches) or [native] (ctypes, cffi)",
		Source: "PY-009",
	}
	runtimeInstall = &Rule{
		ID: "PY-010", Severity: bad, Waiver: WaiverMaintainer,
		What:   "packages are installed while the tool runs",
		Why:    "what is installed then was neither locked nor checked",
		Fix:    "declare the packages in runtime.packages, pinned",
		Source: "PY-010",
	}
	carelessness = &Rule{
		ID: "PY-011", Severity: warn, Waiver: WaiverAuthor,
		What:   "a protection is turned off, or data is read in a way that runs code",
		Why:    "whoever answers in place of the real host, or writes the data, decides what happens",
		Fix:    "verify certificates, read data as JSON, and create files by tempfile.mkstemp",
		Source: "PY-011",
	}
	importReach = &Rule{
		ID: "PY-012", Severity: bad, Waiver: WaiverMaintainer,
		What:   "importing the file starts a process, uses the network, runs made code or writes files",
		Why:    "listing, checking and documenting a tool import it, before anybody agreed to run it",
		Fix:    "do this in main() or in a function that only main() calls",
		Source: "PY-002",
	}
	tampering = &Rule{
		ID: "PY-014", Severity: bad, Waiver: WaiverMaintainer,
		What:   "something that protects or records is switched off, tapped or got around",
		Why:    "no declaration covers it: it changes what others see, and what the rest of the process does",
		Fix:    "leave hooks, certificates, other modules' functions, firewalls and logs alone; subclass or wrap what must behave otherwise",
		Source: "PY-009",
	}
	setupHook = &Rule{
		ID: "PY-013", Severity: bad, Waiver: WaiverMaintainer,
		What:   "the file installs itself as a package",
		Why:    "a tool is run as it is; code that runs while something is installed runs outside of the sandbox",
		Fix:    "remove the call of setup()",
		Source: "PY-003, PM-1",
	}
)

var threatRules = []*Rule{madeCode, shellText, privateOut, endpoint, persistence, gadget, runtimeInstall, carelessness, importReach, setupHook, tampering}
