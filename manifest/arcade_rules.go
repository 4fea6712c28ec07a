package manifest

// The rules of Arcade definitions, numbered from here on.
const (
	arcadeMany = 3*tableSize + iota
	arcadeForms
	arcadeEdition
	arcadeNewer
	arcadeForeign
	arcadeUnknown
	arcadeMissing
	arcadeDefault
	arcadeType
	arcadeWord
	arcadeInner
	arcadeEnum
	arcadeEmpty
	arcadeNoName
	arcadeShortened
	arcadeQualified
	arcadeVersion
	arcadeParameterName
	arcadeParameterTwice
	arcadeParameters
	arcadeUndescribed
	arcadeAccounts
)

// importFix is what helps where a definition is not of the specified edition.
const importFix = "patch-git arcade import writes it in the specified edition"

// arcadeRules are MAN-90x what the file is, 91x its edition and members, 92x its
// values, 93x names and what a reader needs to know.
var arcadeRules = [...]Rule{
	arcadeMany % tableSize: {"MAN-901", "the file holds several definitions or none", "patch-git arcade import writes one file for each", bad, bad, "AT-1"},

	arcadeForms % tableSize:   {"MAN-902", "the definition does not fit the schema of the specified edition", "mend it where it says", bad, bad, "AT-1"},
	arcadeEdition % tableSize: {"MAN-911", "the definition is of another edition than the specified one", importFix, bad, note, "C-33"},
	arcadeNewer % tableSize:   {"MAN-912", "the definition says that it is of an edition that nothing here knows", "write it in the specified edition, worker-http 1.0", bad, bad, "C-33"},
	arcadeForeign % tableSize: {"MAN-913", "a member belongs to another edition", importFix, bad, note, "C-33"},
	arcadeUnknown % tableSize: {"MAN-914", "a member is of no edition", "remove it", bad, warn, "AT-1"},
	arcadeMissing % tableSize: {"MAN-915", "a required member is missing", "add it", bad, bad, "AT-1"},
	arcadeDefault % tableSize: {"MAN-916", "a required member is missing that other editions leave out", "add it", bad, warn, "AT-1"},

	arcadeType % tableSize:  {"MAN-921", "a value has the wrong type", "write a value of the type that is asked for", bad, bad, "AT-3"},
	arcadeWord % tableSize:  {"MAN-922", "a value is not one of its words", "write one of the words that are asked for", bad, bad, "AT-18"},
	arcadeInner % tableSize: {"MAN-923", "the type of an array's elements is missing", "add inner_val_type; null is anything", bad, warn, "AT-16"},
	arcadeEnum % tableSize:  {"MAN-924", "a word of enum is no value of the type", "write a number as a number is written, and true or false for a boolean", warn, warn, "C-35"},
	arcadeEmpty % tableSize: {"MAN-925", "a text that names something is empty", "write it, or remove what it names", bad, warn, "AT-3"},

	arcadeNoName % tableSize:         {"MAN-931", "toolkit and name give no name that a registry can have", "rename the tool or its toolkit: words of letters and digits, the first a letter", bad, warn, "C-4"},
	arcadeShortened % tableSize:      {"MAN-932", "the name in the registry ends with a digest, because the whole is too long or has other characters", "nothing, or a shorter name", note, note, "C-4"},
	arcadeQualified % tableSize:      {"MAN-933", "the fully qualified name is not that of the toolkit and the tool", "write it as Toolkit.Tool", bad, warn, "C-33"},
	arcadeVersion % tableSize:        {"MAN-934", "the version of the toolkit is no version that a registry can have", "write three numbers, as in 1.0.0; patch-git arcade import --version gives one", bad, warn, "C-22"},
	arcadeParameterName % tableSize:  {"MAN-935", "the name of a parameter is no word of ASCII letters, digits, underscores and hyphens", "rename it: nobody can type it otherwise", bad, warn, "AT-13"},
	arcadeParameterTwice % tableSize: {"MAN-936", "two parameters have one name", "rename one of them", bad, bad, "AT-13"},
	arcadeParameters % tableSize:     {"MAN-937", "there are too many parameters", "combine some", bad, bad, "AT-11"},
	arcadeUndescribed % tableSize:    {"MAN-938", "nothing says what the tool does and when to use it", "add a description", warn, warn, "AT-P5"},
	arcadeAccounts % tableSize:       {"MAN-939", "the tool asks for more than one account, and the specified edition can say one", "split the tool", bad, warn, "C-33"},
}
