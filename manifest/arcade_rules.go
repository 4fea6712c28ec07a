package manifest

// The rules of Arcade definitions, numbered from here on.
const (
	arcadeNotRead = 3*tableSize + iota
)

var arcadeRules = [...]Rule{
	arcadeNotRead % tableSize: {"MAN-901", "the file cannot be read", "mend it", bad, bad, ""},
}
