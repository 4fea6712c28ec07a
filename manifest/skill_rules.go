package manifest

// The rules of skills, numbered from here on.
const (
	skillNotRead = 2*tableSize + iota
)

var skillRules = [...]Rule{
	skillNotRead % tableSize: {"MAN-801", "the file cannot be read", "mend it", bad, bad, ""},
}
