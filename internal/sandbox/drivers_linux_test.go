package sandbox_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// demanded are the drivers that must work here, by the word of who prepared
// the machine: for them a test fails where it would be skipped.
func demanded(driver string) bool {
	return slices.Contains(strings.Split(os.Getenv("PATCH_GIT_TEST_DRIVERS"), ","), driver)
}

// elsewhere skips what another lane plays: one that demands containers alone is about
// them alone.
func elsewhere(tb testing.TB, driver string) {
	tb.Helper()
	if os.Getenv("PATCH_GIT_TEST_DRIVERS") == "container" && driver != "container" {
		tb.Skip("this lane is about containers: go test ./internal/sandbox")
	}
}

// probed tries every driver once.
var probed = sync.OnceValue(func() []sandbox.DriverReport {
	return sandbox.Probe(context.Background(), sandbox.Options{Now: time.Now})
})

// forEachDriver is the conformance suite: what it is given must hold for every
// driver that works here. Containers take half a second each and are somebody
// else's machinery, so that one is tried where it is demanded.
func forEachDriver(t *testing.T, f func(*testing.T, *sandbox.Sandbox)) {
	t.Helper()
	works := 0
	for _, r := range probed() {
		t.Run(r.Name, func(t *testing.T) {
			switch {
			case !r.Works && demanded(r.Name):
				t.Fatalf("%s must work on this host: %s", r.Name, r.Reason)
			case !r.Works:
				t.Skipf("%s does not work on this host: %s", r.Name, r.Reason)
			case raced && r.Name == "bubblewrap":
				t.Skip("its helper is this binary, and takes half a second to start under the race detector")
			case r.Name == "container" && !demanded(r.Name):
				t.Skip("PATCH_GIT_TEST_DRIVERS does not name it")
			}
			t.Parallel()
			f(t, open(t, r.Name))
		})
		if r.Works {
			works++
		}
	}
	if works == 0 {
		t.Fatal("no driver works on this host")
	}
}

// needs opens one driver, where a test is about it alone.
func needs(t *testing.T, driver string) *sandbox.Sandbox {
	t.Helper()
	for _, r := range probed() {
		if r.Name == driver && !r.Works {
			if demanded(driver) {
				t.Fatalf("%s must work on this host: %s", r.Name, r.Reason)
			}
			t.Skipf("%s does not work on this host: %s", r.Name, r.Reason)
		}
	}
	return open(t, driver)
}

// TestDemands: a name that no driver has would demand nothing.
func TestDemands(t *testing.T) {
	list := os.Getenv("PATCH_GIT_TEST_DRIVERS")
	if list == "" {
		t.Skip("PATCH_GIT_TEST_DRIVERS demands nothing")
	}
	for name := range strings.SplitSeq(list, ",") {
		if !slices.ContainsFunc(probed(), func(r sandbox.DriverReport) bool { return r.Name == name && r.Works }) {
			t.Errorf("%q is demanded and is no driver that works here", name)
		}
	}
}
