package main

import (
	"strings"
	"testing"
)

// late are packages, by the beginnings of their paths, that are initialised
// after those that begin a run, because they are slow or because what sorts
// before them is.
var late = []string{
	"google.golang.org/genproto/", "google.golang.org/protobuf/proto", "google.golang.org/protobuf/reflect/", "google.golang.org/protobuf/types/",
	"github.com/go-git/go-git/v5/internal/url", "github.com/santhosh-tekuri/", "github.com/sigstore/",
	"gvisor.dev/gvisor/pkg/log", "gvisor.dev/gvisor/pkg/tcpip", "html", "image", "k8s.io/", "math/big", "mime", "net", "path/filepath", "regexp",
}

// TestInitOrder shows that the helper of the sandbox and the interpreter of a
// run are started before the slow packages are initialised: the run waits for
// what comes before them, twice. A failure says that package sandbox, ahead or
// what they import has come to import something that is initialised late.
func TestInitOrder(t *testing.T) {
	begin := map[string]bool{"github.com/patch-cat/patch-git/internal/sandbox": false, "github.com/patch-cat/patch-git/internal/ahead": false}
	missing := len(begin)
	var before []string
	for _, m := range initTrace(t, realProgram(t)) {
		if seen, ok := begin[m[1]]; ok && !seen {
			begin[m[1]] = true
			if missing--; missing == 0 {
				t.Logf("%d packages are initialised before a run begins", len(before)-1)
				return
			}
		}
		for _, prefix := range late {
			if strings.HasPrefix(m[1], prefix) {
				t.Fatalf("%s is initialised before %v; so are %s", m[1], begin, strings.Join(before, ", "))
			}
		}
		before = append(before, m[1])
	}
	t.Errorf("what begins a run is not initialised: %v", begin)
}
