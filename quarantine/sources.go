package quarantine

import (
	_ "embed" // the list
	"net/url"
	"strings"
	"sync"
)

//go:embed sources.txt
var sourcesText string

// sourceList is sources.txt by its words.
type sourceList struct {
	hosts, images, npm map[string]bool
	installers         []string
}

var sources = sync.OnceValue(func() *sourceList {
	l := &sourceList{hosts: map[string]bool{}, images: map[string]bool{}, npm: map[string]bool{}}
	for line := range strings.Lines(sourcesText) {
		fields := strings.Fields(line)
		if len(fields) != 2 || fields[0] == "#" {
			continue
		}
		switch fields[0] {
		case "host":
			l.hosts[fields[1]] = true
		case "images":
			l.images[fields[1]] = true
		case "installer":
			l.installers = append(l.installers, fields[1])
		case "npm":
			l.npm[fields[1]] = true
		}
	}
	return l
})

// publishes tells whether a host, or one that it is below of, is of the list.
func publishes(list map[string]bool, host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for host != "" {
		if list[host] {
			return true
		}
		_, host, _ = strings.Cut(host, ".")
	}
	return false
}

// knownInstaller tells whether an address is that of a known project's script.
// A prefix without a slash at its end counts only up to the end of a name.
func knownInstaller(address string) bool {
	if u, err := url.Parse(address); err != nil || u.User != nil || strings.Contains(u.Path, "..") {
		return false
	}
	for _, p := range sources().installers {
		rest, ok := strings.CutPrefix(address, p)
		if ok && (rest == "" || strings.HasSuffix(p, "/") || strings.ContainsRune("/?.", rune(rest[0])) && strings.Count(p, "/") > 2 || rest[0] == '/') {
			return true
		}
	}
	return false
}
