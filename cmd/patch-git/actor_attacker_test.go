package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// trick is one thing that an attacker does. Who only controls the server has
// the bytes; an insider has the registry's key too.
type trick struct {
	usage string
	play  func(ts *testscript.TestScript, args []string) error
}

var tricks = map[string]trick{
	// flip FILE…: one byte in the middle of each is another.
	"flip": {"file…", func(ts *testscript.TestScript, args []string) error {
		for _, a := range args {
			if err := rewrite(ts.MkAbs(a), func(b []byte) ([]byte, error) { b[len(b)/2] ^= 1; return b, nil }); err != nil {
				return err
			}
		}
		return nil
	}},
	// append FILE TEXT: the file says something more.
	"append": {"file text", func(ts *testscript.TestScript, args []string) error {
		return rewrite(ts.MkAbs(args[0]), func(b []byte) ([]byte, error) { return append(b, args[1]+"\n"...), nil })
	}},
	// replace FILE OLD NEW: the file says something else; Go escapes are read in NEW.
	"replace": {"file old new", func(ts *testscript.TestScript, args []string) error {
		return rewrite(ts.MkAbs(args[0]), func(b []byte) ([]byte, error) {
			if !bytes.Contains(b, []byte(args[1])) {
				return nil, fmt.Errorf("%s has no %q", args[0], args[1])
			}
			return bytes.Replace(b, []byte(args[1]), []byte(unescape(args[2])), 1), nil
		})
	}},
	// swap REGISTRY A B: the release B is served as A.
	"swap": {"registry name@version name@version", func(ts *testscript.TestScript, args []string) error {
		v1 := published(ts, args[0])
		to, err := releaseDir(v1, args[1])
		if err != nil {
			return err
		}
		from, err := releaseDir(v1, args[2])
		if err != nil {
			return err
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		return os.CopyFS(to, os.DirFS(from))
	}},
	// rehint EVIDENCE REGISTRY: the evidence says that the registry's key signed it.
	"rehint": {"evidence registry", func(ts *testscript.TestScript, args []string) error {
		doc, err := ledger.ParseRegistry([]byte(ts.ReadFile(filepath.Join(args[1], "published", ledger.Root, ledger.RegistryPath))))
		if err != nil {
			return err
		}
		return rewrite(ts.MkAbs(args[0]), func(b []byte) ([]byte, error) {
			bundle, err := ledger.ParseBundle(b)
			if err != nil {
				return nil, err
			}
			bundle.Material.PublicKey.Hint = ledger.KeyHint(doc.Trust.Key)
			return ledger.Encode(bundle), nil
		})
	}},
	// resign EVIDENCE KEY CHANGE: an insider signs a statement that the program
	// never would; CHANGE is one of the names below.
	"resign": {"evidence key change", func(ts *testscript.TestScript, args []string) error {
		key, err := signing.LoadKey(ts.MkAbs(args[1]))
		if err != nil {
			return err
		}
		return rewrite(ts.MkAbs(args[0]), func(b []byte) ([]byte, error) { return resign(b, key, args[2]) })
	}},
	// accept REGISTRY KEY NAME@VERSION FILE [WHEEL]: an insider signs and
	// publishes a file that was never checked, under a name of his choice, with
	// a wheel of his choice.
	"accept": {"registry key name@version file [wheel]", func(ts *testscript.TestScript, args []string) error {
		main := filepath.Base(args[3])
		if filepath.Ext(main) == ".py" {
			main = "tool.py"
		}
		return acceptUnchecked(ts, args[0], args[1], args[2], spec.File{Path: main, Data: []byte(ts.ReadFile(args[3]))}, args[4:])
	}},
	// poison-verdicts STATE edit|key: somebody who can write to the cache edits
	// what was verified, or brings entries and key of his own.
	"poison-verdicts": {"state how", func(ts *testscript.TestScript, args []string) error {
		dir := filepath.Join(ts.MkAbs(args[0]), "cache", "verdicts")
		files, err := filepath.Glob(filepath.Join(dir, "??", "*"))
		if err != nil || len(files) == 0 {
			return fmt.Errorf("no verdicts in %s: %w", dir, err)
		}
		if args[1] == "key" {
			return os.WriteFile(filepath.Join(dir, "key"), []byte(strings.Repeat("ab", 32)), 0o600)
		}
		for _, f := range files {
			if err := rewrite(f, func(b []byte) ([]byte, error) { return bytes.ReplaceAll(b, []byte("acme"), []byte("evil")), nil }); err != nil {
				return err
			}
		}
		return nil
	}},
	// conceal REGISTRY KEY: an insider empties the revoked list; the log keeps what was in it.
	// mislead REGISTRY KEY TOOL WHAT: an insider's record says something else than evidence and manifest.
	"mislead": {"registry key tool what", func(ts *testscript.TestScript, args []string) error {
		return mislead(ts, args[0], args[1], args[2], args[3])
	}},
	"conceal": {"registry key", func(ts *testscript.TestScript, args []string) error { return conceal(ts, args[0], args[1]) }},
	// served SITE ENDING HOW: who has the server changes the files of the search
	// whose names end so; HOW is one of those of spoiled.
	"served": {"site ending how", func(ts *testscript.TestScript, args []string) error {
		return spoil(filepath.Join(ts.MkAbs(args[0]), ledger.Root, ledger.SearchDir, "*"+args[1]), args[2])
	}},
	// index SITE KEY HOW: an insider signs a head with an index of his own and
	// serves that; HOW is one of those of hostileIndex.
	"index": {"site key how", func(ts *testscript.TestScript, args []string) error {
		return signIndex(ts.MkAbs(args[0]), ts.MkAbs(args[1]), args[2])
	}},
	// kept STATE HOW: the index that a user keeps is damaged, as spoiled has it.
	"kept": {"state how", func(ts *testscript.TestScript, args []string) error {
		return spoil(filepath.Join(ts.MkAbs(args[0]), "cache", "search", "*", "*", "index", "*", "store", "*.zap"), args[1])
	}},
	// http TRICK [PATH]: the server of $URL misbehaves where a path ends so.
	"http": {"trick [path]", func(ts *testscript.TestScript, args []string) error {
		s := served(ts)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trick, s.at = args[0], ""
		if s.trick == "honest" {
			s.trick = ""
		}
		if len(args) > 1 {
			s.at = args[1]
		}
		return nil
	}},
}

// attacker TRICK ARGS… plays a trick.
func attacker(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: attacker trick args…")
	}
	t, ok := tricks[args[0]]
	if !ok {
		ts.Fatalf("no trick is called %q", args[0])
	}
	if need := len(strings.Fields(strings.Split(t.usage, "[")[0])); len(args)-1 < need {
		ts.Fatalf("usage: attacker %s %s", args[0], t.usage)
	}
	ts.Check(t.play(ts, args[1:]))
}

func published(ts *testscript.TestScript, dir string) string {
	return filepath.Join(ts.MkAbs(dir), "published", ledger.Root)
}

func releaseDir(v1, at string) (string, error) {
	ref, err := spec.ParseRef(at)
	return filepath.Join(v1, filepath.FromSlash(ledger.ReleaseDir(ref.Name, ref.Version))), err
}

func rewrite(path string, change func([]byte) ([]byte, error)) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if data, err = change(data); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// unescape reads \u202e and \x1b, which a transcript should not hold as they are.
func unescape(s string) string {
	var out string
	if json.Unmarshal([]byte(`"`+strings.ReplaceAll(s, `"`, `\"`)+`"`), &out) != nil {
		return s
	}
	return out
}

// resign changes a statement and signs it with a key.
func resign(evidence []byte, key *signing.Key, change string) ([]byte, error) {
	bundle, err := ledger.ParseBundle(evidence)
	if err != nil {
		return nil, err
	}
	s, err := ledger.ParseStatement(bundle.Envelope.Payload)
	if err != nil {
		return nil, err
	}
	a, err := ledger.ParseAcceptance(s)
	if err != nil {
		return nil, err
	}
	switch change {
	case "nothing":
	case "two-subjects":
		s.Subject = append(s.Subject, s.Subject[0])
	case "registry":
		a.Registry.Name = "demo/else"
	case "network":
		a.Permissions.Network = true
	case "main-file":
		s.Subject[0].Digest.SHA256 = spec.DigestOf(nil)
	default:
		return nil, fmt.Errorf("no change is called %q", change)
	}
	body := ledger.Encode(a)
	s.Predicate = body[:len(body)-1]
	payload := ledger.Encode(s)
	sig, err := key.SignRaw(ledger.PAE(ledger.PayloadType, payload))
	if err != nil {
		return nil, err
	}
	return ledger.Encode(ledger.NewBundle(ledger.KeyHint(key.Trust().Key), payload, sig)), nil
}

// acceptUnchecked seals a release as a registry would that checks nothing.
func acceptUnchecked(ts *testscript.TestScript, dir, keyFile, at string, main spec.File, wheels []string) error {
	key, err := signing.LoadKey(ts.MkAbs(keyFile))
	if err != nil {
		return err
	}
	ref, err := spec.ParseRef(at)
	if err != nil {
		return err
	}
	doc, err := ledger.ParseRegistry([]byte(ts.ReadFile(filepath.Join(dir, "published", ledger.Root, ledger.RegistryPath))))
	if err != nil {
		return err
	}
	m, _ := manifest.Read(main.Path, main.Data, manifest.Lenient)
	if m == nil {
		return errors.New("not even a manifest")
	}
	tool := m.Tool
	tool.Name, tool.Version = ref.Name, ref.Version
	report := []byte("{}\n")
	a := registry.Acceptance{Contributor: ledger.Owner{Login: "insider"}, Report: spec.DigestOf(report)}
	files := []spec.File{{Path: ledger.ReportFileName, Data: report}, main}
	for _, w := range wheels {
		closure := closureFile(ts, w)
		digest := spec.DigestOf(closure)
		a.Closure = &digest
		files = append([]spec.File{{Path: ledger.ClosureFileName, Data: closure}}, files...)
	}
	slices.SortFunc(files, func(a, b spec.File) int { return strings.Compare(a.Path, b.Path) })
	a.Release = &spec.Release{Ref: ref, Tool: tool, Files: files}
	_, err = registry.Seal(context.Background(), registry.OpenDir(published(ts, dir)), registry.Batch{Accept: []registry.Acceptance{a}}, registry.SealOptions{
		Registry: doc, Signer: key, Now: time.Now, Checker: "nobody",
		CheckHead: func([]byte, []byte) error { return nil },
	})
	return err
}

// badText NAME sets a variable to what a terminal would obey.
func badText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: bad-text variable")
	}
	ts.Setenv(args[0], "\x1b[2J\u202egnp\u200b")
}
