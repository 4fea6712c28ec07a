package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/github/githubtest"
)

// hub is the GitHub of a transcript, with the registry acme/tools in it.
type hub struct {
	srv    *githubtest.Server
	api    string
	client *github.Client // of the registry's own jobs
}

type hubKey struct{}

// githubCommand plays GitHub, and whoever else acts there:
//
//	github start FOLDER           acme/tools has a registry's source tree; sets $GITHUB_API_URL
//	github user LOGIN ID          an account of that number
//	github login LOGIN            the following commands have that person's token
//	github fine LOGIN [perm level]…  the same with a fine-grained token
//	github logout | revoke        they have none; the token is worthless from now on
//	github let LOGIN ROLE         a role in acme/tools
//	github push REPO BRANCH FROM PATH FILE…   somebody pushes files
//	github mode REPO BRANCH PATH MODE DATA    somebody pushes an entry of any mode
//	github delete REPO
//	github check BRANCH-OF CONCLUSION         a check on the head of a pull request, by its number
//	github merge NUMBER | close NUMBER
//	github fail METHOD PATH WHAT [TIMES]      what goes wrong: 502, cut, limit, secondary, or JSON of a status
//	github pulls FILE             writes what pull requests there are
//	github show REPO AT PATH FILE writes a file of a commit
//	github asked FILE             writes what was asked since the last time
//	github await PART             until something is asked whose path ends so
//	github remake [back]          acme/tools has another number
//	github slow N                 a new fork is there after so many questions
//	github app CLIENT LOGIN       a person logs in to an application by a code
func githubCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: github what …")
	}
	if args[0] == "start" {
		startHub(ts, args[1])
		return
	}
	h := ts.Value(hubKey{}).(*hubHolder).hub
	if h == nil {
		ts.Fatalf("github start comes first")
	}
	do, ok := hubCommands[args[0]]
	if !ok {
		ts.Fatalf("github does not know %s", args[0])
	}
	ts.Check(do(ts, h, args[1:]))
}

// hubHolder lets a transcript have at most one hub.
type hubHolder struct {
	tb    testing.TB
	hub   *hub
	asked int // requests that were written already
}

// startHub makes a GitHub whose acme/tools has the numbers that the workflow's
// signatures name.
func startHub(ts *testscript.TestScript, folder string) {
	holder := ts.Value(hubKey{}).(*hubHolder)
	srv := githubtest.New(githubtest.Options{T: holder.tb, Dir: ts.MkAbs("github")})
	claims := ownClaims()
	owner, err := strconv.ParseInt(claims.RepositoryOwnerID, 10, 64)
	ts.Check(err)
	srv.Account(githubtest.Account{Login: "acme", ID: owner})
	repo := srv.AddRepo("acme/tools")
	repo.ID, err = strconv.ParseInt(claims.RepositoryID, 10, 64)
	ts.Check(err)
	h := &hub{srv: srv, api: strings.TrimSuffix(srv.Start(), "/")}
	holder.hub = h
	ts.Setenv("GITHUB_API_URL", h.api)
	ts.Setenv("GITHUB_SERVER_URL", h.api)
	files := map[string][]byte{}
	ts.Check(filepath.WalkDir(ts.MkAbs(folder), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "published" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(ts.MkAbs(folder), path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(rel)], err = os.ReadFile(path)
		return err
	}))
	if len(files) == 0 {
		files["README.md"] = []byte("a registry\n")
	}
	repo.Push("main", "", "begin", files)
	h.client, err = github.New(github.Options{
		API: h.api, HTTP: &http.Client{}, Now: time.Now,
		Token: srv.JobToken("acme/tools", "contents", "write", "checks", "write", "pull_requests", "write"),
	})
	ts.Check(err)
}

var acme = github.Repo{Owner: "acme", Name: "tools"}

var hubCommands = map[string]func(ts *testscript.TestScript, h *hub, args []string) error{
	"user": func(_ *testscript.TestScript, h *hub, args []string) error {
		id, err := strconv.ParseInt(args[1], 10, 64)
		h.srv.Account(githubtest.Account{Login: args[0], ID: id})
		return err
	},
	"login": func(ts *testscript.TestScript, h *hub, args []string) error {
		ts.Setenv("GITHUB_TOKEN", h.srv.Token(args[0]))
		return nil
	},
	"fine": func(ts *testscript.TestScript, h *hub, args []string) error {
		ts.Setenv("GITHUB_TOKEN", h.srv.FineToken(args[0], args[1:]...))
		return nil
	},
	"logout": func(ts *testscript.TestScript, _ *hub, _ []string) error {
		ts.Setenv("GITHUB_TOKEN", "")
		return nil
	},
	"revoke": func(ts *testscript.TestScript, h *hub, _ []string) error {
		h.srv.Revoke(ts.Getenv("GITHUB_TOKEN"))
		return nil
	},
	"let": func(_ *testscript.TestScript, h *hub, args []string) error {
		h.srv.Repo("acme/tools").Let(args[0], args[1])
		return nil
	},
	"push": func(ts *testscript.TestScript, h *hub, args []string) error {
		files := map[string][]byte{}
		for i := 3; i+1 < len(args); i += 2 {
			files[args[i]] = []byte(ts.ReadFile(args[i+1]))
		}
		from := args[2]
		if from != "" {
			from = h.srv.Repo(args[0]).Tip(from)
		}
		h.srv.Repo(args[0]).Push(args[1], from, "push", files)
		return nil
	},
	"mode": func(ts *testscript.TestScript, h *hub, args []string) error {
		h.srv.Repo(args[0]).PushMode(args[1], "", args[2], args[3], []byte(args[4]))
		return nil
	},
	"delete": func(_ *testscript.TestScript, h *hub, args []string) error {
		h.srv.Delete(args[0])
		return nil
	},
	"check": func(ts *testscript.TestScript, h *hub, args []string) error {
		p, err := h.pull(args[0])
		if err != nil {
			return err
		}
		conclusion := args[1]
		if conclusion == "running" {
			conclusion = ""
		}
		_, err = h.client.CreateCheck(context.Background(), acme, github.CheckRun{Name: "patch-git", Head: p.Head.SHA, Conclusion: conclusion, Title: "t", Summary: "s"})
		return err
	},
	"merge": func(_ *testscript.TestScript, h *hub, args []string) error {
		p, err := h.pull(args[0])
		if err == nil {
			_, err = h.client.Merge(context.Background(), acme, p.Number, p.Head.SHA, "merged")
		}
		return err
	},
	"close": func(_ *testscript.TestScript, h *hub, args []string) error {
		p, err := h.pull(args[0])
		if err == nil {
			err = h.client.Close(context.Background(), acme, p.Number)
		}
		return err
	},
	"remake": func(_ *testscript.TestScript, h *hub, args []string) error {
		id, err := strconv.ParseInt(ownClaims().RepositoryID, 10, 64)
		if len(args) == 0 {
			id++
		}
		h.srv.Repo("acme/tools").ID = id
		return err
	},
	"await": func(_ *testscript.TestScript, h *hub, args []string) error {
		from := len(h.srv.Requests())
		for range 1000 {
			for _, r := range h.srv.Requests()[from:] {
				if strings.HasSuffix(r.Path, args[0]) {
					return nil
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		return fmt.Errorf("nobody asked for %s", args[0])
	},
	"slow": func(_ *testscript.TestScript, h *hub, args []string) error {
		n, err := strconv.Atoi(args[0])
		h.srv.Repo("acme/tools").SlowForks(n)
		return err
	},
	"app": func(_ *testscript.TestScript, h *hub, args []string) error {
		h.srv.Login(args[0], args[1])
		return nil
	},
	"fail":  hubFails,
	"pulls": hubPulls,
	"show": func(ts *testscript.TestScript, h *hub, args []string) error {
		return os.WriteFile(ts.MkAbs(args[3]), h.srv.Repo(args[0]).File(args[1], args[2]), 0o644)
	},
	"asked": func(ts *testscript.TestScript, h *hub, args []string) error {
		var b strings.Builder
		holder := ts.Value(hubKey{}).(*hubHolder)
		all := h.srv.Requests()
		for _, r := range all[holder.asked:] {
			fmt.Fprintf(&b, "%s %s %d %s\n", r.Method, r.Path, r.Status, r.Login)
		}
		holder.asked = len(all)
		return os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644)
	},
}

// pull is a pull request of acme/tools. It is waited for: whoever opens it may
// be another process.
func (h *hub) pull(number string) (github.Pull, error) {
	n, err := strconv.Atoi(number)
	if err != nil {
		return github.Pull{}, err
	}
	for range 200 {
		p, err := h.client.Pull(context.Background(), acme, n)
		if fault.KindOf(err) != fault.NotFound {
			return p, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return github.Pull{}, fmt.Errorf("there is no pull request %d", n)
}

// hubFails makes something go wrong.
func hubFails(_ *testscript.TestScript, h *hub, args []string) error {
	var f githubtest.Fault
	switch what := args[2]; what {
	case "502":
		f = githubtest.BadGateway()
	case "cut":
		f = githubtest.Cut(true)
	case "limit":
		f = githubtest.PrimaryLimit(time.Now().Add(2 * time.Hour))
	case "secondary":
		f = githubtest.SecondaryLimit(1)
	default:
		if err := json.Unmarshal([]byte(what), &f); err != nil {
			return err
		}
	}
	if len(args) > 3 {
		n, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		f.Times = n
	}
	h.srv.Fail(f.On(args[0], args[1]))
	return nil
}

// hubPulls writes a line for each pull request.
func hubPulls(ts *testscript.TestScript, h *hub, args []string) error {
	var b strings.Builder
	for n := 1; ; n++ {
		p, err := h.client.Pull(context.Background(), acme, n)
		if fault.KindOf(err) == fault.NotFound {
			break
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%d %s %s: %s (%s:%s -> %s)\n", p.Number, p.State, p.Author.Login, p.Title, p.Head.Repo.Owner, p.Head.Branch, p.Base.Branch)
	}
	return os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644)
}

// writeFixture NAME@VERSION FILE writes a tool of the test data into a file.
func writeFixture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fixture name@version file")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), toolSource(ts, args[0]), 0o644))
}
