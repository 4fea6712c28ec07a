package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	who "github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/spec"
)

// holdings are what a transcript's AI hosts asked for, by the names that it gives them.
type holdings map[string]approval.Action

type holdingsKey struct{}

func approvals(ts *testscript.TestScript) *approval.Store {
	return approval.Open(paths.Paths{Root: ts.Getenv("PATCH_GIT_HOME")}, time.Now)
}

// hold NAME [-for DURATION] [-kind KIND] [-session S] [-action A] ARGUMENTS puts a call of send_mail before
// the person, as a server does, because its input "to" was seen before or for a
// reason of that kind, and sets $NAME to the id.
func hold(ts *testscript.TestScript, neg bool, args []string) {
	store, kind, session, operation := approvals(ts), approval.KindTainted, "s1", ""
	if neg || len(args) < 2 {
		ts.Fatalf("usage: hold name [-for duration] [-kind kind] [-session s] [-action a] arguments")
	}
	name, args := args[0], args[1:]
	for ; len(args) > 2; args = args[2:] {
		switch args[0] {
		case "-for":
			var err error
			store.Wait, err = time.ParseDuration(args[1])
			ts.Check(err)
		case "-kind":
			kind = args[1]
		case "-session":
			session = args[1]
		case "-action":
			operation = args[1]
		}
	}
	a := approval.Action{
		Tool:   spec.Ref{Name: "send_mail", Version: "1.0.0", Digest: spec.DigestOf([]byte("release"))},
		Source: spec.DigestOf([]byte("source")), Operation: operation, Session: session, Client: "transcript", Arguments: json.RawMessage(args[0]),
		Reasons: []approval.Reason{{Kind: kind, Text: "its arguments are a matter of " + kind}},
	}
	if kind == approval.KindTainted {
		var given struct{ To string }
		ts.Check(json.Unmarshal(a.Arguments, &given))
		a.Reasons[0] = approval.Reason{Kind: kind, Text: "to was seen in the output of run r1", Input: "to", Path: "/to", Value: given.To, Source: "r1"}
	}
	e, err := store.Hold(context.Background(), a)
	ts.Check(err)
	ts.Value(holdingsKey{}).(holdings)[name] = a
	ts.Setenv(name, string(e.ID))
}

// waiting NAME sets $NAME to the id of the one call that waits for a person.
func waiting(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waiting name")
	}
	list, _, err := approvals(ts).List()
	ts.Check(err)
	var ids []string
	for _, e := range list {
		if e.State == approval.Pending {
			ids = append(ids, string(e.ID))
		}
	}
	if len(ids) != 1 {
		ts.Fatalf("%d calls wait", len(ids))
	}
	ts.Setenv(args[0], ids[0])
}

// take NAME [-session S] [-as OTHER] [-race N] is a server that was told to go on: it
// takes the approval and holds it against what it is about to run, which is the
// action of OTHER where that is said. A refusal is a line of JSON on stderr, as the
// program writes it; with -race as many servers do it at once, and what they say
// stands on stdout, counted.
func take(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: [!] take name [-session s] [-as other] [-race n]")
	}
	name, session, other, n := args[0], "s1", args[0], 1
	for args = args[1:]; len(args) > 1; args = args[2:] {
		switch args[0] {
		case "-session":
			session = args[1]
		case "-as":
			other = args[1]
		case "-race":
			_, err := fmt.Sscanf(args[1], "%d", &n)
			ts.Check(err)
		}
	}
	act := ts.Value(holdingsKey{}).(holdings)[other]
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range errs {
		store := approvals(ts)
		all.Go(func() {
			var g approval.Grant
			if g, errs[i] = store.Take(context.Background(), approval.ID(ts.Getenv(name)), session); errs[i] == nil {
				errs[i] = g.Covers(act)
			}
		})
	}
	all.Wait()
	if n > 1 {
		said := map[string]int{}
		for _, err := range errs {
			said[fault.ReasonOf(err)]++
		}
		_, _ = fmt.Fprintf(ts.Stdout(), "ran %d, refused as used %d\n", said[""], said["approval_used"])
		return
	}
	err := errs[0]
	if err != nil {
		line, jsonErr := json.Marshal(map[string]any{"schema": 1, "kind": fault.KindOf(err).String(), "reason": fault.ReasonOf(err), "message": err.Error()})
		ts.Check(jsonErr)
		_, _ = fmt.Fprintf(ts.Stderr(), "%s\n", line)
	}
	if (err != nil) != neg {
		ts.Fatalf("it took the approval: %v", err)
	}
}

// standsAlone tells whether the tests run below an agent, where nobody can approve.
// Its variables do not reach a transcript.
func standsAlone() error {
	h := host.System()
	h.Getenv = func(string) string { return "" }
	return who.Alone(h)
}
