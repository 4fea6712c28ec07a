package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/picker"
	"github.com/patch-cat/patch-git/spec"
)

// Of all that is found this many can be scrolled through: who has not found it
// until then types another word.
const mostPicked = 100

// fewFound is below how many hits the names that are like what was typed stand
// behind them.
const fewFound = 5

// pick lets a person choose a tool, and pulls it as `pull` does.
func (a *app) pick(ctx context.Context, client *consume.Client, o consume.SearchOptions) error {
	s, err := client.OpenSearch(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	item, err := a.choose(ctx, client, &finder{app: a, search: s, options: o})
	if err != nil || item == nil {
		return err
	}
	// The version that was on the card, and no newer one that came meanwhile.
	c := item.(choice).card
	ref := spec.Ref{Name: c.hit.Name, Version: c.hit.Version}
	pulled, err := a.pull(ctx, client, ref, consume.PullOptions{Registry: c.hit.Registry})
	if err != nil {
		return err
	}
	a.pulled(pulled)
	return nil
}

// choose shows the picker. What the search warns of while the screen is the
// picker's is said when it is no more.
func (a *app) choose(ctx context.Context, client *consume.Client, f *finder) (item picker.Item, err error) {
	said, progress := client.Warn, client.Progress
	var late later
	client.Warn, client.Progress = late.add, nil
	defer func() {
		client.Warn, client.Progress = said, progress
		if said != nil {
			late.tell(said)
		}
	}()
	a.out.endProgress()
	screen, err := a.host.Terminal.Screen()
	if err != nil {
		return nil, fault.New(fault.Unavailable, "terminal", "the terminal cannot be drawn on: %w", err).Hint("patch-git search --plain")
	}
	defer func() {
		if closeErr := screen.Close(); err == nil {
			err = closeErr
		}
	}()
	return picker.Pick(ctx, screen, picker.Options{Query: f.options.Query, Color: a.out.colored, Find: f.find})
}

// choice is a card in the picker, where there is room for what the tool takes.
type choice struct{ card }

// Row is the tool in one line.
func (c choice) Row() (what, right picker.Line) {
	right = badge(c.hit.Permissions)
	if right[0].Style == picker.Good && !c.hit.Permissions.HumanConfirm {
		right = picker.Line{{Text: "no access", Style: picker.Good}}
	}
	return picker.Line{
		{Text: string(c.hit.Name), Style: picker.Strong},
		{Text: " " + string(c.hit.Version) + "  ", Style: picker.Faint},
		{Text: c.hit.Description},
	}, right
}

// Card is all that the list knows of the tool.
func (c choice) Card() []picker.Paragraph {
	out := c.paragraphs()
	head := func(text string) {
		out = append(out, picker.Paragraph{}, picker.Paragraph{Line: picker.Line{{Text: text, Style: picker.Strong}}})
	}
	if inputs := c.hit.Summary.Inputs; len(inputs) > 0 {
		head("inputs")
		for _, in := range inputs {
			out = append(out, picker.Paragraph{Line: picker.Line{{Text: "  " + in.Name + "  "}, {Text: in.Description, Style: picker.Faint}}, Indent: 4})
		}
	}
	if examples := c.hit.Summary.Examples; len(examples) > 0 {
		head("for example")
		for _, e := range examples {
			out = append(out, picker.Paragraph{Line: picker.Text("  " + e), Indent: 4})
		}
	}
	return out
}

// later keeps what is to be said when there is room for it.
type later struct {
	mu    sync.Mutex
	texts []string
}

func (l *later) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, text)
}

func (l *later) tell(to func(string)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range l.texts {
		to(text)
	}
}

// finder answers the picker.
type finder struct {
	app     *app
	search  *consume.Search
	options consume.SearchOptions
	all     []card // read when it is first needed
}

func (f *finder) find(ctx context.Context, query string) (picker.Found, error) {
	found, err := f.search.Find(ctx, query, mostPicked)
	if err != nil {
		return picker.Found{}, err
	}
	cards := cardsOf(found, f.options)
	total := found.Total
	if len(cards) < fewFound {
		like, err := f.like(ctx, query, cards)
		if err != nil {
			return picker.Found{}, err
		}
		cards, total = append(cards, like...), total+len(like)
	}
	out := picker.Found{Total: total}
	for _, c := range cards {
		out.Items = append(out.Items, choice{c})
	}
	for _, remark := range f.app.remarks(found) {
		out.Notes = append(out.Notes, picker.Line{{Text: remark, Style: picker.Faint}})
	}
	for _, u := range found.Unanswered {
		out.Notes = append(out.Notes, picker.Line{{Text: "the tools of " + string(u.Registry) + " are missing: " + u.Message, Style: picker.Bad}})
	}
	return out, nil
}

// like are tools whose names have the letters that were typed, in their order,
// which the search does not look for: it knows words. Best first.
func (f *finder) like(ctx context.Context, query string, but []card) ([]card, error) {
	query = strings.TrimSpace(query)
	if len(query) < 2 || strings.ContainsAny(query, `:"`) {
		return nil, nil
	}
	if f.all == nil {
		found, err := f.search.Find(ctx, "", 0)
		if err != nil {
			return nil, err
		}
		f.all = cardsOf(found, f.options)
	}
	type ranked struct {
		card
		score int
	}
	var found []ranked
	for _, c := range f.all {
		same := func(o card) bool { return o.hit.Name == c.hit.Name && o.hit.Registry == c.hit.Registry }
		if n := picker.Fuzzy(query, string(c.hit.Name)); n > 0 && !slices.ContainsFunc(but, same) {
			c.why = nil
			found = append(found, ranked{c, n})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.hit.Name, b.hit.Name))
	})
	var out []card
	for _, r := range found[:min(len(found), mostPicked)] {
		out = append(out, r.card)
	}
	return out, nil
}
