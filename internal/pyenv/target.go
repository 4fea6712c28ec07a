package pyenv

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
)

// A target names the machines that one list of wheels serves:
//
//	linux-x86_64-glibc2.28   glibc of at least 2.28
//	linux-aarch64-musl1.2    musl of at least 1.2
//	macos-arm64-11.0         macOS of at least 11.0
//	windows-x86_64
type target struct {
	os    string // "linux", "macos", "windows"
	arch  string // as the system's own tools write it
	libc  string // "glibc", "musl"; "" outside of Linux
	major int    // lowest version of the C library or of macOS
	minor int
}

var targetGrammar = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(linux)-(x86_64|aarch64)-(glibc|musl)(\d{1,2})\.(\d{1,2})|(macos)-(x86_64|arm64)-(\d{1,2})\.(\d{1,2})|(windows)-(x86_64|arm64))$`)
})

func parseTarget(s string) (target, error) {
	m := targetGrammar().FindStringSubmatch(s)
	switch {
	case m == nil:
		return target{}, fmt.Errorf("%q is not a target platform", s)
	case m[1] != "":
		return target{os: m[1], arch: m[2], libc: m[3], major: number(m[4]), minor: number(m[5])}, nil
	case m[6] != "":
		return target{os: m[6], arch: m[7], major: number(m[8]), minor: number(m[9])}, nil
	}
	return target{os: m[10], arch: m[11]}, nil
}

func (t target) String() string {
	switch t.os {
	case "linux":
		return fmt.Sprintf("%s-%s-%s%d.%d", t.os, t.arch, t.libc, t.major, t.minor)
	case "macos":
		return fmt.Sprintf("%s-%s-%d.%d", t.os, t.arch, t.major, t.minor)
	}
	return t.os + "-" + t.arch
}

// Targets are the platforms that a version is resolved for when it is
// accepted. glibc 2.28 is what the Linux distributions in support have, and
// what most wheels of today ask for.
func Targets() []string {
	return []string{
		"linux-x86_64-glibc2.28", "linux-aarch64-glibc2.28",
		"macos-arm64-11.0", "macos-x86_64-10.13", "windows-x86_64",
	}
}

// Unsupported are the targets that a closure has no packages for, of those that
// versions are resolved for.
func Unsupported(c *ledger.Closure) []string {
	return slices.DeleteFunc(Targets(), func(name string) bool { _, ok := c.Targets[name]; return ok })
}

// Target names the platform of a machine from GOOS, GOARCH and what a Python
// on it says about its C library: "glibc 2.36", "musl 1.2", "macos 14.5", or
// "" on Windows. It returns "" for a platform that no closure can name.
func Target(goos, goarch, libc string) string {
	t := target{os: goos, arch: goarch}
	family, version, _ := strings.Cut(libc, " ")
	major, minor, _ := strings.Cut(version, ".")
	minor, _, _ = strings.Cut(minor, ".")
	t.major, t.minor = number(major), number(minor)
	switch goos {
	case "linux":
		t.arch = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[goarch]
		t.libc = family
	case "darwin":
		t.os, t.arch = "macos", map[string]string{"amd64": "x86_64", "arm64": "arm64"}[goarch]
	case "windows":
		t.arch = map[string]string{"amd64": "x86_64", "arm64": "arm64"}[goarch]
	}
	if _, err := parseTarget(t.String()); err != nil {
		return ""
	}
	return t.String()
}

// choose picks from a closure the wheels for the machine named by host (what
// [Target] returns): those for the same system, processor and C library whose
// lowest version is highest without being above the machine's own. None is
// fault.Unavailable "no_target".
func choose(c *ledger.Closure, host string) ([]ledger.Wheel, error) {
	var best target
	var found bool
	if h, err := parseTarget(host); err == nil {
		for name := range c.Targets {
			t, err := parseTarget(name)
			if err != nil || t.os != h.os || t.arch != h.arch || t.libc != h.libc || compareVersions(t, h) > 0 {
				continue
			}
			if !found || compareVersions(t, best) > 0 {
				best, found = t, true
			}
		}
	}
	if found {
		return c.Targets[best.String()], nil
	}
	names := make([]string, 0, len(c.Targets))
	for name := range c.Targets {
		names = append(names, name)
	}
	slices.Sort(names)
	return nil, fault.New(fault.Unavailable, "no_target", "the release has no packages for this machine (%s)", or(host, "unknown platform")).
		Hint("it has packages for: %s", or(strings.Join(names, ", "), "no platform"))
}

func compareVersions(a, b target) int {
	if a.major != b.major {
		return a.major - b.major
	}
	return a.minor - b.minor
}

// number reads a short decimal; what the grammar did not let through is 0.
func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
