package registry

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// plan is what of a batch is new, checked against the current state, sorted
// so that the caller's order leaves no trace in the log.
type plan struct {
	accept   []accepted
	withdraw []Withdrawal
	changed  []spec.Name // by metadata
	meta     map[spec.Name]ToolMeta
	records  map[spec.Name]*ledger.Record // of all names concerned; nil: a new name

	fresh map[spec.Name]map[spec.Version]spec.Digest // what accept has
	wish  map[wish]Withdrawal                        // what Batch.Withdraw has, done before or not
}

// wish is what a batch can want once of a version: to be offered or not, and
// to be revoked.
type wish struct {
	ref    spec.Ref
	revoke bool
}

// accepted is one acceptance with the document that it makes.
type accepted struct {
	Acceptance
	doc    *ledger.Release
	raw    []byte // release.json
	digest spec.Digest
}

func (a *accepted) ref() spec.Ref { return a.doc.Ref(a.digest) }

func newPlan(ctx context.Context, cur *chain, b Batch, registry spec.RegistryName) (*plan, error) {
	p := &plan{
		meta: map[spec.Name]ToolMeta{}, records: map[spec.Name]*ledger.Record{},
		fresh: map[spec.Name]map[spec.Version]spec.Digest{}, wish: map[wish]Withdrawal{},
	}
	for _, a := range b.Accept {
		if err := p.addRelease(ctx, cur, a, registry); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.accept, func(x, y accepted) int { return byRef(x.ref(), y.ref()) })
	for _, w := range b.Withdraw {
		if err := p.addWithdrawal(ctx, cur, w); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(p.withdraw, func(x, y Withdrawal) int {
		return cmp.Or(byRef(x.ref(), y.ref()), cmp.Compare(x.Event, y.Event))
	})
	for _, m := range b.Meta {
		if err := p.addMeta(ctx, cur, m); err != nil {
			return nil, err
		}
	}
	slices.Sort(p.changed)
	return p, nil
}

func (p *plan) empty() bool { return len(p.accept)+len(p.withdraw)+len(p.changed) == 0 }

// refs lists what is newly accepted.
func (p *plan) refs() []spec.Ref {
	var out []spec.Ref
	for _, a := range p.accept {
		out = append(out, a.ref())
	}
	return out
}

// record looks a name up once.
func (p *plan) record(ctx context.Context, cur *chain, n spec.Name) (*ledger.Record, error) {
	if r, ok := p.records[n]; ok {
		return r, nil
	}
	r, err := cur.record(ctx, n)
	if err == nil {
		p.records[n] = r
	}
	return r, err
}

func (p *plan) addRelease(ctx context.Context, cur *chain, in Acceptance, registry spec.RegistryName) error {
	a, err := newAccepted(in, registry)
	if err != nil {
		return err
	}
	r, err := p.record(ctx, cur, a.doc.Name)
	if err != nil {
		return err
	}
	published, same := false, false
	if r != nil {
		if v := r.Find(a.doc.Version); v != nil {
			published, same = true, v.Release == a.digest
		}
	}
	if twin, ok := p.fresh[a.doc.Name][a.doc.Version]; ok {
		published, same = true, twin == a.digest
	}
	switch {
	case published && !same:
		return fault.New(fault.Findings, "immutable", "%s is published with other content and never changes", a.ref().At()).
			Hint("raise the version; patch-git info %s shows the published ones", a.doc.Name)
	case !published:
		p.accept = append(p.accept, *a)
		if p.fresh[a.doc.Name] == nil {
			p.fresh[a.doc.Name] = map[spec.Version]spec.Digest{}
		}
		p.fresh[a.doc.Name][a.doc.Version] = a.digest
	}
	return nil
}

// newAccepted makes release.json and reads it back, so that nothing is signed
// that a client would refuse.
func newAccepted(in Acceptance, registry spec.RegistryName) (*accepted, error) {
	r := in.Release
	if r == nil || r.Ref.Name != r.Tool.Name || r.Ref.Version != r.Tool.Version {
		return nil, fault.New(fault.Usage, "release", "an acceptance has no release, or one whose manifest is about another version")
	}
	a := &accepted{Acceptance: in, raw: ledger.Encode(ledger.NewRelease(registry, r))}
	var err error
	if a.doc, err = ledger.ParseRelease(a.raw); err != nil {
		return nil, fault.New(fault.Findings, "release", "%s: %w", spec.Quote(r.Ref.At()), err)
	}
	a.digest = spec.DigestOf(a.raw)
	if err := a.checkPaths(); err != nil {
		return nil, err
	}
	if n := a.doc.MainFile().Size; n > limits.ToolFile {
		return nil, fault.New(fault.Findings, "release", "%s has a main file of %d bytes, allowed are %d", r.Ref.At(), n, limits.ToolFile)
	}
	closure := a.doc.Find(ledger.ClosureFileName)
	report := a.doc.Find(ledger.ReportFileName)
	if (closure == nil) != (in.Closure == nil) || closure != nil && closure.SHA256 != *in.Closure || report != nil && report.SHA256 != in.Report {
		return nil, fault.New(fault.Usage, "release", "%s: the digest of the report or the closure is not that of the file", r.Ref.At())
	}
	if len(a.Owners) == 0 {
		a.Owners = []ledger.Owner{in.Contributor}
	}
	if in.Contributor != (ledger.Owner{}) {
		if err := checkOwners(r.Ref.Name, []ledger.Owner{in.Contributor}); err != nil {
			return nil, err
		}
	}
	return a, checkOwners(r.Ref.Name, a.Owners)
}

// checkPaths refuses files that cannot lie in one folder together, or not with
// the documents that are put beside them.
func (a *accepted) checkPaths() error {
	files := map[string]bool{ledger.ReleaseFileName: true, ledger.EvidenceFileName: true, ledger.ProofFileName: true}
	for _, f := range a.doc.Files {
		low := strings.ToLower(f.Path)
		if files[low] {
			return fault.New(fault.Findings, "release", "%s has the file %q, whose name is taken", a.ref().At(), f.Path)
		}
		files[low] = true
	}
	for _, f := range a.doc.Files {
		low := strings.ToLower(f.Path)
		for i, c := range low {
			if c == '/' && files[low[:i]] {
				return fault.New(fault.Findings, "release", "%s has %q as a file and as a folder", a.ref().At(), f.Path[:i])
			}
		}
	}
	return nil
}

func (p *plan) addWithdrawal(ctx context.Context, cur *chain, w Withdrawal) error {
	r, err := p.record(ctx, cur, w.Name)
	if err != nil {
		return err
	}
	var now ledger.RecordVersion
	if r != nil && r.Find(w.Version) != nil {
		now = *r.Find(w.Version)
	} else if p.fresh[w.Name][w.Version].IsZero() {
		return fault.New(fault.NotFound, "no_version", "%s was never published", spec.Quote(w.ref().At()))
	}
	if w.Event == ledger.EventUnyank {
		w.Reason = ""
	} else if err := checkReason(w.Event, w.ref(), w.Reason); err != nil {
		return err
	}
	var done bool
	switch w.Event {
	case ledger.EventYank, ledger.EventUnyank:
		done = now.Yanked == w.Reason
	case ledger.EventRevoke:
		done = now.Revoked == w.Reason
	default:
		return fault.New(fault.Usage, "event", "%s is not a withdrawal", spec.Quote(string(w.Event)))
	}
	key := wish{w.ref(), w.Event == ledger.EventRevoke}
	if other, twice := p.wish[key]; twice {
		if other != w { // two wishes for one version have no order in a batch
			return fault.New(fault.Usage, "batch", "the batch contradicts itself about %s", w.ref().At())
		}
		return nil
	}
	p.wish[key] = w
	if !done {
		p.withdraw = append(p.withdraw, w)
	}
	return nil
}

func (w Withdrawal) ref() spec.Ref { return spec.Ref{Name: w.Name, Version: w.Version} }

func (p *plan) addMeta(ctx context.Context, cur *chain, m ToolMeta) error {
	r, err := p.record(ctx, cur, m.Name)
	if err != nil {
		return err
	}
	if r == nil && p.fresh[m.Name] == nil {
		return fault.New(fault.NotFound, "no_tool", "%s was never published", spec.Quote(string(m.Name)))
	}
	if err := checkOwners(m.Name, m.Owners); err != nil {
		return err
	}
	if err := checkText("deprecated", m.Deprecated); err != nil {
		return fault.New(fault.Usage, "reason", "%s: %w", m.Name, err)
	}
	if m.ReplacedBy == m.Name {
		return fault.New(fault.Usage, "replaced_by", "%s cannot be replaced by itself", m.Name)
	}
	if old, ok := p.meta[m.Name]; ok {
		if !bytes.Equal(ledger.Encode(old), ledger.Encode(m)) {
			return fault.New(fault.Usage, "batch", "the batch contradicts itself about %s", m.Name)
		}
		return nil
	}
	p.meta[m.Name] = m
	if r == nil || !slices.Equal(r.Owners, m.Owners) || r.Deprecated != m.Deprecated || r.ReplacedBy != m.ReplacedBy {
		p.changed = append(p.changed, m.Name)
	}
	return nil
}

// checkOwners refuses a tool that nobody or nobody nameable would own.
func checkOwners(n spec.Name, owners []ledger.Owner) error {
	if len(owners) == 0 {
		return fault.New(fault.Usage, "owners", "%s must have an owner", n)
	}
	if len(owners) > limits.Owners {
		return fault.New(fault.Usage, "owners", "%s has %d owners, allowed are %d", n, len(owners), limits.Owners)
	}
	for _, o := range owners {
		if err := checkText("login", o.Login); err != nil || o.Login == "" || len(o.Login) > limits.Login || o.ID < 0 {
			return fault.New(fault.Usage, "owners", "%s has the owner %s with the number %d", n, spec.Quote(o.Login), o.ID)
		}
	}
	return nil
}

// checkReason refuses a withdrawal that people would be shown no reason for.
func checkReason(e ledger.Event, r spec.Ref, reason string) error {
	if err := checkText("reason", reason); err != nil || reason == "" {
		return fault.New(fault.Usage, "reason", "%s of %s needs a reason of one line", e, r.At()).
			Hint(`say why, as in --reason "leaks its input"`)
	}
	return nil
}

// checkText refuses foreign text that would break a line or a terminal. What
// else it may not be is for sanitize, where it is shown.
func checkText(what, s string) error {
	if len(s) > limits.Description || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s {
		return fault.New(fault.Usage, what, "%s is not one line of at most %d bytes: %s", what, limits.Description, spec.Quote(s))
	}
	return nil
}

func byRef(a, b spec.Ref) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), a.Version.Compare(b.Version))
}
