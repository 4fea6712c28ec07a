package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

const searchHelp = `Find tools by words of their names, descriptions, inputs, tags and examples, best
first. Without words, list all tools; at a terminal, pick one of them: the list
follows what is typed, Enter pulls, Esc leaves. --pick does so with words, too,
--plain never.

A word is looked for in all its forms ("converting" finds "convert"), and one that
no tool has is completed or corrected, which is said. Words between double quotes
stand together: '"pivot table"'. Operators narrow what is found:

  name:csv              part of the name          kind:patch           format of the manifest
  tag:pdf               one of its tags           license:mit          one of its licences
  by:alice              its publisher             verified:yes         sent by its publisher
  network:no            has no network            deprecated:no        its publisher stands by it
  fs:none               sees none of your files; also fs:read-only, fs:read-write

All of them have to hold. A dash before one turns it round; it goes behind --, so
that it is no flag of this command: patch-git search csv -- -by:alice

The list of a registry is brought up to date first, which is one small request if
nothing changed. --offline asks nobody and answers from what is on this machine.
Where one of several registries cannot be reached, or is refused, the others answer,
and the exit code says that some may be missing.`

// searchFlags are what a search can be told.
type searchFlags struct {
	in                   string
	limit                int
	offline, facets      bool
	pick, plain, counted bool // counted: --limit was given
}

func (a *app) searchCommand() *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search [words]",
		Short: "Find tools by words; at a terminal, pick one",
		Long:  searchHelp,
		Example: `  patch-git search pdf table
  patch-git search turn a spreadsheet into json network:no
  patch-git search --facets csv
  patch-git search --pick csv
  patch-git search --json csv | jq '.hits[].name'`,
		ValidArgsFunction: a.completeQuery,
		RunE: func(c *cobra.Command, args []string) error {
			f.counted = c.Flags().Changed("limit")
			if err := a.checkSearch(f); err != nil {
				return err
			}
			client, err := a.client()
			if err != nil {
				return err
			}
			name, err := registryFlag(f.in)
			if err != nil {
				return err
			}
			o := consume.SearchOptions{Query: strings.Join(args, " "), Registry: name, Limit: f.limit, Offline: f.offline, Facets: f.facets}
			if f.pick || len(args) == 0 && a.picks(f) {
				return a.pick(c.Context(), client, o)
			}
			return a.search(c.Context(), client, o)
		},
	}
	a.registryFlagOf(c, &f.in)
	a.maxAgeFlag(c)
	c.Flags().IntVar(&f.limit, "limit", 10, "at most this many; 0 is all")
	c.Flags().BoolVar(&f.offline, "offline", false, "ask nobody: search what is on this machine")
	c.Flags().BoolVar(&f.facets, "facets", false, "say by what the hits can be narrowed")
	c.Flags().BoolVar(&f.pick, "pick", false, "pick one of what is found, and pull it")
	c.Flags().BoolVar(&f.plain, "plain", false, "print a list, at a terminal too")
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		e := usage("%w", err)
		if strings.Contains(err.Error(), ":") {
			e = e.Hint("an operator that begins with a dash goes behind --, as in: patch-git search csv -- -tag:pdf")
		}
		return e.Hint("%s --help", c.CommandPath())
	})
	return c
}

// picks tells whether a person is there to pick, who said nothing else.
func (a *app) picks(f searchFlags) bool {
	t := a.host.Terminal
	return t.Stdin && t.Stdout && t.Screen != nil && a.host.Getenv("TERM") != "dumb" && !a.json && !f.plain && !f.facets && !f.counted
}

func (a *app) checkSearch(f searchFlags) error {
	switch {
	case f.limit < 0:
		return usage("--limit is %d, allowed are 0 and more", f.limit)
	case f.pick && (a.json || f.plain || f.facets || f.counted):
		return usage("--pick is for a person who looks at all of it; it goes with none of --json, --plain, --facets and --limit")
	case f.pick && !a.picks(f):
		return usage("--pick needs a terminal that it can draw on, for input and output").Hint("patch-git search --plain")
	}
	return nil
}

// foundDocument is the answer of a search with --json.
type foundDocument struct {
	Schema int `json:"schema"`
	*consume.Found
	Hits []hitDocument `json:"hits"`
}

type hitDocument struct {
	consume.Hit
	Install string `json:"install"` // what to type to have it
}

func (a *app) search(ctx context.Context, client *consume.Client, o consume.SearchOptions) error {
	found, err := client.Search(ctx, o)
	if err != nil {
		return err
	}
	cards := cardsOf(found, o)
	if a.json {
		doc := foundDocument{Schema: 1, Found: found, Hits: []hitDocument{}}
		for _, c := range cards {
			doc.Hits = append(doc.Hits, hitDocument{c.hit, c.install()})
		}
		if err := a.out.document(doc); err != nil {
			return err
		}
		return found.Incomplete()
	}
	a.out.cards(cards)
	if o.Facets {
		a.out.facets(found.Facets, found.Total)
	}
	if len(found.Hits) == 0 {
		a.out.say("no tool matches")
	}
	if !a.quiet {
		if len(found.Hits) < found.Total {
			a.out.say("these are %d of %d; --limit 0 shows all", len(found.Hits), found.Total)
		}
		for _, remark := range a.remarks(found) {
			a.out.say("%s", oneLine(safe(remark)))
		}
	}
	return found.Incomplete()
}

// cardsOf says in each card which registry has the tool where more than one may
// have it.
func cardsOf(found *consume.Found, o consume.SearchOptions) []card {
	var out []card
	for _, h := range found.Hits {
		out = append(out, card{hit: h, in: len(found.Registries) > 1 || o.Registry != "", why: h.Why})
	}
	return out
}

// remarks are what is to be said of an answer beside the hits: what was looked
// for instead of what was typed, and how new what is known of the registries is.
func (a *app) remarks(found *consume.Found) []string {
	out := corrected(found)
	for _, r := range found.Registries {
		if age := a.age(r); age != "" {
			out = append(out, age)
		}
	}
	return out
}

func corrected(found *consume.Found) []string {
	var out []string
	for _, c := range found.Corrections {
		out = append(out, "no tool has "+spec.Quote(c.From)+"; looked for "+spec.Quote(c.To))
	}
	return append(out, found.Notes...)
}

// age says how old what is known of a registry is.
func (a *app) age(r consume.Searched) string {
	t, err := ledger.ParseTime(r.Time)
	if err != nil {
		return ""
	}
	text := string(r.Registry) + ": " + plural(r.Tools, "tool") + ", published " + lasted(a.host.Now().Sub(t)) + " ago"
	if r.Kept {
		text += "; this is what is kept here, nobody was asked or answered"
	}
	return text
}

// lasted is a time that passed as a person says it.
func lasted(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < time.Hour:
		return plural(int(d/time.Minute), "minute")
	case d < 48*time.Hour:
		return plural(int(d/time.Hour), "hour")
	}
	return plural(int(d/(24*time.Hour)), "day")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// registryFlagOf adds --registry with completion.
func (a *app) registryFlagOf(c *cobra.Command, into *string) {
	c.Flags().StringVar(into, "registry", "", "only this registry, as owner/name")
	_ = c.RegisterFlagCompletionFunc("registry", a.completeRegistries)
}

func registryFlag(s string) (spec.RegistryName, error) {
	if s == "" {
		return "", nil
	}
	n, err := spec.ParseRegistryName(s)
	if err != nil {
		return "", usage("%w", err).Hint("patch-git registry list")
	}
	return n, nil
}

// parseRef reads a reference from the command line.
func parseRef(s string) (spec.Ref, error) {
	r, err := spec.ParseRef(s)
	if err != nil {
		return r, usage("%w", err).Hint("a reference looks like csv_to_json or csv_to_json@1.2.0")
	}
	return r, nil
}
