package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// instances are the Sigstores of all transcripts: theirs, and one that nobody
// trusts.
var instances = sync.OnceValue(func() (both [2]*sigtest.Sigstore) {
	for i := range both {
		s, err := sigtest.New(sigtest.Options{})
		if err != nil {
			panic(err)
		}
		both[i] = s
	}
	return both
})

// The registry of a keyless transcript, and its repository's workflow.
const keylessName spec.RegistryName = "acme/tools"

func ownClaims() sigtest.Claims { return sigtest.GitHub("acme", "tools") }

// job signs as a job with the claims, on an instance that misbehaves so.
type job struct {
	s       *sigtest.Sigstore
	claims  sigtest.Claims
	changes []sigtest.Change
}

func (j job) Sign(_ context.Context, s *ledger.Statement) ([]byte, error) {
	return j.s.Sign(ledger.Encode(s), j.claims, j.changes...)
}

func (job) SignCheckpoint(context.Context, spec.RegistryName, ledger.LogRoot) ([]byte, error) {
	return nil, nil
}

// makeKeyless publishes in a folder as the workflow of acme/tools would, and
// writes trusted_root.json of its Sigstore, which no client has yet:
//
//	keyless FOLDER [name@version]…          accepts tools of the test data
//	keyless -yank|-revoke FOLDER name@version
//	keyless -as claim=value FOLDER […]      by a job with another claim
//	keyless -workflow file.yml FOLDER […]   by another workflow
//
// How the product itself publishes so is in the transcripts of publishing.
func makeKeyless(ts *testscript.TestScript, neg bool, args []string) {
	j, event, workflow := job{s: instances()[0], claims: ownClaims()}, ledger.EventAccept, "publish.yml"
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-yank":
			event = ledger.EventYank
		case "-revoke":
			event = ledger.EventRevoke
		case "-as":
			ts.Check(j.apply(args[1]))
			args = args[1:]
		case "-workflow":
			workflow = args[1]
			j.claims.WorkflowRef = strings.Replace(j.claims.WorkflowRef, "publish.yml", workflow, 1)
			j.claims.JobWorkflowRef = j.claims.WorkflowRef
			args = args[1:]
		}
		args = args[1:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: keyless [-yank|-revoke] [-as claim=value] folder [name@version]…")
	}
	var batch registry.Batch
	for _, at := range args[1:] {
		ref, err := spec.ParseRef(at)
		ts.Check(err)
		if event != ledger.EventAccept {
			batch.Withdraw = append(batch.Withdraw, registry.Withdrawal{Event: event, Name: ref.Name, Version: ref.Version, Reason: "steals keys"})
			continue
		}
		a, err := accepted(ref, toolSource(ts, at))
		ts.Check(err)
		batch.Accept = append(batch.Accept, a)
	}
	id := ledger.GitHubWorkflow(string(keylessName), ".github/workflows/"+workflow, ledger.PublishRef)
	id.RepositoryID, id.OwnerID = j.claims.RepositoryID, j.claims.RepositoryOwnerID
	v1 := published(ts, args[0])
	ts.Check(os.MkdirAll(v1, 0o755))
	_, err := registry.Seal(context.Background(), registry.OpenDir(v1), batch, registry.SealOptions{
		Registry: &ledger.Registry{Schema: ledger.RegistrySchema, Name: keylessName, Trust: ledger.Trust{Kind: ledger.TrustKeyless, Identity: &id}},
		Signer:   j, Now: time.Now, Checker: "patch-git test",
		CheckHead: func([]byte, []byte) error { return nil }, // this registry is its own
	})
	ts.Check(err)
	for i, name := range []string{"trusted_root.json", "other_root.json"} {
		if _, err := os.Stat(ts.MkAbs(name)); err == nil {
			continue // one file, whose bytes do not change
		}
		root, err := instances()[i].TrustedRoot()
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(name), root, 0o644))
	}
}

// accepted is a tool as a registry accepts it.
func accepted(ref spec.Ref, data []byte) (registry.Acceptance, error) {
	m, findings := manifest.Read("tool.py", data, manifest.Strict)
	if m == nil {
		return registry.Acceptance{}, fmt.Errorf("%s has no manifest: %v", ref, findings)
	}
	report := []byte("{}\n")
	return registry.Acceptance{
		Contributor: ledger.Owner{Login: "ann", ID: 1}, Report: spec.DigestOf(report),
		Release: &spec.Release{Ref: ref, Tool: m.Tool, Files: []spec.File{{Path: ledger.ReportFileName, Data: report}, {Path: "tool.py", Data: data}}},
	}, nil
}

// mint signs what a bundle states anew:
//
//	mint EVIDENCE [change]…
//
// as the workflow of acme/tools unless a change names another claim
// (claim=value), has Sigstore misbehave (no-sct), or alters the statement
// (two-subjects). Without a change it is what the workflow would sign.
func mint(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: mint evidence [change]…")
	}
	ts.Check(rewrite(ts.MkAbs(args[0]), func(b []byte) ([]byte, error) {
		payload, err := payloadOf(b)
		if err != nil {
			return nil, err
		}
		j := job{s: instances()[0], claims: ownClaims()}
		for _, change := range args[1:] {
			if change == "blob" {
				return j.s.SignBlob([]byte("bytes"), j.claims)
			}
			if edit, ok := statements[change]; ok {
				payload, err = edit(payload)
			} else {
				err = j.apply(change)
			}
			if err != nil {
				return nil, err
			}
		}
		return j.s.Sign(payload, j.claims, j.changes...)
	}))
}

// apply changes a claim, or what Sigstore does.
func (j *job) apply(change string) error {
	if name, value, ok := strings.Cut(change, "="); ok {
		if at, err := time.ParseDuration(value); name == "stamped" && err == nil {
			j.changes = append(j.changes, sigtest.TimestampAt(time.Now().Add(at)))
			return nil
		}
		if n, err := strconv.Atoi(value); name == "without" && err == nil {
			j.changes = append(j.changes, sigtest.WithoutExtension(n))
			return nil
		}
		text, err := json.Marshal(map[string]string{name: value})
		if err != nil {
			return err
		}
		before := j.claims
		if err := json.Unmarshal(text, &j.claims); err != nil || j.claims == before {
			return fmt.Errorf("there is no claim %q, or it is %q already", name, value)
		}
		return nil
	}
	c, ok := map[string]sigtest.Change{
		"no-sct": sigtest.NoSCT, "foreign-sct": sigtest.ForeignSCT, "two-scts": sigtest.DuplicateSCT,
		"no-timestamp": sigtest.NoTimestamp, "two-timestamps": sigtest.DuplicateTimestamp,
		"older-log": sigtest.OlderLog, "no-log": sigtest.NoLog, "two-logs": sigtest.DuplicateLog, "logged-as-other": sigtest.LogOtherDigest,
		"payload-type": sigtest.PayloadType("text/plain"),
		"last-year":    sigtest.Lifetime(time.Now().AddDate(-1, 0, 0), time.Now().AddDate(-1, 0, 0).Add(10*time.Minute)),
	}[change]
	switch {
	case change == "other-instance":
		j.s = instances()[1]
	case !ok:
		return fmt.Errorf("no change is called %q", change)
	default:
		j.changes = append(j.changes, c)
	}
	return nil
}

// payloadOf returns what a bundle signs, whatever kind of bundle it is.
func payloadOf(bundle []byte) ([]byte, error) {
	var b struct {
		Envelope struct {
			Payload []byte `json:"payload"`
		} `json:"dsseEnvelope"`
	}
	if err := json.Unmarshal(bundle, &b); err != nil || len(b.Envelope.Payload) == 0 {
		return nil, errors.New("the bundle has no payload")
	}
	return b.Envelope.Payload, nil
}

// statements are what an insider might state who has the workflow sign it.
var statements = map[string]func([]byte) ([]byte, error){
	"statement-type": edited(func(s map[string]any) { s["_type"] = "https://in-toto.io/Statement/v99" }),
	"predicate-type": restated(func(s *ledger.Statement) { s.PredicateType = "https://slsa.dev/provenance/v1" }),
	"two-subjects":   edited(func(s map[string]any) { s["subject"] = slices.Repeat(s["subject"].([]any), 2) }),
	"1024-subjects":  edited(func(s map[string]any) { s["subject"] = slices.Repeat(s["subject"].([]any), 1024) }),
	"other-name":     restated(func(s *ledger.Statement) { s.Subject[0].Name = "pkg:patch-git/acme/tools/case_text@1.0.0" }),
	"other-file":     restated(func(s *ledger.Statement) { s.Subject[0].Digest.SHA256 = spec.DigestOf(nil) }),
	"sha512-too":     edited(func(s map[string]any) { digests(s)["sha512"] = strings.Repeat("0", 128) }),
	"git-tree-only": edited(func(s map[string]any) {
		subjectOf(s)["digest"] = map[string]any{"gitTree": digests(s)["sha256"]}
	}),
	"control-characters": restated(func(s *ledger.Statement) { s.PredicateType = "\x1b[2J\u202egnp" }),
}

// restated is a statement that has the right form.
func restated(change func(*ledger.Statement)) func([]byte) ([]byte, error) {
	return func(payload []byte) ([]byte, error) {
		s, err := ledger.ParseStatement(payload)
		if err != nil {
			return nil, err
		}
		change(s)
		return ledger.Encode(s), nil
	}
}

func subjectOf(s map[string]any) map[string]any {
	return s["subject"].([]any)[0].(map[string]any)
}

func digests(s map[string]any) map[string]any { return subjectOf(s)["digest"].(map[string]any) }

// edited is one that has not.
func edited(change func(map[string]any)) func([]byte) ([]byte, error) {
	return func(payload []byte) ([]byte, error) {
		var s map[string]any
		if err := json.Unmarshal(payload, &s); err != nil {
			return nil, err
		}
		change(s)
		out, err := json.Marshal(s)
		return append(out, '\n'), err
	}
}

// retouch changes a bundle after it was made, with nobody's signature:
//
//	retouch EVIDENCE change [OTHER]   where some changes take from another bundle
func retouch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: retouch evidence change [other]")
	}
	var other map[string]any
	if len(args) > 2 {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[2])), &other))
	}
	ts.Check(rewrite(ts.MkAbs(args[0]), func(data []byte) ([]byte, error) {
		var b map[string]any
		if err := json.Unmarshal(data, &b); err != nil {
			return nil, err
		}
		m := b["verificationMaterial"].(map[string]any)
		entry := m["tlogEntries"].([]any)[0].(map[string]any)
		take := func(from map[string]any, key string) any { return from["verificationMaterial"].(map[string]any)[key] }
		switch args[1] {
		case "media-type":
			b["mediaType"] = "application/vnd.dev.sigstore.bundle+json;version=0.2"
		case "no-promise":
			delete(entry, "inclusionPromise")
		case "no-proof":
			delete(entry, "inclusionProof")
		case "integrated-time":
			entry["integratedTime"] = strconv.FormatInt(time.Now().Unix()+1, 10)
		case "log-index":
			entry["logIndex"] = "1234567"
		case "log-of":
			m["tlogEntries"] = take(other, "tlogEntries")
		case "timestamp-of":
			m["timestampVerificationData"] = take(other, "timestampVerificationData")
		case "certificate-of":
			m["certificate"] = take(other, "certificate")
		case "signature-of":
			b["dsseEnvelope"].(map[string]any)["signatures"] = other["dsseEnvelope"].(map[string]any)["signatures"]
		case "two-signatures":
			e := b["dsseEnvelope"].(map[string]any)
			e["signatures"] = slices.Repeat(e["signatures"].([]any), 2)
		case "key":
			delete(m, "certificate")
			m["publicKey"] = map[string]any{"hint": "x"}
		case "unknown-field":
			b["\x1b[2J"] = "\u202egnp"
		case "nothing":
		default:
			return nil, fmt.Errorf("no change is called %q", args[1])
		}
		return json.Marshal(b)
	}))
}
