package manifest

// The rules of install manifests, numbered from here on.
const (
	installNotRead = 1*tableSize + iota
)

var installRules = [...]Rule{
	installNotRead % tableSize: {"MAN-701", "the file cannot be read", "mend it", bad, bad, ""},
}
