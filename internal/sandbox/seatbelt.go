package sandbox

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/spec"
)

// belt is what sandbox-exec of macOS is told: a profile, and the paths that it
// names as parameters. No path stands in the profile itself, so none can say
// anything in its language.
type belt struct {
	profile string
	params  []string // NAME=path, in the order of their numbers
}

// beltHead is the same for every job. Apple's own rules for every program come
// with system.sb, without which an interpreter does not start. Nothing may be
// forked: there is no namespace of processes, and one that left its group would
// outlive the run.
const beltHead = `(version 1)
(deny default)
(import "system.sb")
(allow process-info* (target self))
(allow signal (target self))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow file-read* file-write-data (literal "/dev/null") (literal "/dev/zero"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* file-map-executable (subpath "/usr/lib") (subpath "/System/Library"))
`

// beltNetwork is the internet, with the names of hosts and the roots of trust,
// which on macOS other processes tell.
const beltNetwork = `(allow network-outbound (remote ip))
(allow network-inbound (local ip))
(allow network-bind (local ip))
(allow system-socket)
(allow network-outbound (literal "/private/var/run/mDNSResponder"))
(allow mach-lookup (global-name "com.apple.mDNSResponder") (global-name "com.apple.trustd.agent") (global-name "com.apple.SystemConfiguration.configd"))
(allow file-read* (subpath "/private/etc/ssl") (literal "/private/etc/resolv.conf") (literal "/private/etc/hosts"))
`

// newBelt writes the profile of a job whose paths are those of the host. helper
// is this program, which is started in the sandbox before the tool's.
func newBelt(j Job, scratch, helper string) (*belt, error) {
	b := &belt{profile: beltHead}
	if j.Network {
		b.profile += beltNetwork
	}
	mounts := slices.Clone(j.Mounts)
	slices.SortFunc(mounts, func(x, y Mount) int { return strings.Compare(x.Source, y.Source) })
	mounts = append(mounts, Mount{Source: helper}, Mount{Source: scratch, Write: true})
	var above []string
	for _, m := range mounts {
		if err := beltPath(m.Source); err != nil {
			return nil, err
		}
		p := b.param(m.Source)
		switch {
		case m.Write:
			b.rule("allow", "file-read* file-write*", "subpath", p)
		default:
			b.rule("allow", "file-read* file-map-executable process-exec", "subpath", p)
			// A later rule wins: it may lie in a directory granted for writing.
			b.rule("deny", "file-write*", "subpath", p)
		}
		for d := path.Dir(m.Source); !slices.Contains(above, d); d = path.Dir(d) {
			above = append(above, d)
		}
	}
	// A program looks at the directories on the way to a file. They can be
	// looked at, and not listed.
	slices.Sort(above)
	for _, d := range above {
		b.rule("allow", "file-read-metadata", "literal", b.param(d))
	}
	return b, nil
}

func (b *belt) param(value string) (name string) {
	name = "P" + strconv.Itoa(len(b.params))
	b.params = append(b.params, name+"="+value)
	return name
}

func (b *belt) rule(verdict, what, how, param string) {
	b.profile += "(" + verdict + " " + what + " (" + how + ` (param "` + param + `")))` + "\n"
}

// beltPath refuses what macOS would not keep as it is written.
func beltPath(p string) error {
	if !cleanAbsolute(p) || !utf8.ValidString(p) || strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return bad("path %s cannot be named in a profile of seatbelt", spec.Quote(p))
	}
	return nil
}

// argv is the command line that becomes the helper under the profile.
func (b *belt) argv(helper string) []string {
	a := []string{"sandbox-exec", "-p", b.profile}
	for _, p := range b.params {
		a = append(a, "-D", p)
	}
	return append(a, helper, beltWord)
}

// beltWord is the argument that makes this program the helper of seatbelt.
const beltWord = "patch-git: seatbelt"
