package toolbox_test

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/signing"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
	"github.com/patch-cat/patch-git/verify"
)

var clock = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// scene is a registry in memory and an empty toolbox that trusts it.
type scene struct {
	t     *testing.T
	key   *signing.Key
	store *registry.Memory
	doc   *ledger.Registry
	paths paths.Paths
	box   *toolbox.Toolbox
}

func newScene(t *testing.T) *scene {
	t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, key: key, store: registry.NewMemory(), paths: paths.Paths{Root: t.TempDir()}}
	s.doc = &ledger.Registry{Schema: ledger.RegistrySchema, Name: "demo/tools", Trust: key.Trust()}
	if s.box, err = toolbox.Open(s.paths, func() time.Time { return clock }); err != nil {
		t.Fatal(err)
	}
	s.seal(registry.Batch{})
	s.pin()
	return s
}

func (s *scene) policy() verify.Policy {
	return verify.Policy{Registry: s.doc.Name, Trust: s.doc.Trust}
}

func (s *scene) seal(b registry.Batch) {
	s.t.Helper()
	if _, err := registry.Seal(s.t.Context(), s.store, b, registry.SealOptions{
		Registry: s.doc, Signer: s.key, Now: func() time.Time { return clock }, Checker: "patch-git test",
		CheckHead: func(evidence, head []byte) error { _, err := s.policy().HeadOnly(evidence, head); return err },
	}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) chain() spec.Chain {
	s.t.Helper()
	c, err := registry.FetchHead(s.t.Context(), s.store)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *scene) pin() {
	s.t.Helper()
	c := s.chain()
	if err := s.box.AddPin(s.t.Context(), toolbox.Pin{
		Name: s.doc.Name, Location: "memory", Trust: s.doc.Trust, HeadEvidence: c.HeadEvidence, Head: c.Head, Revoked: c.Revoked,
	}); err != nil {
		s.t.Fatal(err)
	}
}

func toolSource(version spec.Version) []byte {
	return append(manifest.Print(&spec.Tool{
		Format: spec.FormatPatch, Name: "echo_text", Version: version, Description: "Returns the text that it is given.",
		Inputs:       []spec.Input{{Name: "text", Type: spec.TypeString, Description: "The text.", Required: true}},
		Output:       spec.Output{Type: spec.TypeString},
		Capabilities: spec.Capabilities{Filesystem: spec.FilesystemNone},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: "3.9", Packages: []string{}},
	}), "\n\ndef main(text):\n    return text\n"...)
}

func acceptance(version spec.Version) registry.Acceptance {
	data := toolSource(version)
	doc, _ := manifest.Read("tool.py", data, manifest.Strict)
	r := &spec.Release{Ref: spec.Ref{Name: "echo_text", Version: version}, Tool: doc.Tool, Files: []spec.File{
		{Path: "report.json", Data: []byte("{}\n")}, {Path: "tool.py", Data: data},
	}}
	return registry.Acceptance{Release: r, Contributor: ledger.Owner{Login: "ann", ID: 1}, Report: spec.DigestOf(r.Files[0].Data)}
}

// verified publishes a version and returns it as a client would have it.
func (s *scene) verified(version spec.Version) verify.Verified {
	s.t.Helper()
	s.seal(registry.Batch{Accept: []registry.Acceptance{acceptance(version)}})
	c, err := registry.Fetch(s.t.Context(), s.store, spec.Ref{Name: "echo_text", Version: version})
	if err != nil {
		s.t.Fatal(err)
	}
	h, err := s.policy().Head(c.Chain)
	if err != nil {
		s.t.Fatal(err)
	}
	rec, err := h.Record(c.Chain, "echo_text")
	if err != nil {
		s.t.Fatal(err)
	}
	v, err := rec.Release(c)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *scene) install(version spec.Version) toolbox.Receipt {
	s.t.Helper()
	r, err := s.box.Install(s.t.Context(), s.verified(version))
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func TestInstallLoadRemove(t *testing.T) {
	s := newScene(t)
	s.install("1.0.0")
	r := s.install("1.2.0")
	v, err := s.box.Load(r, s.policy())
	if err != nil || !v.OK() {
		t.Fatal(err)
	}
	onDisk, err := os.ReadFile(s.paths.Tool("echo_text"))
	if err != nil || !bytes.Equal(onDisk, toolSource("1.2.0")) {
		t.Errorf("tools/echo_text.py is not the registry's bytes: %v", err)
	}
	list, err := s.box.List()
	if err != nil || len(list) != 1 || list[0].Current != "1.2.0" || !slices.Equal(list[0].Versions, []spec.Version{"1.0.0", "1.2.0"}) {
		t.Errorf("list is %+v, %v", list, err)
	}
	if old, err := s.box.Find(spec.Ref{Name: "echo_text", Version: "1.0.0"}); err != nil {
		t.Error(err)
	} else if _, err := s.box.Load(old, s.policy()); err != nil {
		t.Errorf("the older version: %v", err)
	}
	if _, err := s.box.Remove(t.Context(), spec.Ref{Name: "echo_text", Version: "1.2.0"}); err != nil {
		t.Fatal(err)
	}
	if cur, err := s.box.Find(spec.Ref{Name: "echo_text"}); err != nil || cur.Version != "1.0.0" {
		t.Errorf("after removing 1.2.0 the current version is %v, %v", cur.Version, err)
	} else if _, err := s.box.Load(cur, s.policy()); err != nil {
		t.Error(err)
	}
	if _, err := s.box.Remove(t.Context(), spec.Ref{Name: "echo_text"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.box.Find(spec.Ref{Name: "echo_text"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after removing all: %v", err)
	}
	if _, err := os.Stat(s.paths.Tool("echo_text")); err == nil {
		t.Error("tools/echo_text.py is still there")
	}
}

// TestDamageIsRefused changes what is on disk, one thing at a time.
func TestDamageIsRefused(t *testing.T) {
	for name, damage := range map[string]func(s *scene){
		"the tool is edited": func(s *scene) {
			s.rewrite(s.paths.Tool("echo_text"), func(b []byte) []byte { return append(b, "\nimport os\n"...) })
		},
		"the tool is gone":        func(s *scene) { os.Remove(s.paths.Tool("echo_text")) },
		"the tool is a link":      func(s *scene) { link(s.t, s.paths.Tool("echo_text")) },
		"the evidence is another": func(s *scene) { s.rewrite(s.receipt(ledger.EvidenceFileName), flipMiddle) },
		"the proof is another":    func(s *scene) { s.rewrite(s.receipt(ledger.ProofFileName), flipMiddle) },
		"the release is another":  func(s *scene) { s.rewrite(s.receipt(ledger.ReleaseFileName), flipMiddle) },
		"the receipt is another":  func(s *scene) { s.rewrite(s.receipt("receipt.json"), func([]byte) []byte { return []byte("{}") }) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			r := s.install("1.0.0")
			if _, err := s.box.Load(r, s.policy()); err != nil {
				t.Fatalf("untouched: %v", err)
			}
			damage(s)
			r, err := s.box.Find(spec.Ref{Name: "echo_text"})
			if err == nil {
				_, err = s.box.Load(r, s.policy())
			}
			if k := fault.KindOf(err); err == nil || k != fault.NotVerified && fault.ReasonOf(err) != "not_regular" {
				t.Errorf("got %v (%v)", err, k)
			}
		})
	}
}

func (s *scene) receipt(file string) string {
	return filepath.Join(s.paths.Receipts(), "echo_text", "1.0.0", file)
}

func (s *scene) rewrite(path string, change func([]byte) []byte) {
	s.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func flipMiddle(b []byte) []byte { b[len(b)/2] ^= 1; return b }

func link(t *testing.T, path string) {
	t.Helper()
	real := path + ".real"
	if err := os.Rename(path, real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, path); err != nil {
		t.Fatal(err)
	}
}

func TestOnlyVerifiedIsInstalled(t *testing.T) {
	s := newScene(t)
	if _, err := s.box.Install(t.Context(), verify.Verified{}); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("the zero Verified: %v", err)
	}
	if list, err := s.box.List(); err != nil || len(list) != 0 {
		t.Errorf("list is %v, %v", list, err)
	}
}

// TestReceiptIsTheCommitPoint: an install that died before its receipt is no
// install, one that died after it is, whatever index.json knows.
func TestReceiptIsTheCommitPoint(t *testing.T) {
	s := newScene(t)
	r := s.install("1.0.0")
	if err := os.Remove(s.paths.Index()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.box.Find(spec.Ref{Name: "echo_text"}); err != nil || got.Version != r.Version {
		t.Errorf("without index.json: %v, %v", got, err)
	}
	if err := os.WriteFile(s.paths.Index(), []byte(`{"schema":1,"tools":{"echo_`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := s.box.Find(spec.Ref{Name: "echo_text"}); err != nil || got.Version != r.Version {
		t.Errorf("with half an index.json: %v, %v", got, err)
	}
	if err := os.Remove(s.receipt("receipt.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.box.Find(spec.Ref{Name: "echo_text"}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("without a receipt: %v", err)
	}
	s.install("1.0.1")
	if got, err := s.box.Find(spec.Ref{Name: "echo_text"}); err != nil || got.Version != "1.0.1" {
		t.Errorf("after another install: %v, %v", got, err)
	}
}

// fork is a head like the newest, but with another content.
func (s *scene) fork() spec.Chain {
	s.t.Helper()
	twin := *s
	twin.store = registry.NewMemory()
	twin.seal(registry.Batch{})
	twin.seal(registry.Batch{Accept: []registry.Acceptance{acceptance("0.9.0")}})
	return twin.chain()
}

func TestPins(t *testing.T) {
	s := newScene(t)
	older := s.chain()
	s.verified("1.0.0")
	newer := s.chain()
	before, err := s.box.Pin("demo/tools")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.box.Advance(t.Context(), before, newer); err != nil {
		t.Fatal(err)
	}
	// A slower process comes with what it followed from the head before.
	if err := s.box.Advance(t.Context(), before, s.fork()); fault.ReasonOf(err) != toolbox.ReasonMoved {
		t.Errorf("a fork that nobody compared with the newest head: %v", err)
	}
	if err := s.box.Advance(t.Context(), before, older); err != nil {
		t.Errorf("the head that it had already: %v", err)
	}
	p, err := s.box.Pin("demo/tools")
	if err != nil {
		t.Fatal(err)
	}
	if h, ok, err := p.LastHead(); err != nil || !ok || h.Seen().Seq != 2 {
		t.Errorf("the last head is %v, %v, %v", h.Seen(), ok, err)
	}
	other, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	p.Trust = other.Trust()
	if err := s.box.AddPin(t.Context(), p); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("another key: %v", err)
	}
	p.Trust = s.doc.Trust
	p.Location = "elsewhere"
	if err := s.box.AddPin(t.Context(), p); err != nil {
		t.Errorf("the same key elsewhere: %v", err)
	}
	if all, err := s.box.Pins(); err != nil || len(all) != 1 || all[0].Location != "elsewhere" {
		t.Errorf("pins are %v, %v", all, err)
	}
	if err := s.box.RemovePin(t.Context(), "demo/tools"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.box.Pin("demo/tools"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("after removing: %v", err)
	}
}

func TestNoHome(t *testing.T) {
	if _, err := toolbox.Open(paths.Paths{}, time.Now); fault.KindOf(err) != fault.Unavailable || len(fault.HintsOf(err)) == 0 {
		t.Errorf("got %v", err)
	}
}

// TestUses: what is used more comes before what was used last, and old uses count less.
func TestUses(t *testing.T) {
	s := newScene(t)
	s.install("1.0.0")
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	box, err := toolbox.Open(s.paths, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	uses := func() float64 {
		t.Helper()
		list, err := box.List()
		if err != nil {
			t.Fatal(err)
		}
		glance, err := box.Glance()
		if err != nil || glance[0].Uses != list[0].Uses {
			t.Errorf("at a glance: %+v, %v", glance, err)
		}
		return list[0].Uses
	}
	about := func(want float64) {
		t.Helper()
		if got := uses(); math.Abs(got-want) > 0.01 {
			t.Errorf("at %s: %f uses, want %f", now, got, want)
		}
	}
	about(0)
	for range 3 {
		for range 2 { // the second within a minute
			if err := box.Touch(t.Context(), "echo_text"); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(time.Minute)
	}
	about(3)
	now = now.Add(30 * 24 * time.Hour)
	about(1.5)
	if err := box.Touch(t.Context(), "echo_text"); err != nil {
		t.Fatal(err)
	}
	about(2.5)
	now = now.Add(-time.Hour) // a clock that was set back makes nothing grow
	about(2.5)
}

func TestTouch(t *testing.T) {
	s := newScene(t)
	s.install("1.0.0")
	if err := s.box.Touch(context.Background(), "echo_text"); err != nil {
		t.Fatal(err)
	}
	list, err := s.box.List()
	if err != nil || list[0].LastUsed != "2026-11-21T12:00:00Z" {
		t.Errorf("list is %+v, %v", list, err)
	}
	if b, err := os.ReadFile(s.paths.Index()); err != nil || !strings.Contains(string(b), `"last_used"`) {
		t.Errorf("index.json is %s, %v", b, err)
	}
}
