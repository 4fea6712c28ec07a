package consume

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// What a person can say a word to, so that a refused run goes on.
const (
	ReasonConfirm = "confirmation_required" // RunOptions.Confirm
	ReasonConsent = "consent_required"      // RunOptions.Agree
	ReasonSecret  = "secret"                // RunOptions.Secrets
	ReasonObeyed  = "obeyed"                // the same word: paths that are given by their own name alone
)

// ReasonLinkToSecret refuses a path that leads to a secret and has another name.
const ReasonLinkToSecret = "secret_link"

// NeedsConsent tells whether a person has to agree before a tool runs at all: it
// reaches the network or an account, or its code does what x-needs names. Files
// need it once an argument names one.
func NeedsConsent(p spec.Permissions) bool {
	return p.Network || len(p.ExternalAuth) > 0 || len(p.Needs) > 0 || len(p.Scopes) > 0 || len(p.Secrets) > 0 || p.Installs != ""
}

// MayHaveFiles tells whether a tool is given files that its arguments name.
func MayHaveFiles(p spec.Permissions) bool { return rank(p.Filesystem) > rank(spec.FilesystemNone) }

// consents are what a person agreed to for a tool.
type consents interface {
	// before returns it, for this version first and then for others whose word
	// counts here.
	before() ([]toolbox.Agreed, error)
	// agree records a yes, which was given for another version where carried
	// is not "". host tells that the network is all that the machine reaches.
	agree(carried spec.Version, host bool) error
	// lasting tells whether a yes is kept.
	lasting() bool
}

// kept are the consents to an installed tool.
type kept struct {
	box     *toolbox.Toolbox
	receipt toolbox.Receipt
	asks    spec.Permissions
}

func (k *kept) before() ([]toolbox.Agreed, error) { return k.box.Consents(k.receipt) }
func (k *kept) agree(carried spec.Version, host bool) error {
	return k.box.Agree(k.receipt, k.asks, carried, host)
}
func (*kept) lasting() bool { return true }

// fleeting is the consent to a file of one's own, which may say something else
// at the next run: it is asked for each time.
type fleeting struct{}

func (fleeting) before() ([]toolbox.Agreed, error) { return nil, nil }
func (fleeting) agree(spec.Version, bool) error    { return nil }
func (fleeting) lasting() bool                     { return false }

// more lists what is asked for beyond what was agreed to, in words.
func more(a toolbox.Agreed, asks spec.Permissions, host bool) []string {
	words := wider(a.Permissions, asks)
	if host && asks.Network && a.Permissions.Network && !a.HostNetwork {
		words = append(words, "a network that is not filtered here")
	}
	return words
}

// covering finds a consent that covers what is asked for.
// host tells that the network is all that the machine reaches.
func covering(list []toolbox.Agreed, asks spec.Permissions, host bool) (toolbox.Agreed, bool) {
	for _, a := range list {
		if len(more(a, asks, host)) == 0 {
			return a, true
		}
	}
	return toolbox.Agreed{}, false
}

// grants works out what a run may reach: the paths that were granted by name,
// and the files that path-typed arguments name, as far as the manifest's
// filesystem capability goes. Nothing is made or given yet.
func (c *Client) grants(ctx context.Context, s *Subject, args json.RawMessage, o RunOptions) (*grants, error) {
	var standing *config.Config
	if s.Registry != "" {
		var err error
		if standing, err = c.settings(); err != nil {
			return nil, err
		}
	}
	list := wishes(o.Read, o.Write, s, standing, c.Host.Home)
	if len(list) == 0 && (!s.Tool.Capabilities.MayGive(false) || s.Tool.NoPaths()) {
		return &grants{args: args}, nil
	}
	return grant(ctx, s, args, list, newJudge(c.Host.Dir, c.Host.Home, c.Host.Paths.Root))
}

func grant(ctx context.Context, s *Subject, args json.RawMessage, list []wish, j *judge) (*grants, error) {
	g := &grants{args: args}
	err := g.named(s.Tool, j, list)
	if err == nil {
		err = g.fromArguments(s.Tool, j)
	}
	if err == nil {
		err = j.search(ctx, g)
	}
	if err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// CheckGrants refuses, when they are configured, paths that every run would
// refuse: those that are not there, or are nobody's to give, and those that an
// installed tool does not declare.
func (c *Client) CheckGrants(ctx context.Context, t config.Tool, d config.Defaults, installed bool) error {
	s := &Subject{Registry: t.Registry, Tool: &spec.Tool{Name: t.Name, Capabilities: spec.Capabilities{Filesystem: spec.FilesystemReadWrite}}}
	if installed {
		v, _, err := c.Check(ctx, spec.Ref{Name: t.Name})
		if err != nil {
			return err
		}
		s.Tool = v.Tool()
	}
	g := &grants{}
	defer g.close()
	return g.named(s.Tool, newJudge(c.Host.Dir, c.Host.Home, c.Host.Paths.Root), wishes(d.Read, d.Write, s, nil, ""))
}

// called is the tool, and which of its actions, as one types it.
func (s *Subject) called() string {
	if s.Operation == "" || s.kind == spec.InvokeArcade {
		return string(s.Tool.Name)
	}
	return string(s.Tool.Name) + " " + s.Operation
}

// asks lists what a person has to agree to before a tool may do what it may and is
// given what it is given; keep are the words that are written down once all of it
// is answered. A path that somebody named outside of the arguments needs no further
// word. What nobody can agree to is the error.
func asks(s *Subject, o RunOptions, g *grants, r reach) (list []ask, keep []func() error, err error) {
	p := s.Tool.Permissions()
	if len(p.ExternalAuth) > 0 && s.kind != spec.InvokeArcade { // whose engine is the broker
		return nil, nil, fault.New(fault.Denied, "external_auth", "%s needs access to %s, and no broker for accounts is configured", s.Tool.Name, strings.Join(p.ExternalAuth, ", "))
	}
	if p.HumanConfirm && !o.Confirm {
		list = append(list, asked(approval.KindConfirm, fault.New(fault.Denied, ReasonConfirm, "%s asks that a person confirms each run", s.called()).
			Hint("add --yes to confirm this one run")))
	}
	var files, secret, obey []*granted
	for _, d := range g.list {
		switch {
		case d.From != audit.FromArgument:
		case d.Secret:
			secret = append(secret, d)
		case len(d.obeyed) > 0:
			obey = append(obey, d)
		case o.Session != nil:
			list = append(list, d.asked(s.Tool))
		default:
			files = append(files, d)
		}
	}
	if !o.Secrets {
		list = append(list, s.byName(secret, obey)...)
	}
	a, agree, err := s.agreed(o, p, files, r)
	if err != nil {
		return nil, nil, err
	}
	if a != nil {
		list = append(list, *a)
	}
	if agree != nil {
		keep = append(keep, agree)
	}
	return list, keep, nil
}

// byName asks for paths that no consent covers: secrets, and what other programs run or
// obey, which would run what a tool wrote outside of its sandbox. At a command line it is
// one question about all of them, which is answered for one run.
func (s *Subject) byName(secret, obey []*granted) (list []ask) {
	reason := ReasonObeyed
	var words []string
	add := func(kind, text string) {
		words = append(words, text)
		list = append(list, ask{Reason: approval.Reason{Kind: kind, Text: s.Tool.Name.String() + " is to " + text}})
	}
	if len(secret) > 0 {
		reason = ReasonSecret
		add(approval.KindSecret, deeds(secret)+", where secrets lie")
	}
	if len(obey) > 0 {
		add(approval.KindObeyed, "write "+obeyedWords(obey)+", which other programs run or obey")
	}
	refusal := flags(fault.New(fault.Denied, reason, "%s is to %s", s.Tool.Name, strings.Join(words, ", and to ")), slices.Concat(secret, obey), "")
	for i := range list {
		list[i].refusal = refusal
	}
	return list
}

// obeyedWords name what is to be written, and where a folder is what of it counts.
func obeyedWords(list []*granted) string {
	var out []string
	for _, d := range list {
		text := strconv.Quote(d.Path)
		if !slices.Contains(d.obeyed, d.Path) {
			var inside []string
			for _, p := range d.obeyed {
				inside = append(inside, strconv.Quote(p))
			}
			text += " with " + strings.Join(inside, ", ") + " in it"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// agreed asks for consent to the network, and to the files that arguments name. Of
// ask and keep at most one is not nil.
func (s *Subject) agreed(o RunOptions, p spec.Permissions, files []*granted, r reach) (a *ask, keep func() error, err error) {
	need := p
	if len(files) == 0 {
		need.Filesystem = spec.FilesystemNone
	}
	if !NeedsConsent(need) && len(files) == 0 {
		return nil, nil, nil
	}
	before, err := s.consent.before()
	if err != nil {
		return nil, nil, err
	}
	host := need.Network && !r.less()
	if a, ok := covering(before, need, host); ok {
		if a.Version != s.Ref.Version {
			return nil, func() error { return s.consent.agree(a.Version, a.HostNetwork) }, nil
		}
		return nil, nil, nil
	}
	agree := func() error { return s.consent.agree("", host) }
	if o.Agree {
		return nil, agree, nil
	}
	question := asked(approval.KindConsent, s.refusal(p, need, files, before, r))
	if s.consent.lasting() {
		question.Text, question.agree = question.Text+"; a yes is good for this version", agree
	}
	return &question, nil, nil
}

// refusal says what nobody agreed to, all of it, and by which words somebody can.
func (s *Subject) refusal(p, need spec.Permissions, files []*granted, before []toolbox.Agreed, r reach) *fault.Error {
	var wants []string
	if need.Network {
		wants = append(wants, "may use "+r.words())
	}
	if len(need.ExternalAuth) > 0 {
		wants = append(wants, "acts for your accounts at Arcade ("+quoted(need.ExternalAuth)+")")
	}
	if s.kind == spec.InvokeArcade && len(need.Secrets) > 0 {
		wants = append(wants, "is given secrets that you keep at Arcade ("+quoted(need.Secrets)+")")
	}
	for _, n := range need.Needs {
		wants = append(wants, spec.NeedWords(n))
	}
	switch {
	case len(files) > 0:
		wants = append(wants, "is to "+deeds(files))
	case p.Filesystem == spec.FilesystemReadOnly:
		wants = append(wants, "may read files that its arguments name")
	case p.Filesystem == spec.FilesystemReadWrite:
		wants = append(wants, "may read and write files that its arguments name")
	}
	text := s.Tool.Name.String() + " " + strings.Join(wants, ", and ") + ", and nobody agreed to that yet"
	if len(before) > 0 {
		text += "; it asks for more than " + string(before[0].Version) + ", which you agreed to: " + strings.Join(more(before[0], need, need.Network && !r.less()), ", ")
	}
	span := "version"
	if !s.consent.lasting() {
		span = "run"
	}
	e := fault.New(fault.Denied, ReasonConsent, "%s", text).Hint("add --yes to agree for this %s", span)
	if need.Network || len(need.Needs) > 0 {
		return e
	}
	return flags(e, files, "or ")
}

// flags adds the very flags that name what a run is to be given. A flag names no file
// that is not there.
func flags(e *fault.Error, list []*granted, or string) *fault.Error {
	var words []string
	for _, d := range list {
		if d.name != "" {
			e = e.Hint("%smake the file %s first, so that a flag can name it", or, strconv.Quote(d.Path))
		}
		flag := "--allow-read "
		if d.Write {
			flag = "--allow-write "
		}
		words = append(words, flag+strconv.Quote(d.Path))
	}
	return e.Hint("%sadd %s", or, strings.Join(words, " "))
}

// deeds say what is done to which paths, in full: it is what a person agrees to.
func deeds(list []*granted) string {
	var read, write []string
	for _, d := range list {
		if d.Write {
			write = append(write, strconv.Quote(d.Path))
		} else {
			read = append(read, strconv.Quote(d.Path))
		}
	}
	var out []string
	if len(read) > 0 {
		out = append(out, "read "+strings.Join(read, ", "))
	}
	if len(write) > 0 {
		out = append(out, "write "+strings.Join(write, ", "))
	}
	return strings.Join(out, " and ")
}

// quoted are words of a manifest in a sentence.
func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.Trim(spec.Quote(s), `"`)
	}
	return strings.Join(out, ", ")
}
