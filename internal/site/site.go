package site

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/spec"
)

// Result counts what was done.
type Result struct {
	Pages   int `json:"pages"`
	Written int `json:"written"` // of the pages and what is beside them
	Removed int `json:"removed"`
}

// Render writes the pages of the tree that src has into dir. src was verified
// before: a page repeats what it says. It reads the records, the end of the log
// and, of each version, its files, report and evidence.
//
// Only pages of this program's own are replaced or removed, and no link is
// followed: a file at their place that somebody else wrote is Usage "foreign".
// Nothing is synced to the disk: what a power cut loses the next call finds
// different, and writes again.
func Render(ctx context.Context, src registry.Source, dir string) (Result, error) {
	press, err := newPress()
	if err != nil {
		return Result{}, err
	}
	w, err := newWriter(dir)
	if err != nil {
		return Result{}, err
	}
	defer w.close()
	r := &renderer{src: src, press: press, print: press.page, w: w}
	if err := r.run(ctx); err != nil {
		return Result{}, err
	}
	err = w.sweep()
	return w.result, err
}

// renderer is one call of [Render].
type renderer struct {
	src   registry.Source
	press *press
	print func(template string, data any) ([]byte, error)
	w     *writer
	e     edition
}

func (r *renderer) run(ctx context.Context) error {
	var err error
	if r.e.doc, err = read(ctx, r.src, ledger.RegistryPath, ledger.ParseRegistry); err != nil {
		return err
	}
	if r.e.head, err = read(ctx, r.src, ledger.HeadPath, ledger.ParseHead); err != nil {
		return err
	}
	names, err := registry.Names(ctx, r.src)
	if err != nil {
		return err
	}
	events, err := r.e.events(ctx, r.src)
	if err != nil {
		return err
	}
	// What the lists say comes before the pages of the tools, which lead there.
	cards := make([]*card, len(names))
	if err := each(ctx, names, func(ctx context.Context, i int) error {
		record, err := read(ctx, r.src, ledger.RecordPath(names[i]), func(data []byte) (*ledger.Record, error) {
			return ledger.ParseRecord(data, names[i])
		})
		if err == nil {
			cards[i] = cardOf(record)
		}
		return err
	}); err != nil {
		return err
	}
	r.e.cards = slices.DeleteFunc(cards, func(c *card) bool { return c == nil })
	if err := r.lists(ctx, events); err != nil {
		return err
	}
	return each(ctx, names, func(ctx context.Context, i int) error { return r.tool(ctx, names[i]) })
}

// lists writes all but the pages of tools.
func (r *renderer) lists(ctx context.Context, events []event) error {
	shelves := r.e.shelves()
	for _, c := range r.e.cards {
		c.Owners = nil
		for _, o := range c.owners[:min(len(c.owners), 3)] {
			c.Owners = append(c.Owners, r.e.person(o, ""))
		}
	}
	for _, p := range []struct {
		template, path string
		data           any
	}{
		{"start", "index.html", r.e.start(shelves, events)},
		{"browse", "browse/index.html", r.e.browse(shelves, "browse/index.html", maxTags)},
		{"changes", "changes/index.html", r.e.changes(events)},
		{"registry", "registry/index.html", r.e.registry()},
	} {
		if err := r.page(p.template, p.path, p.data); err != nil {
			return err
		}
	}
	if err := each(ctx, shelves, func(_ context.Context, i int) error {
		for path, p := range r.e.pages(shelves[i]) {
			if err := r.page("list", path, p); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	feed, err := r.print("feed", r.e.feed(events))
	if err != nil {
		return err
	}
	lost, err := r.press.lost(string(r.e.doc.Name))
	if err != nil {
		return err
	}
	files := assets()
	files["feed.xml"], files["404.html"] = feed, lost
	for path, data := range files {
		if err := r.w.file(path, data); err != nil {
			return err
		}
	}
	return r.w.flag(".nojekyll")
}

func (r *renderer) page(template, path string, data any) error {
	out, err := r.print(template, data)
	if err != nil {
		return err
	}
	return r.w.page(path, out)
}

// tool writes the pages of one tool.
func (r *renderer) tool(ctx context.Context, n spec.Name) error {
	t, err := open(ctx, r.src, n)
	if err != nil {
		return err
	}
	lines := coloured(t.shown.main, t.shown.source)
	p, err := r.fitted("t/"+string(n)+"/index.html", lines, preview(lines), previewing, func(in room) *toolPage { return t.page(&r.e, in) })
	if err != nil {
		return err
	}
	if p.MoreVersions > 0 {
		all := &versionsPage{shell: r.e.at("t/"+string(n)+"/versions.html", string(n)+", versions"), Name: string(n)}
		all.Versions, _ = t.rows(room{len(t.versions), cellWidth}, "")
		if err := r.page("versions", "t/"+string(n)+"/versions.html", all); err != nil {
			return err
		}
	}
	for i, v := range t.versions {
		if err := r.version(t, i, v); err != nil {
			return err
		}
	}
	return nil
}

func (r *renderer) version(t *tool, i int, v *version) error {
	folder := versionPath(t.record.Name, v.Version)
	lines := coloured(v.main, v.source)
	p, err := r.fitted(folder+"index.html", lines, lines, len(lines), func(in room) *toolPage { return t.versionPage(&r.e, i, in) })
	if err != nil {
		return err
	}
	if p.Source.Part {
		whole := &sourcePage{
			shell: r.e.at(folder+"source.html", p.Name+" "+p.Version+", "+v.main), Name: p.Name, Version: p.Version, Main: v.main,
			Notes: p.Notes, Source: sourceView{Lines: fit(lines, limits.SiteSource, limits.SiteLines), Counted: many(len(lines), "line")},
		}
		whole.Source.Part = len(whole.Source.Lines) < len(lines)
		whole.Source.Whole = whole.Up + fileAt(t.record.Name, v, v.main)
		if err := r.page("source", folder+"source.html", whole); err != nil {
			return err
		}
	}
	if i == 0 {
		return nil
	}
	return r.page("difference", folder+"changes.html", t.changes(&r.e, i))
}

// fitted writes the page of a tool or a version with as much of its source as
// there is room for: some of the lines, of which the source has all.
func (r *renderer) fitted(path string, all, some []line, most int, in func(room) *toolPage) (*toolPage, error) {
	var p *toolPage
	left := 0
	for _, one := range rooms() {
		p = in(one)
		p.Source = sourceView{Counted: many(len(all), "line"), Part: true, Whole: p.Whole}
		bare, err := r.print("tool", p)
		if err != nil {
			return nil, err
		}
		if left = limits.SitePage - len(bare); left > 2*limits.KiB {
			break
		}
	}
	if p.Source.Lines = fit(some, left, most); len(p.Source.Lines) < len(some) {
		p.Source.Lines = trimmed(p.Source.Lines)
	}
	p.Source.Part = len(p.Source.Lines) < len(all)
	return p, r.page("tool", path, p)
}

// each calls do for every index of a list, as many at once as there are
// processors, and returns the first error by the order of the list.
func each[T any](ctx context.Context, list []T, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	next, at, failed := 0, len(list), error(nil)
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil || ctx.Err() != nil {
			return len(list)
		}
		next++
		return next - 1
	}
	for range min(len(list), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := take(); i < len(list); i = take() {
				if err := do(ctx, i); err != nil {
					mu.Lock()
					if i < at {
						at, failed = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if failed == nil {
		return ctx.Err()
	}
	return failed
}
