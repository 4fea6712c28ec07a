package registry_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

func TestSealRefuses(t *testing.T) {
	story := sealStory()
	base := registry.NewMemory()
	for i, b := range story[:3] {
		mustSeal(t, base, b, sealOptions(t, i))
	}
	fresh := func() *registry.Memory {
		s := registry.NewMemory()
		for p, b := range base.Files() {
			if err := s.Write(t.Context(), p, b, false); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	good := func() registry.Batch {
		return registry.Batch{
			Accept: []registry.Acceptance{acceptance(sealRelease("new_tool", "1.0.0", "Is new."))},
			Withdraw: []registry.Withdrawal{
				{Event: ledger.EventYank, Name: "csv_to_json", Version: "1.1.0", Reason: "broken"},
				{Event: ledger.EventRevoke, Name: "csv_to_json", Version: "1.1.0", Reason: "broken"},
			},
			Meta: []registry.ToolMeta{{Name: "text_diff", Owners: []ledger.Owner{{Login: "ada", ID: 7}}, ReplacedBy: "csv_to_json"}},
		}
	}
	withFiles := func(paths ...string) registry.Acceptance {
		var more []spec.File
		for _, p := range paths {
			more = append(more, spec.File{Path: p, Data: []byte("x")})
		}
		return acceptance(sealRelease("new_tool", "1.0.0", "Is new.", more...))
	}
	for name, c := range map[string]struct {
		change func(*registry.Batch, *registry.SealOptions)
		kind   fault.Kind
		reason string
	}{
		"published version, other bytes": {func(b *registry.Batch, _ *registry.SealOptions) {
			b.Accept = append(b.Accept, acceptance(sealRelease("csv_to_json", "1.0.0", "Turns CSV into money.")))
		}, fault.Findings, "immutable"},
		"one version twice in a batch": {func(b *registry.Batch, _ *registry.SealOptions) {
			b.Accept = append(b.Accept, acceptance(sealRelease("new_tool", "1.0.0", "Is newer.")))
		}, fault.Findings, "immutable"},
		"withdrawal of what never was":        {func(b *registry.Batch, _ *registry.SealOptions) { b.Withdraw[0].Version = "9.9.9" }, fault.NotFound, "no_version"},
		"withdrawal of a name that never was": {func(b *registry.Batch, _ *registry.SealOptions) { b.Withdraw[0].Name = "../../etc" }, fault.NotFound, "no_version"},
		"withdrawal without reason":           {func(b *registry.Batch, _ *registry.SealOptions) { b.Withdraw[0].Reason = "" }, fault.Usage, "reason"},
		"reason with an escape sequence":      {func(b *registry.Batch, _ *registry.SealOptions) { b.Withdraw[0].Reason = "a\x1b[2J" }, fault.Usage, "reason"},
		"withdrawal that is an acceptance":    {func(b *registry.Batch, _ *registry.SealOptions) { b.Withdraw[0].Event = ledger.EventAccept }, fault.Usage, "event"},
		"yank and unyank at once": {func(b *registry.Batch, _ *registry.SealOptions) {
			b.Withdraw = append(b.Withdraw, registry.Withdrawal{Event: ledger.EventUnyank, Name: "csv_to_json", Version: "1.1.0"})
		}, fault.Usage, "batch"},
		"metadata of a name that never was": {func(b *registry.Batch, _ *registry.SealOptions) { b.Meta[0].Name = "no_such" }, fault.NotFound, "no_tool"},
		"tool without owner":                {func(b *registry.Batch, _ *registry.SealOptions) { b.Meta[0].Owners = nil }, fault.Usage, "owners"},
		"owner without login":               {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0].Contributor.Login = "" }, fault.Usage, "owners"},
		"more owners than a tool may have": {func(b *registry.Batch, _ *registry.SealOptions) {
			b.Meta[0].Owners = slices.Repeat(b.Meta[0].Owners, limits.Owners+1)
		}, fault.Usage, "owners"},
		"owner with a long login": {func(b *registry.Batch, _ *registry.SealOptions) {
			b.Meta[0].Owners[0].Login = strings.Repeat("a", limits.Login+1)
		}, fault.Usage, "owners"},
		"example of two lines":            {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0].Release.Tool.Examples = []string{"a\nb"} }, fault.Findings, "record"},
		"tool replaced by itself":         {func(b *registry.Batch, _ *registry.SealOptions) { b.Meta[0].ReplacedBy = "text_diff" }, fault.Usage, "replaced_by"},
		"replacement that is no name":     {func(b *registry.Batch, _ *registry.SealOptions) { b.Meta[0].ReplacedBy = "../x" }, fault.Findings, "record"},
		"file that climbs out":            {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0] = withFiles("../x") }, fault.Findings, "release"},
		"file in place of the evidence":   {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0] = withFiles("Evidence.sigstore.json") }, fault.Findings, "release"},
		"file that is also a folder":      {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0] = withFiles("data", "data/x") }, fault.Findings, "release"},
		"folder in place of release.json": {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0] = withFiles("release.json/x") }, fault.Findings, "release"},
		"files that differ in case only":  {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0] = withFiles("DATA", "data") }, fault.Findings, "release"},
		"manifest of another tool":        {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0].Release.Tool.Name = "text_diff" }, fault.Usage, "release"},
		"no release":                      {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0].Release = nil }, fault.Usage, "release"},
		"report that is another file":     {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0].Report[0]++ }, fault.Usage, "release"},
		"closure that is not there":       {func(b *registry.Batch, _ *registry.SealOptions) { b.Accept[0].Closure = &spec.Digest{1} }, fault.Usage, "release"},
		"closure that is not named": {func(b *registry.Batch, _ *registry.SealOptions) {
			b.Accept[0] = withFiles("closure.json")
			b.Accept[0].Closure = nil
		}, fault.Usage, "release"},
		"main file that is too large": {func(b *registry.Batch, _ *registry.SealOptions) {
			r := b.Accept[0].Release
			i := slices.IndexFunc(r.Files, func(f spec.File) bool { return f.Path == "tool.py" })
			r.Files[i].Data = bytes.Repeat([]byte("#"), 256<<10+1)
		}, fault.Findings, "release"},
		"commit that is no commit": {func(_ *registry.Batch, o *registry.SealOptions) { o.Commit = "main" }, fault.Usage, "head"},
		"no head check":            {func(_ *registry.Batch, o *registry.SealOptions) { o.CheckHead = nil }, fault.Internal, "seal_options"},
		"no signer":                {func(_ *registry.Batch, o *registry.SealOptions) { o.Signer = nil }, fault.Internal, "seal_options"},
		"no trust":                 {func(_ *registry.Batch, o *registry.SealOptions) { o.Registry.Trust = ledger.Trust{} }, fault.Usage, "registry"},
		"another registry":         {func(_ *registry.Batch, o *registry.SealOptions) { o.Registry.Name = "acme/other" }, fault.NotVerified, "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			s, b, o := fresh(), good(), sealOptions(t, 9)
			before := s.Files()
			c.change(&b, &o)
			_, err := registry.Seal(t.Context(), s, b, o)
			if fault.KindOf(err) != c.kind || fault.ReasonOf(err) != c.reason {
				t.Errorf("got %v (%v, %q), want %v, %q", err, fault.KindOf(err), fault.ReasonOf(err), c.kind, c.reason)
			}
			if !maps.EqualFunc(before, s.Files(), bytes.Equal) {
				t.Error("a refused batch changed the tree")
			}
		})
	}
	s := fresh()
	if out := mustSeal(t, s, good(), sealOptions(t, 9)); !out.New {
		t.Error("the batch that all cases change was not accepted")
	}
	auditSettled(t, s.Files())
}

// A registry does not build on a tree of its own that is not whole.
func TestSealRefusesADamagedTree(t *testing.T) {
	base := registry.NewMemory()
	for i, b := range sealStory() {
		mustSeal(t, base, b, sealOptions(t, i))
	}
	next := registry.Batch{Accept: []registry.Acceptance{acceptance(sealRelease("csv_to_json", "3.0.0", "Is new."))}}
	flip := func(b []byte) []byte { b[len(b)/2] ^= 1; return b }
	for name, path := range map[string]string{
		"pointer": ledger.HeadEvidencePath, "head": ledger.HeadPath, "buckets": ledger.BucketsPath, "revoked": ledger.RevokedPath,
		"bucket": ledger.BucketPath(ledger.BucketOf("csv_to_json")), "record": ledger.RecordPath("csv_to_json"),
		"entry tile": ledger.PartialTilePaths(7)[1], "hash tile": ledger.PartialTilePaths(7)[0],
	} {
		t.Run(name, func(t *testing.T) {
			s := registry.NewMemory()
			lost := spec.DigestOf(base.Files()[path])
			for p, b := range base.Files() {
				if p == path {
					b = flip(b)
				}
				if p != ledger.ObjectPath(lost) {
					if err := s.Write(t.Context(), p, b, false); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := s.Files()
			if _, err := registry.Seal(t.Context(), s, next, sealOptions(t, 9)); err == nil {
				t.Error("was built upon")
			} else if fault.KindOf(err) != fault.NotVerified && path != ledger.HeadEvidencePath {
				t.Errorf("got %v, want not verified", err)
			}
			if !maps.EqualFunc(before, s.Files(), bytes.Equal) {
				t.Error("the damaged tree was changed")
			}
		})
	}
	t.Run("pointer lost", func(t *testing.T) {
		s := registry.NewMemory()
		for p, b := range base.Files() {
			if p != ledger.HeadEvidencePath {
				if err := s.Write(t.Context(), p, b, false); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := registry.Seal(t.Context(), s, next, sealOptions(t, 9)); fault.ReasonOf(err) != "damaged" {
			t.Errorf("got %v, want damaged", err)
		}
	})
	t.Run("undamaged twin", func(t *testing.T) {
		mustSeal(t, base, next, sealOptions(t, 9))
		auditSettled(t, base.Files())
	})
}
