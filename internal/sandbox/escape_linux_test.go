package sandbox_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// accepted is the opening that an attempt has in a column, if it has one.
func accepted(c cage, name string) (opening, bool) {
	for _, key := range []string{c.Driver, c.Driver + "/" + c.User} {
		if o, ok := openings[key][name]; ok {
			return o, true
		}
	}
	return opening{}, false
}

// columns are the cages of the sandbox's drivers for the users that this
// process can play. Those of make test-escape are all; the tests of every day
// try root in the driver alone that would be chosen.
func columns(t *testing.T) (all []cage) {
	t.Helper()
	users := []string{asUserColumn}
	if os.Getuid() == 0 {
		users = []string{asRootColumn, asRootedColumn, asUserColumn}
	}
	whole := *writeTable || os.Getenv("PATCH_GIT_ESCAPE_TESTS") != ""
	for _, r := range sandbox.Probe(t.Context(), sandbox.Options{Now: time.Now}) {
		if !r.Works {
			t.Logf("%s does not work on this host: %s", r.Name, r.Reason)
			continue
		}
		if r.Name == "container" {
			// Its containers are made by a daemon, outside of every cage, out
			// of the machine's own files.
			t.Logf("%s cannot be tried in a cage", r.Name)
			continue
		}
		for _, u := range users {
			// In any run of the tests: the usual driver, and the one that stands in
			// for it, as an ordinary user. `make test-escape` is the whole of it.
			if whole || len(all) == 0 || r.Name == "landlock" && u == asUserColumn {
				all = append(all, cage{Driver: r.Name, User: u})
			}
		}
	}
	return all
}

// TestEscape makes every attempt in every driver as every user. An effect that
// is not among the openings fails, and so does an opening without an effect.
// The attempts without a sandbox show that each of them can have its effect.
// With -table, it writes the table of docs/sandbox.md.
func TestEscape(t *testing.T) {
	var mu sync.Mutex
	tried := results{control: map[string]string{}, cells: map[string]map[string]string{}}
	t.Run("attempts", func(t *testing.T) {
		t.Run("control", func(t *testing.T) {
			t.Parallel()
			found := controls(t)
			mu.Lock()
			defer mu.Unlock()
			tried.control = found
		})
		for _, c := range columns(t) {
			t.Run(c.String(), func(t *testing.T) {
				// Those of one user are counted together, so not all at once.
				if c.Driver != "bubblewrap" {
					t.Parallel()
				}
				if raced && c.Driver == "landlock" && c.User == asUserColumn {
					t.Skip("under the race detector its attempts are often left without room for processes")
				}
				found := c.mustRun(t)
				for range 2 {
					if starved(found) {
						found = c.mustRun(t)
					}
				}
				cells := map[string]string{}
				for _, p := range c.chosen() {
					cells[p.name] = verdictOn(t, c, p, found[p.name])
				}
				mu.Lock()
				defer mu.Unlock()
				tried.cells[c.String()] = cells
			})
		}
	})
	if !t.Failed() && !raced {
		tried.table(t)
	}
}

// starved tells whether an attempt was not made because the user's other
// processes took the places of its own, as they can on a busy machine where no
// namespace keeps them apart.
func starved(found map[string]*finding) bool {
	for _, f := range found {
		if f != nil && !f.Ran && strings.Contains(fmt.Sprint(f), "Resource temporarily unavailable") {
			return true
		}
	}
	return false
}

// mustRun is run for a cage that this host should be able to build: root can,
// and both drivers of our own need nothing that a cage has not.
func (c cage) mustRun(t *testing.T) map[string]*finding {
	t.Helper()
	found, err := c.run(t)
	ours := c.control() || c.Driver == "namespaces" || c.Driver == "landlock"
	if errors.Is(err, errNoCage) && (os.Getuid() != 0 || !ours) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// verdictOn is a cell of the table: what an attempt came to in a column.
func verdictOn(t *testing.T, c cage, p probe, f *finding) string {
	t.Helper()
	o, known := accepted(c, p.name)
	switch {
	case f == nil || !f.Ran:
		t.Errorf("%s was not tried: %v", p.name, f)
	case len(f.Effects) > 0 && !known:
		t.Errorf("ESCAPED: %s (%s): %s", p.name, p.tries, f)
	case len(f.Effects) == 0 && known && !o.race:
		t.Errorf("%s is listed as open and is not: %s", p.name, f)
	}
	if known {
		return "open: " + o.why
	}
	return "blocked"
}

// controls makes the attempts without a sandbox, and says of each how its
// effect was seen.
func controls(t *testing.T) map[string]string {
	t.Helper()
	c := cage{Driver: bare, User: asRootColumn}
	found := c.mustRun(t)
	if os.Getuid() == 0 {
		// In a private mount namespace, and with nothing that could harm.
		c := cage{Driver: bare, User: asRootColumn, Real: true}
		for _, p := range c.chosen() {
			if p.real {
				c.Only = append(c.Only, p.name)
			}
		}
		maps.Copy(found, c.mustRun(t))
	}
	says := map[string]string{}
	for _, p := range c.chosen() {
		f := found[p.name]
		_, ok := f.Effects[p.want]
		switch {
		case ok:
			says[p.name] = string(p.want)
		case p.none != "":
			says[p.name] = "none: " + p.none
		default:
			why := unable(p, f)
			says[p.name] = notHere + ": " + why
			if why == "" {
				t.Errorf("control of %s (%s): want %s, got %s", p.name, p.tries, p.want, f)
			}
		}
	}
	return says
}

// notHere begins what is said of an effect that cannot be shown on this machine.
const notHere = "not possible here"

// unable says why this machine, or this user, cannot show the effect of an
// attempt, or nothing.
func unable(p probe, f *finding) string {
	absent := []unix.Errno{unix.ENOSYS, unix.EPROTONOSUPPORT, unix.ESOCKTNOSUPPORT, unix.EAFNOSUPPORT, unix.ENODEV}
	switch {
	case (p.real || p.root) && os.Getuid() != 0:
		return "only root can show it"
	case slices.Contains(absent, f.Errno), p.maybe && f.Errno == unix.ENOENT:
		return "this kernel does not have it"
	}
	return ""
}

// TestNetworkIsTheInternetOnly gives the network: what is no internet socket
// stays closed. What the internet is then, other tests see.
func TestNetworkIsTheInternetOnly(t *testing.T) {
	var other []string
	for _, p := range networkProbes {
		switch first, _, _ := strings.Cut(p.name, "_"); first {
		case "tcp", "udp", "mptcp", "sctp", "udplite", "listen", "ping", "type":
		default:
			other = append(other, p.name)
		}
	}
	other = append(other, "read_secret", "socket_in_grant", "uring")
	for _, c := range columns(t) {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			c.Network, c.Only = true, other
			found := c.mustRun(t)
			for _, p := range c.chosen() {
				if f := found[p.name]; f == nil || len(f.Effects) > 0 && openingsOnline[p.name].why == "" {
					t.Errorf("ESCAPED: %s (%s): %v", p.name, p.tries, f)
				}
			}
		})
	}
}

// TestTheSuiteCanFail makes the attempts with a driver that protects nothing,
// and judges them as any driver's: nearly all must be seen to escape. Those on
// limits are left to the control, which is as much without any.
func TestTheSuiteCanFail(t *testing.T) {
	if asNobody() {
		t.Skip("it says the same of every user")
	}
	if os.Getenv("PATCH_GIT_ESCAPE_TESTS") == "" {
		t.Skip("it says the same every day: make test-escape")
	}
	t.Parallel()
	c := cage{Driver: unprotected, User: asRootColumn}
	for _, p := range c.chosen() {
		if p.limit == nil && !p.real {
			c.Only = append(c.Only, p.name)
		}
	}
	found := c.mustRun(t)
	escaped, missed := 0, []string{}
	for _, p := range c.chosen() {
		if f := found[p.name]; f != nil && len(f.Effects) > 0 {
			escaped++
		} else {
			missed = append(missed, p.name)
		}
	}
	if all := len(c.chosen()); escaped < all*9/10 {
		t.Errorf("only %d of %d escaped from nothing; not %s", escaped, all, strings.Join(missed, ", "))
	}
	t.Logf("not seen: %s", strings.Join(missed, ", "))
}

// TestEveryProbeIsListed compares the lists with the functions.
func TestEveryProbeIsListed(t *testing.T) {
	if raced {
		t.Skip("those on memory are left out under the race detector")
	}
	var functions, names []string
	for _, m := range regexp.MustCompile(`(?m)^def try_(\w+)`).FindAllSubmatch(probeSource(false), -1) {
		functions = append(functions, string(m[1]))
	}
	for _, p := range (cage{}).chosen() {
		names = append(names, p.name)
	}
	slices.Sort(functions)
	slices.Sort(names)
	if !slices.Equal(functions, names) {
		t.Errorf("functions and list differ: %v, %v", functions, names)
	}
	if once := slices.Compact(slices.Clone(names)); len(once) != len(names) {
		t.Error("a name stands twice")
	}
	for driver, list := range openings {
		for name := range list {
			if !slices.Contains(names, name) {
				t.Errorf("%s: opening of %s, which is no probe", driver, name)
			}
		}
	}
}
