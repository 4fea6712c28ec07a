package manifest

import (
	"slices"

	"github.com/patch-cat/patch-git/spec"
)

// Rule is one thing that a manifest can get wrong. Documentation is generated
// from [Rules], and waivers name the ID, so an ID is never given a new meaning.
type Rule struct {
	ID      string
	Means   string        // what was seen, one clause
	Fix     string        // what the author can do; a finding may carry a more exact one
	Strict  spec.Severity // in a registry
	Lenient spec.Severity // in a local file; never above Strict
	Source  string        // row of the requirements, where one asks for it
}

// Rules returns every rule of the package in the order of their IDs.
func Rules() []Rule {
	all := slices.Clone(rules[:])
	for _, more := range others {
		all = append(all, more...)
	}
	return all
}

// others are the tables of the formats beside Patch, each of which begins its own
// count of rules a thousand further on.
var others = [...][]Rule{installRules[:], skillRules[:], arcadeRules[:]}

const tableSize rule = 1000

// of returns what is known of a rule.
func (r rule) of() *Rule {
	if r < tableSize {
		return &rules[r]
	}
	return &others[r/tableSize-1][r%tableSize]
}

// rule is an index into the table below.
type rule int

const (
	unknownFile rule = iota
	notScanned
	tooLarge
	notUTF8
	byteOrderMark
	nulByte
	lineEndHead
	lineEndBody
	badCoding
	crlf
	controlChar
	noFrontmatter
	codeBefore
	markerInString
	markerInScript
	lookAlike
	markerSpace
	notClosed
	notComment
	noSpace
	secondBlock
	blockTooLarge
	tabIndent
	emptyBody
	bareReturn
	moreProblems
	badYAML
	tooDeep
	tooManyNodes
	anchor
	tag
	mergeKey
	directive
	manyDocuments
	badKey
	duplicateKey
	caseVariant
	ambiguous
	notMapping
	hugeNumber
	badJSON
	unknownKey
	missingKey
	missingDefault
	wrongType
	badName
	badVersion
	noDescription
	longDescription
	manyLines
	manySentences
	badGeneratedBy
	badGeneratedAt
	tooManyInputs
	badInputName
	reservedInput
	duplicateInput
	similarInput
	badType
	badDefault
	unusedDefault
	strayItems
	badItems
	badPattern
	undescribedInput
	badCapability
	badFilesystem
	badLanguage
	badPython
	numberPython
	notPinned
	badPackageName
	duplicatePackage
	tooManyPackages
	badScope
	badProvider
	manyProviders
	duplicateScope
	badNeed
	duplicateNeed
	badExample
	badTag
	badAlias
	badLicense
	oddLicense
	tooManyListed
	listedTwice
	nearlyOurs
)

const (
	bad  = spec.SeverityError
	warn = spec.SeverityWarning
	note = spec.SeverityNote
)

// rules is the only place where ids, meanings and severities stand.
// MAN-1xx file and frontmatter, 2xx YAML, 3xx top level, 4xx inputs and
// outputs, 5xx capabilities, runtime and accounts, 6xx what only a search reads.
var rules = [...]Rule{
	unknownFile:    {"MAN-101", "the file name belongs to no manifest format", "name the file tool.py, or give it the suffix .py", bad, bad, "PM-1"},
	notScanned:     {"MAN-102", "the file is so large that it was not read", "keep data out of the tool file", bad, bad, ""},
	tooLarge:       {"MAN-103", "the file is larger than a tool file may be", "keep data out of the tool file, or split the tool", bad, bad, ""},
	notUTF8:        {"MAN-104", "the file is not UTF-8", "save the file as UTF-8", bad, bad, "PM-3"},
	byteOrderMark:  {"MAN-105", "the file begins with a byte order mark", "save the file as UTF-8 without a byte order mark", bad, warn, "C-21"},
	nulByte:        {"MAN-106", "the file has a NUL byte, where Python stops and editors don't", "remove the NUL byte", bad, bad, "C-21"},
	lineEndHead:    {"MAN-107", "a character in or before the frontmatter ends a line for some readers and not for others", "end lines with a line feed alone, and write such a character as an escape", bad, bad, "C-21"},
	lineEndBody:    {"MAN-108", "a character in the code ends a line for some readers and not for others", "write such a character as an escape in a string, or remove it", bad, warn, "C-21"},
	badCoding:      {"MAN-109", "a coding cookie other than utf-8 makes Python read other text than a reviewer sees", "remove the coding cookie, or move that text below the second line", bad, bad, "C-21"},
	crlf:           {"MAN-110", "lines end with CR LF", "save the file with LF line ends", warn, warn, "C-44"},
	controlChar:    {"MAN-111", "the frontmatter has a control character", "remove the character, or write it as an escape in double quotes", bad, bad, "C-20"},
	noFrontmatter:  {"MAN-112", "the file has no frontmatter", `begin the file with a line "# ---", the manifest as comments, and another line "# ---"`, bad, bad, "PM-2"},
	codeBefore:     {"MAN-113", "code stands before the frontmatter", `move the frontmatter to the top; only comments and blank lines may precede it`, bad, bad, "C-21"},
	markerInString: {"MAN-114", "the frontmatter stands inside a string, where Python sees no comment", "move the frontmatter to the top of the file, outside of any string", bad, bad, "PM-2"},
	markerInScript: {"MAN-115", "the frontmatter and a script block (PEP 723) overlap", `close the script block with "# ///" before the frontmatter, or move it below`, bad, bad, "C-21"},
	lookAlike:      {"MAN-116", "a line looks like a frontmatter marker and is none", `write a marker as exactly "# ---", and anything else differently`, bad, warn, "PM-2"},
	markerSpace:    {"MAN-117", "spaces follow a frontmatter marker", `write the marker as exactly "# ---"`, bad, warn, "PM-2"},
	notClosed:      {"MAN-118", "the frontmatter is not closed", `put a line "# ---" after the last line of the manifest`, bad, bad, "PM-2"},
	notComment:     {"MAN-119", "a line between the markers is not a comment, so Python runs it", `begin every line of the frontmatter with "# ", an empty one with "#"`, bad, bad, "PM-4"},
	noSpace:        {"MAN-120", "a line of the frontmatter lacks the space after #", `put a space after the #`, bad, bad, "PM-4"},
	secondBlock:    {"MAN-121", "another frontmatter marker follows the frontmatter", "keep one block; write the line differently where it is only a separator or text", bad, warn, "PM-2"},
	blockTooLarge:  {"MAN-122", "the frontmatter is larger than a manifest may be", "shorten the manifest", bad, bad, ""},
	tabIndent:      {"MAN-123", "a tab stands in the indentation", "indent with spaces", bad, bad, "C-20"},
	emptyBody:      {"MAN-124", "no code follows the frontmatter", "define main() below the frontmatter", warn, warn, "PM-49"},
	bareReturn:     {"MAN-125", "a carriage return stands without a line feed; Python ends the line there, so that a comment can hold code", "end lines with a line feed alone", bad, bad, "C-21"},
	moreProblems:   {"MAN-199", "there are more problems than are listed; this is an error when one of them is", "mend those that are listed and check again", note, note, ""},

	badYAML:       {"MAN-201", "the frontmatter is not YAML", "put text that has \": \" or \" #\" in it, or begins with a special character, in quotes", bad, bad, "C-20"},
	tooDeep:       {"MAN-202", "the manifest is nested too deeply", "flatten the value", bad, bad, "C-20"},
	tooManyNodes:  {"MAN-203", "the manifest has too many values", "shorten the manifest", bad, bad, "C-20"},
	anchor:        {"MAN-204", "an anchor or alias is used", "write the value out, or quote text that begins with & or *", bad, bad, "C-20"},
	tag:           {"MAN-205", "a tag is used", "remove the tag, or quote text that begins with !", bad, bad, "C-20"},
	mergeKey:      {"MAN-206", "a merge key is used", "write the members out", bad, bad, "C-20"},
	directive:     {"MAN-207", "a YAML directive is used", "remove the line", bad, bad, "C-20"},
	manyDocuments: {"MAN-208", "the frontmatter holds more than one YAML document", "keep one document", bad, bad, "C-20"},
	badKey:        {"MAN-209", "a key is not a short string", "write a key of at most 128 characters, in quotes where it looks like a number or a word of YAML", bad, bad, "C-20"},
	duplicateKey:  {"MAN-210", "a key stands twice in one mapping", "keep one of them", bad, bad, "C-20"},
	caseVariant:   {"MAN-211", "two keys of one mapping differ only in case", "rename one of them", warn, warn, "C-20"},
	ambiguous:     {"MAN-212", "a value without quotes is text here but something else to other readers of YAML", "put it in quotes, or write true, false, null or a plain number", warn, warn, "C-20"},
	notMapping:    {"MAN-213", "the manifest is not a mapping", `write "key: value" lines`, bad, bad, "PM-2"},
	hugeNumber:    {"MAN-214", "a number has too many digits or too large an exponent", "write a smaller number, or a string", bad, bad, "C-31"},
	badJSON:       {"MAN-215", "the file is not JSON as RFC 8259 and I-JSON have it", "mend it at the place that is named", bad, bad, "C-31"},

	unknownKey:      {"MAN-301", "a key is not part of the format", `remove it; keys of your own begin with "x-" and stand at the top level`, bad, warn, "C-16"},
	missingKey:      {"MAN-302", "a required key is missing", "add it", bad, bad, "PM-6"},
	missingDefault:  {"MAN-303", "a required key is missing, for which local files have a default", "add it", bad, warn, "C-14"},
	wrongType:       {"MAN-304", "a value has the wrong type", "write a value of the type that is asked for", bad, bad, "PM-6"},
	badName:         {"MAN-305", "the name is not allowed", "use lower-case words joined by single underscores, 3 to 48 characters, a letter first", bad, bad, "C-4"},
	badVersion:      {"MAN-306", "the version is not allowed", `write three numbers, as in "1.0.0"`, bad, bad, "PM-9"},
	noDescription:   {"MAN-307", "a description is empty", "say in one sentence what it is", bad, bad, "PM-11"},
	longDescription: {"MAN-308", "a description is too long", "shorten it to one sentence", bad, bad, "PM-11"},
	manyLines:       {"MAN-309", "a text that must be one line has line breaks or control characters", `write it on one line, or with ">-"`, bad, bad, "PM-11"},
	manySentences:   {"MAN-310", "a description has more than one sentence", "shorten it to one sentence", warn, warn, "PM-11"},
	badGeneratedBy:  {"MAN-311", "generated_by is not a short text", "name the generator in at most 128 characters", bad, bad, "PM-19"},
	badGeneratedAt:  {"MAN-312", "generated_at is not an ISO 8601 time in UTC", "write it as 2026-05-04T12:34:56Z", bad, bad, "PM-20"},

	tooManyInputs:    {"MAN-401", "there are too many inputs", "combine inputs, or split the tool", bad, bad, ""},
	badInputName:     {"MAN-402", "an input's name is not a Python identifier of ASCII letters, digits and underscores", "name it as the parameter of main() is named", bad, bad, "PM-21"},
	reservedInput:    {"MAN-403", "an input's name cannot be a parameter of main()", "choose another name", bad, bad, "PM-21"},
	duplicateInput:   {"MAN-404", "two inputs have one name", "rename one of them", bad, bad, "PM-21"},
	similarInput:     {"MAN-405", "the names of two inputs differ only in case", "rename one of them", warn, warn, "PM-21"},
	badType:          {"MAN-406", "the type is not one of the format", "write string, number, integer, boolean, array or object", bad, bad, "PM-22"},
	badDefault:       {"MAN-407", "the default does not fit the input", "write a default of the input's type, or null for an optional input", bad, bad, "PM-26"},
	unusedDefault:    {"MAN-408", "a required input has a default, which is never used", "add required: false, or remove the default", warn, warn, "PM-24"},
	strayItems:       {"MAN-409", "items stand on something that is no array", "remove items, or write type: array", bad, warn, "PM-30"},
	badItems:         {"MAN-410", "items are not a JSON Schema of the allowed keywords", "write an object such as {type: string}", bad, bad, "PM-30"},
	badPattern:       {"MAN-411", "a pattern is not a regular expression of ECMAScript", "mend the pattern", bad, bad, "PM-30"},
	undescribedInput: {"MAN-412", "an input has no description", "say in one sentence what it is", warn, warn, "PM-23"},

	badCapability:    {"MAN-501", "a capability is neither true nor false", "write true or false, without quotes", bad, bad, "PM-31"},
	badFilesystem:    {"MAN-502", "filesystem is not one of its three words", "write none, read-only or read-write", bad, bad, "PM-33"},
	badLanguage:      {"MAN-503", "the language is not python", "write language: python", bad, bad, "PM-39"},
	badPython:        {"MAN-504", "python_version is not a minor version of Python 3 from 3.6 on", `write it as "3.12"`, bad, bad, "PM-40"},
	numberPython:     {"MAN-505", "python_version is a number, in which 3.10 and 3.1 are the same", "put it in quotes", bad, warn, "PM-40"},
	notPinned:        {"MAN-506", "a package is not pinned as name==1.2.3", "pin an exact release of one to three numbers", bad, bad, "PM-42"},
	badPackageName:   {"MAN-507", "a package's name begins or ends with something other than a letter or digit", "write the name as the package index has it", bad, bad, "C-5"},
	duplicatePackage: {"MAN-508", "a package stands twice", "keep one of them", bad, bad, "C-5"},
	tooManyPackages:  {"MAN-509", "there are too many packages", "need fewer packages, or split the tool", bad, bad, ""},
	badScope:         {"MAN-510", "an entry of external_auth is not <provider>.<scope>", "write it as in gmail.read", bad, bad, "PM-43"},
	badProvider:      {"MAN-511", "the provider is not supported", "supported are gmail, google_calendar, slack, github and linear", bad, bad, "PM-47"},
	manyProviders:    {"MAN-512", "external_auth names more than one provider, but a tool gets one token", "split the tool, one provider each", bad, bad, "C-8"},
	duplicateScope:   {"MAN-513", "a scope stands twice", "keep one of them", bad, warn, "PM-43"},
	badNeed:          {"MAN-514", "x-needs has something other than its words", "write a list of process, environment, native and dynamic; network and files stand in capabilities", bad, bad, "CAP-001"},
	duplicateNeed:    {"MAN-515", "a word stands twice in x-needs", "keep one of them", bad, warn, "CAP-001"},

	badExample:    {"MAN-601", "an example is not a request of one short line", "write what a person would ask for, in at most 200 characters", bad, bad, "C-16"},
	badTag:        {"MAN-602", "a tag is not allowed", "write lower-case words joined by single hyphens, 2 to 24 characters", bad, bad, "C-16"},
	badAlias:      {"MAN-603", "an alias is not allowed", "write another name that people look for, spelled as names are, or remove it", bad, bad, "C-4"},
	badLicense:    {"MAN-604", "the license is not an SPDX expression", `write the identifier of SPDX, as in MIT or "Apache-2.0 OR MIT"`, bad, bad, "C-16"},
	oddLicense:    {"MAN-605", "the license is not spelled as SPDX lists it", "write it as SPDX does", warn, warn, "C-16"},
	tooManyListed: {"MAN-606", "there are too many examples, tags or aliases", "keep the best of them", bad, bad, ""},
	listedTwice:   {"MAN-607", "an example, a tag or an alias stands twice", "keep one of them", bad, warn, "C-16"},
	nearlyOurs:    {"MAN-608", "a key of the author's own reads like one of the format", "correct it, or give it another name", warn, warn, "C-16"},
}
