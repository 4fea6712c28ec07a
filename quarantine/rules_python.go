package quarantine

// The rules about what Python and callers make of the main file.
var (
	cannotTell = &Rule{
		ID: "PY-000", Severity: bad, Waiver: WaiverNone,
		What:   "nobody could tell what the Python code does",
		Why:    "without the interpreter's own reading the other rules for Python did not run",
		Fix:    "check on a machine that has the Python version of the manifest and a working sandbox (patch-git doctor tells)",
		Source: "PY-001",
	}
	doesNotParse = &Rule{
		ID: "PY-001", Severity: bad, Waiver: WaiverNone,
		What:   "the file is not Python source that every reader reads alike",
		Why:    "what a reviewer sees and what the interpreter runs must be one text",
		Fix:    "save the file as UTF-8 Python without the marked characters",
		Source: "PY-001, PM-3, PM-49",
	}
	importWork = &Rule{
		ID: "PY-002", Severity: bad, Waiver: WaiverAuthor,
		What:   "work is done when the file is imported",
		Why:    "listing, checking and documenting a tool import it, before anybody agreed to run it",
		Fix:    "move the work into main() or into a function that main() calls",
		Source: "PY-002, PM-53, PM-54",
	}
	oddIdentifier = &Rule{
		ID: "PY-008", Severity: bad, Waiver: WaiverMaintainer,
		What:   "an identifier is not written in ASCII",
		Why:    "Python takes such letters for their plain forms, reviewers and searches do not",
		Fix:    "write the identifier in ASCII",
		Source: "PY-008",
	}
	noMain = &Rule{
		ID: "MAIN-001", Severity: bad, Waiver: WaiverNone,
		What:   "the file does not define exactly one plain function main",
		Why:    "the inputs of the manifest become the arguments of main",
		Fix:    "define one function main(...) at the top level of the file, with def and not async def",
		Source: "PM-50",
	}
	parameters = &Rule{
		ID: "MAIN-002", Severity: bad, Waiver: WaiverNone,
		What:   "the parameters of main are not the inputs of the manifest",
		Why:    "main is called with exactly the inputs as keywords, so every call would fail or do less than is declared",
		Fix:    "give main one parameter for each input, of the same name",
		Source: "PM-21, PM-50",
	}
	noDefault = &Rule{
		ID: "MAIN-003", Severity: warn, Waiver: WaiverAuthor,
		What:   "an optional input has no default in main",
		Why:    "a call that leaves the input out fails",
		Fix:    "give the parameter a default, or make the input required",
		Source: "PM-25",
	}
	otherDefault = &Rule{
		ID: "MAIN-004", Severity: warn, Waiver: WaiverAuthor,
		What:   "a default in main differs from the manifest",
		Why:    "callers are told one value and get another",
		Fix:    "write the same default in both places",
		Source: "PM-26",
	}
	otherType = &Rule{
		ID: "MAIN-005", Severity: warn, Waiver: WaiverAuthor,
		What:   "an annotation of main differs from the manifest",
		Why:    "callers are told one type and the code expects another",
		Fix:    "write the same type in both places",
		Source: "PM-22",
	}
	noGuard = &Rule{
		ID: "MAIN-006", Severity: bad, Waiver: WaiverNone,
		What:   "the file has no __main__ guard",
		Why:    "the file is run as a script, and without the guard it reads no arguments and prints no result",
		Fix:    `end the file with: if __name__ == "__main__": print(json.dumps(main(**json.loads(sys.stdin.read()))))`,
		Source: "PM-51, PM-52, AR-43",
	}
)

var pythonRules = []*Rule{cannotTell, doesNotParse, importWork, oddIdentifier, noMain, parameters, noDefault, otherDefault, otherType, noGuard}
