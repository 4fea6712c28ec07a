package manifest

// The rules of skills, numbered from here on. What stands in the frontmatter is
// 80x to 82x, the fields of the published rules are 83x and 84x, those of ADR-002
// 85x to 87x.
const (
	skillNoFrontmatter = 2*tableSize + iota
	skillUnclosed
	skillUnreadable
	skillMended
	skillBeyondJSON
	skillDuplicate
	skillTab
	skillNotText
	skillBodyNotText
	skillLineEnd
	skillByteOrderMark
	skillCRLF
	skillTooLarge
	skillTooDeep
	skillNotMapping
	skillNumber
	skillMarkerSpace
	skillFileName
	skillManyDocuments

	skillFieldType
	skillName
	skillDirectory
	skillNameHere
	skillNoDescription
	skillLongDescription
	skillCompatibility
	skillMetadata
	skillMetadataText
	skillAllowedTools
	skillToolCommas
	skillUnknownField
	skillForeignField
	skillVersion
	skillNoVersion
	skillLicense

	skillEditionNumber
	skillEdition
	skillLegacy
	skillNewer
	skillShape
	skillUnknownKey
	skillMissingKey
	skillInputName
	skillDuplicateInput
	skillKeyword
	skillSchema
	skillDefault
	skillPattern
	skillUnusedDefault
	skillEnvName
	skillDuplicateEnv
	skillCommand
	skillCommandVersion
	skillPath
	skillBase
	skillToken
	skillTimeout
	skillTooMany
)

var skillRules = [...]Rule{
	skillNoFrontmatter % tableSize: {"MAN-801", "the file does not begin with frontmatter", "write a line --- as the first line, name and description below it, and a line --- behind them", bad, bad, "SK-1"},
	skillUnclosed % tableSize:      {"MAN-802", "the frontmatter is not closed", "write a line --- behind the last field", bad, bad, "SK-1"},
	skillUnreadable % tableSize:    {"MAN-803", "the frontmatter cannot be read as YAML", "mend the line", bad, bad, "SK-1"},
	skillMended % tableSize:        {"MAN-804", "a text had to be put in quotes before the frontmatter could be read", "put the value in quotes", bad, warn, "SK-1"},
	skillBeyondJSON % tableSize:    {"MAN-805", "the frontmatter uses something of YAML that JSON does not have", "write the value out, without anchors, tags and merge keys", bad, warn, "C-20"},
	skillDuplicate % tableSize:     {"MAN-806", "a field stands twice", "keep one of them; readers differ in which they take", bad, warn, "C-20"},
	skillTab % tableSize:           {"MAN-807", "a tab stands in the indentation", "indent with spaces", bad, warn, "C-20"},
	skillNotText % tableSize:       {"MAN-808", "the frontmatter has bytes that are no text", "save the file as UTF-8 and remove control characters", bad, bad, "C-20"},
	skillBodyNotText % tableSize:   {"MAN-809", "the instructions have bytes that are no text", "save the file as UTF-8 and remove control characters", bad, warn, ""},
	skillLineEnd % tableSize:       {"MAN-810", "there is a character at which readers disagree on whether a line ends", "end lines with a line feed alone", bad, warn, "C-20"},
	skillByteOrderMark % tableSize: {"MAN-811", "the file begins with a byte order mark", "save it as UTF-8 without BOM", note, note, ""},
	skillCRLF % tableSize:          {"MAN-812", "lines end with CR LF", "end lines with a line feed alone", note, note, ""},
	skillTooLarge % tableSize:      {"MAN-813", "the file or its frontmatter is too large", "move what is long into files beside SKILL.md", bad, bad, ""},
	skillTooDeep % tableSize:       {"MAN-814", "the frontmatter is nested too deeply or has too many values", "write fewer values", bad, bad, ""},
	skillNotMapping % tableSize:    {"MAN-815", "the frontmatter is no mapping", `write "key: value" lines`, bad, bad, "SK-1"},
	skillNumber % tableSize:        {"MAN-816", "a number has too many digits or too large an exponent", "write a smaller number, or a string", bad, warn, "C-31"},
	skillMarkerSpace % tableSize:   {"MAN-817", "blanks follow a marker", "remove them", note, note, ""},
	skillFileName % tableSize:      {"MAN-818", "the file is not spelled SKILL.md", "rename it", warn, note, "SK-A1"},
	skillManyDocuments % tableSize: {"MAN-819", "a document marker stands in the frontmatter, which is one document", "remove the line", bad, bad, "C-20"},

	skillFieldType % tableSize:       {"MAN-830", "a field has the wrong type", "write a value of the type that is asked for", bad, warn, "SK-A1"},
	skillName % tableSize:            {"MAN-831", "the name is missing or not allowed", "write 1 to 64 lower-case letters, digits and single hyphens, none at the edge", bad, warn, "SK-A1"},
	skillDirectory % tableSize:       {"MAN-832", "the name is not the name of the directory", "rename one of them", bad, warn, "SK-A1"},
	skillNameHere % tableSize:        {"MAN-833", "no registry can hold a skill of that name", "begin it with a letter and use 3 to 48 characters", bad, warn, "C-4"},
	skillNoDescription % tableSize:   {"MAN-834", "there is no description", "say what the skill does and when to use it", bad, bad, "SK-A1"},
	skillLongDescription % tableSize: {"MAN-835", "the description is too long", "shorten it", bad, warn, "SK-A1"},
	skillCompatibility % tableSize:   {"MAN-836", "compatibility is too long or empty", "say in at most 500 characters what the skill needs around it", bad, warn, "SK-A1"},
	skillMetadata % tableSize:        {"MAN-837", "metadata is not a mapping of texts to texts", "put numbers and dates in quotes, and leave lists and mappings out", bad, warn, "SK-A1"},
	skillMetadataText % tableSize:    {"MAN-838", "a field has another type than the rules say, which their reference validator lets pass", "put it in quotes", warn, warn, "SK-A1"},
	skillAllowedTools % tableSize:    {"MAN-839", "allowed-tools is not a text", "write the tools on one line with blanks between them", bad, warn, "SK-A1"},
	skillToolCommas % tableSize:      {"MAN-840", "allowed-tools has commas", "write blanks alone between the tools", warn, warn, "SK-A1"},
	skillUnknownField % tableSize:    {"MAN-841", "a field is not part of the format", "remove it, or move it into metadata", warn, note, "SK-A1"},
	skillForeignField % tableSize:    {"MAN-842", "a field is none of the six of the published rules", "remove it, or check without --strict-agentskills", bad, bad, "C-36"},
	skillVersion % tableSize:         {"MAN-843", "the version is not allowed", `write three numbers in quotes, as in "1.0.0"`, bad, warn, "SK-5"},
	skillNoVersion % tableSize:       {"MAN-844", "there is no version, without which nobody can publish it", `add version: "1.0.0"`, note, note, "SK-55"},
	skillLicense % tableSize:         {"MAN-845", "the license is not an SPDX expression", `write the identifier of SPDX, as in MIT`, note, note, ""},

	skillEditionNumber % tableSize:  {"MAN-850", "manifest_version is a number", `put it in quotes: "1.0"`, bad, bad, "SK-3"},
	skillEdition % tableSize:        {"MAN-851", "manifest_version is not one that is known here", `write "1.0"`, bad, bad, "SK-4"},
	skillLegacy % tableSize:         {"MAN-852", "fields of a manifest stand there without manifest_version, and nobody looks at them", `add manifest_version: "1.0"`, note, note, "C-39"},
	skillNewer % tableSize:          {"MAN-853", "the manifest is of a newer edition, of which only what 1.0 has is read", "update patch-git", note, note, "SK-3"},
	skillShape % tableSize:          {"MAN-854", "a value of the manifest has the wrong type", "write a value of the type that is asked for", bad, bad, "SK-2"},
	skillUnknownKey % tableSize:     {"MAN-855", "a key of the manifest is unknown", "remove it", bad, warn, "SK-2"},
	skillMissingKey % tableSize:     {"MAN-856", "a required key of the manifest is missing", "add it", bad, bad, "SK-8"},
	skillInputName % tableSize:      {"MAN-857", "an input's name is not allowed", "write letters, digits, hyphens and underscores, a letter first", bad, bad, "SK-8"},
	skillDuplicateInput % tableSize: {"MAN-858", "two inputs have one name", "rename one of them", bad, bad, "SK-8"},
	skillKeyword % tableSize:        {"MAN-859", "a schema has an unsupported keyword", "supported are type, pattern, minimum, maximum, items, properties, default and enum", bad, bad, "SK-17"},
	skillSchema % tableSize:         {"MAN-860", "a schema is not valid", "mend the schema", bad, bad, "SK-10"},
	skillDefault % tableSize:        {"MAN-861", "a default does not fit its schema", "write a default that the schema allows", bad, bad, "SK-15"},
	skillPattern % tableSize:        {"MAN-862", "a pattern is not a regular expression of ECMAScript", "mend the pattern", bad, bad, "SK-11"},
	skillUnusedDefault % tableSize:  {"MAN-863", "a required input has a default, which is never used", "move the input to optional, or remove the default", warn, warn, "SK-6"},
	skillEnvName % tableSize:        {"MAN-864", "the name of an environment variable is not allowed", "write letters, digits and underscores, no digit first", bad, bad, "SK-18"},
	skillDuplicateEnv % tableSize:   {"MAN-865", "an environment variable stands twice", "keep one of them", bad, bad, "SK-18"},
	skillCommand % tableSize:        {"MAN-866", "a command is not a plain name", "write the name of a program that lies in PATH, without folders and arguments", bad, bad, "SK-21"},
	skillCommandVersion % tableSize: {"MAN-867", "the version of a command is not allowed", `write numbers joined by dots, in quotes, as in "2.40"`, bad, bad, "SK-22"},
	skillPath % tableSize:           {"MAN-868", "a path leaves its base or is not relative", "write a relative path with / and without ..", bad, bad, "SK-29"},
	skillBase % tableSize:           {"MAN-869", "a base is not one of its three words", "write skill_root, repo_root or cwd", bad, bad, "SK-24"},
	skillToken % tableSize:          {"MAN-870", "a pattern of an output names no input", "write {{name}} of an input that the manifest declares", bad, bad, "SK-30"},
	skillTimeout % tableSize:        {"MAN-871", "the timeout is not a number of seconds above 0", "write a number, as in 30", bad, bad, "SK-34"},
	skillTooMany % tableSize:        {"MAN-872", "there are too many entries", "write fewer, or split the skill", bad, bad, ""},
}

// skillYAML is what the rules of YAML are called in a skill.
var skillYAML = map[rule]rule{
	anchor: skillBeyondJSON, tag: skillBeyondJSON, mergeKey: skillBeyondJSON, badKey: skillBeyondJSON, directive: skillBeyondJSON,
	duplicateKey: skillDuplicate, caseVariant: skillUnknownField, tabIndent: skillTab, controlChar: skillNotText,
	tooDeep: skillTooDeep, tooManyNodes: skillTooDeep, notMapping: skillNotMapping, badYAML: skillUnreadable, hugeNumber: skillNumber,
}
