package manifest

// The rules of install manifests, numbered from here on.
const (
	installForms = 1*tableSize + iota
)

var installRules = [...]Rule{
	installForms % tableSize: {"MAN-701", "the file does not fit the JSON Schema of its format", "mend it as the finding says", bad, bad, "TI-1"},
}

// ruleCodes are the words of rules that mean one thing each; a rule that means
// several gets its word where it is reported.
var ruleCodes = map[rule]string{}
