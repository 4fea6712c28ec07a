// Package floors holds the test that keeps imports pointing downwards.
package floors

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/patch-cat/patch-git/"

// floor says how high a room sits. A room imports only rooms on lower floors.
// ARCHITECTURE.md explains each of them.
var floor = map[string]int{
	"spec": 0, "internal/fault": 0, "internal/limits": 0, "internal/paths": 0, "internal/host": 0,
	"manifest": 1, "internal/sanitize": 1, "ledger": 1, "internal/durable": 1, "internal/secrets": 1, "internal/obeyed": 1, "internal/packed": 1, "internal/diff": 1, "internal/taint": 1,
	"convert": 2, "internal/changes": 2,
	"registry": 2, "index": 2, "verify": 2, "internal/sandbox": 2, "internal/audit": 2, "internal/trustroot": 2, "internal/standalone": 2, "internal/config": 2, "internal/github": 2, "internal/sealed": 2, "internal/judge": 2, "internal/picker": 2, "internal/approval": 2, "internal/aihost": 2,
	"internal/invoke": 2, "internal/arcade": 2, "internal/keyring": 2, "internal/smoke": 2,
	"quarantine": 3, "internal/signing": 3, "internal/pyenv": 3, "internal/toolbox": 3, "internal/ahead": 3, "internal/trusted": 3, "internal/keyless": 3, "internal/inspect": 3, "internal/verdicts": 3, "internal/usernet": 3, "internal/review": 3, "internal/branch": 3, "internal/site": 3, "internal/served": 3, "internal/notes": 3,
	"internal/skillplan": 3, "internal/provision": 3, "internal/mcpclient": 3,
	"internal/contribute": 4, "internal/consume": 4, "internal/person": 4,
	"internal/cli": 5, "internal/mcpserver": 5, "action": 5,
	"cmd/patch-git":    6,
	".":                0, // only embeds tools/
	"schemas":          0, // only embeds the JSON Schemas
	"action/workflows": 0, // only embeds the workflow files

	// Code for tests alone; nothing but tests imports these.
	"registry/registrytest":      4,
	"index/indextest":            3,
	"internal/sigtest":           9,
	"internal/github/githubtest": 9,
	"internal/judge/judgetest":   9,
	"internal/arcade/arcadetest": 9,
	"internal/picker/ptytest":    9,
	"internal/site/sitetest":     9,
	"internal/mcpserver/mcptest": 9,
	"docs/bench/keyless":         10,
	"internal/standalone/repack": 9,
	"quarantine/probes":          0,
	"docs/eval":                  10,
	"docs/taint-eval":            10,
	"docs/python/embed":          10,
	"docs/python/table":          10,
	"docs/packages":              10,
	"docs/unicode":               10,
	"docs/leaks":                 10, // a module of its own
	"docs/ranking":               10, // a module of its own
	"docs/bench/mcp":             10, // a module of its own
	"docs/bench/mcp/mark3labs":   10,
	"docs/bench/pair":            9,
	"docs/bench/publish":         10,
	"docs/bench/slow":            9,
	"docs/bench/wheels":          9,
}

// ground is the one exception to "never sideways": the nouns and the kinds of
// error and the caps are used by the host value beside them.
var ground = []string{"spec", "internal/fault", "internal/limits", "internal/paths"}

// door names the rooms that may import a third-party module.
var door = map[string][]string{
	"gopkg.in/yaml.v3":                              {"manifest"},
	"github.com/santhosh-tekuri/jsonschema":         {"manifest"},
	"github.com/dlclark/regexp2":                    {"manifest"},
	"golang.org/x/text":                             {"internal/sanitize", "docs/unicode"},
	"golang.org/x/mod/semver":                       {"spec"},
	"golang.org/x/mod/sumdb":                        {"ledger", "registry", "internal/sigtest"}, // the log's arithmetic, not its documents
	"github.com/klauspost/compress":                 {"internal/packed"},
	"github.com/go-git/go-git":                      {"registry"},
	"github.com/spf13/":                             {"internal/cli"},
	"golang.org/x/term":                             {"internal/host"},
	"github.com/sigstore/":                          {"internal/keyless", "internal/trustroot", "internal/sigtest"},
	"github.com/theupdateframework/":                {"internal/trustroot", "internal/sigtest"},                     // only for what TUF's client wants and says
	"google.golang.org/protobuf":                    {"internal/keyless", "internal/trustroot", "internal/sigtest"}, // only for the documents of Sigstore
	"github.com/digitorus/":                         {"internal/keyless", "internal/sigtest"},
	"github.com/google/certificate-transparency-go": {"internal/keyless", "internal/sigtest"},
	"github.com/cyberphone/json-canonicalization":   {"internal/sigtest"},
	"github.com/transparency-dev/":                  {"internal/keyless", "internal/sigtest"},
	"gvisor.dev/gvisor":                             {"internal/usernet"},
	"golang.org/x/net":                              {"internal/usernet"},
	"github.com/google/go-github":                   {"internal/github"},
	"github.com/blevesearch/":                       {"index", "docs/ranking"},
	"github.com/RoaringBitmap/":                     {"index"}, // a list of documents in a segment
	"github.com/golang/snappy":                      {"index"}, // what a segment stores
	"github.com/zricethezav/gitleaks":               {"docs/leaks"},
	"modernc.org/sqlite":                            {"docs/ranking"},
	"github.com/mark3labs/mcp-go":                   {"docs/bench/mcp/mark3labs"},
	"github.com/modelcontextprotocol/go-sdk":        {"internal/mcpserver"},
	"github.com/zalando/go-keyring":                 {"internal/keyring"},
	"github.com/fsnotify/fsnotify":                  {"internal/mcpserver"},
	"os/exec":                                       {"internal/trusted", "internal/standalone/repack", "internal/github/githubtest", "internal/picker/ptytest", "internal/mcpserver/mcptest", "docs/bench/mcp", "docs/bench/pair", "docs/bench/publish", "docs/eval", "docs/python/embed"},
}

// ban lists what a room must never import directly, with the reason.
var ban = map[string]map[string]string{
	"verify":          {"net/http": "verification is offline", "os": "verification reads no file"},
	"ledger":          {"net/http": "documents are bytes", "os": "documents are bytes"},
	"spec":            {"net/http": "nouns do no I/O", "os": "nouns do no I/O", "net/url": "the start of every sandbox would wait for its initialisation"},
	"quarantine":      {"net/http": "rules are pure", "os": "rules are pure"},
	"internal/review": {"net/http": "rules are pure", "os": "rules are pure"},
	"internal/keyless": {
		"github.com/sigstore/sigstore-go/pkg/sign": "it brings Rekor's own packages, whose initialisation every start of the program would wait for",
	},
}

// calls that belong to the host value alone: a room that made them would not
// be under the control of whoever runs it, and could not be tested.
var hostOnly = []string{"os.Getenv", "os.LookupEnv", "os.Environ", "time.Now", "os.Exit", "http.DefaultClient", "os.Stdout", "os.Stderr", "os.Stdin"}

// TestFloors reads every source file itself, so that "go test" sees the files
// as inputs and does not answer from its cache after one of them changed.
func TestFloors(t *testing.T) {
	walk(t, func(room, path string, src []byte) {
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			return
		}
		here, ok := floor[room]
		if !ok {
			t.Errorf("%s: no floor; add it to the table in this file and to ARCHITECTURE.md", room)
			return
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
				continue
			}
			if to, ours := strings.CutPrefix(imp, module); ours && floor[to] >= here && (here != 0 || !slices.Contains(ground, to)) {
				t.Errorf("%s (floor %d) imports %s (floor %d)", room, here, to, floor[to])
			}
			if why, no := ban[room][imp]; no {
				t.Errorf("%s imports %s: %s", room, imp, why)
			}
			for lib, only := range door {
				if strings.HasPrefix(imp, lib) && !slices.Contains(only, room) {
					t.Errorf("%s imports %s; only %s may", room, imp, strings.Join(only, ", "))
				}
			}
		}
	})
}

// TestHostOnly keeps environment, clock, streams and exit in one place.
func TestHostOnly(t *testing.T) {
	walk(t, func(room, path string, src []byte) {
		// ahead begins before there is a host value; sigtest and githubtest are for tests alone.
		if room == "internal/host" || room == "internal/ahead" || room == "internal/sigtest" || room == "internal/github/githubtest" || room == "cmd/patch-git" || strings.HasPrefix(room, "docs/") {
			return
		}
		for i, line := range strings.Split(string(src), "\n") {
			code, _, _ := strings.Cut(line, "//")
			for _, call := range hostOnly {
				if room == "manifest" && call == "time.Now" {
					continue // it measures how long a match took, and never asks what time it is
				}
				if at := strings.Index(code, call); at >= 0 && !partOfWord(code, at+len(call)) && !strings.Contains(code, "floors:allow") {
					t.Errorf("%s:%d: %s belongs to internal/host", path, i+1, call)
				}
			}
		}
	})
}

func partOfWord(s string, i int) bool {
	return i < len(s) && (s[i] == '_' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
}

// TestFileLength holds files to one idea each.
func TestFileLength(t *testing.T) {
	const most = 400
	walk(t, func(_, path string, src []byte) {
		if n := strings.Count(string(src), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d: is it one idea?", path, n, most)
		}
	})
}

// walk visits every Go file that is not a test.
func walk(t *testing.T, visit func(room, path string, src []byte)) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (strings.HasPrefix(n, ".") || n == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		room, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		visit(filepath.ToSlash(room), path, src)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
