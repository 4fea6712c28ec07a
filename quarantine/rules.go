package quarantine

import (
	"slices"

	"github.com/patch-cat/patch-git/spec"
)

// Rule is one thing that a release can get wrong. Documentation is made from
// [Rules] and waivers name the ID, so an ID is never given a new meaning.
type Rule struct {
	ID       string
	Severity spec.Severity // the highest it takes; a finding may be milder
	What     string        // what is seen, one clause
	Why      string        // why it matters; every finding repeats it
	Fix      string        // what the author does; a finding may be more exact
	Source   string        // row of the requirements or of the catalogue
}

// Rules returns every rule of the package in the order of their IDs.
func Rules() []Rule {
	all := slices.Clone(rules[:])
	slices.SortFunc(all, func(a, b Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}

// rule is an index into the table below.
type rule int

const (
	incomplete rule = iota
	flood
	shape
	takenName
	changed
	scriptBlock
	hiddenText
	misreadText
	cannotTell
	doesNotParse
	importWork
	oddIdentifier
	noMain
	parameters
	noDefault
	otherDefault
	otherType
	noGuard
	notProvided
	besideFile
	undeclaredNetwork
)

const (
	bad  = spec.SeverityError
	warn = spec.SeverityWarning
)

// rules is the only place where ids, severities and reasons stand.
var rules = [...]Rule{
	incomplete: {"GOV-000", bad, "the check did not finish", "a release that was not judged whole cannot be accepted", "run the check again", "design §5"},
	flood:      {"GOV-999", bad, "a rule found more than is listed", "what is not listed may be an error, and then this is one", "mend what is listed and check again", ""},
	shape: {
		"GOV-003", bad, "the files of the release are not what the format carries", "a file that nobody reads or that systems see differently is a place to hide",
		"keep the main file, README.md, LICENSE, NOTES.md and nothing else", "GOV-003, design §3",
	},
	takenName: {
		"MAN-002", bad, "the name is that of somebody else's tool, or is read as it", "people and models pick tools by name, so a near-name is taken for the known tool",
		"choose a name of your own", "MAN-002, PM-8",
	},
	changed: {
		"MAN-003", bad, "the version is published already or not above what is published", "what is pinned must never change, and an older number would never be picked",
		"raise the version above every published one", "MAN-003, PM-10",
	},
	scriptBlock: {
		"MAN-005", bad, "the script block (PEP 723) and the manifest disagree", "other runners install what the block says, so reviewers and users would see different packages",
		"make the block say what runtime says, or remove it", "MAN-005",
	},
	hiddenText: {
		"TXT-001", bad, "text holds characters that a reader does not see", "models and programs read what people cannot review", "remove the characters, or write them as escapes where code needs them",
		"TXT-001, PM-12",
	},
	misreadText: {
		"TXT-002", bad, "text holds words that read as something else", "letters of other alphabets and styles imitate a word that filters and people look for", "write the word in the letters of one script",
		"TXT-002, PM-12",
	},
	cannotTell: {
		"PY-000", bad, "nobody could tell what the Python code does", "without the interpreter's own reading the other rules for Python did not run",
		"check on a machine that has the Python version of the manifest and a working sandbox (patch-git doctor tells)", "PY-001",
	},
	doesNotParse: {
		"PY-001", bad, "the file is not Python source that every reader reads alike", "what a reviewer sees and what the interpreter runs must be one text", "save the file as UTF-8 Python without the marked characters",
		"PY-001, PM-3, PM-49",
	},
	importWork: {
		"PY-002", bad, "work is done when the file is imported", "listing, checking and documenting a tool import it, before anybody agreed to run it", "move the work into main() or into a function that main() calls",
		"PY-002, PM-53, PM-54",
	},
	oddIdentifier: {"PY-008", bad, "an identifier is not written in ASCII", "Python takes such letters for their plain forms, reviewers and searches do not", "write the identifier in ASCII", "PY-008"},
	noMain: {
		"MAIN-001", bad, "the file does not define exactly one plain function main", "the inputs of the manifest become the arguments of main", "define one function main(...) at the top level of the file, with def and not async def",
		"PM-50",
	},
	parameters: {
		"MAIN-002", bad, "the parameters of main are not the inputs of the manifest", "main is called with exactly the inputs as keywords, so every call would fail or do less than is declared",
		"give main one parameter for each input, of the same name", "PM-21, PM-50",
	},
	noDefault:    {"MAIN-003", warn, "an optional input has no default in main", "a call that leaves the input out fails", "give the parameter a default, or make the input required", "PM-25"},
	otherDefault: {"MAIN-004", warn, "a default in main differs from the manifest", "callers are told one value and get another", "write the same default in both places", "PM-26"},
	otherType:    {"MAIN-005", warn, "an annotation of main differs from the manifest", "callers are told one type and the code expects another", "write the same type in both places", "PM-22"},
	noGuard: {
		"MAIN-006", bad, "the file has no __main__ guard", "the file is run as a script, and without the guard it reads no arguments and prints no result", `end the file with: if __name__ == "__main__": print(json.dumps(main(**json.loads(sys.stdin.read()))))`,
		"PM-51, PM-52, AR-43",
	},
	notProvided: {
		"DEP-004", warn, "a module is imported that neither Python nor a declared package provides", "the tool fails where that module is not installed by chance", "add the package that provides it to runtime.packages, pinned",
		"PM-41",
	},
	besideFile: {"DEP-005", bad, "a module is imported from beside the file", "a tool is a single file, so the module is not there", "put the code into the file", "PM-1"},
	undeclaredNetwork: {
		"CAP-001", warn, "a network module is imported while the manifest says network: false", "the sandbox gives such a tool no network, so it fails or does less than it says",
		"declare network: true, or remove the import", "CAP-001, PM-32",
	},
}
