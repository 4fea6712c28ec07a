package consume

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Asked is one value that a person is asked for.
type Asked struct {
	spec.EnvVar
	Problem string // what was wrong with the answer before, ""; it never repeats a secret
}

// Asker asks a person at the terminal. An empty answer is none. A secret must not be
// shown while it is typed.
type Asker func(ctx context.Context, a Asked) (answer string, err error)

// gathered are the values of an installation. Secrets that were kept before are not read:
// only where they are is known.
type gathered struct {
	values  map[string]string
	secrets map[string]keyring.Secret // new ones
	kept    map[string]string         // of secrets that were there before: the kind of store
	skipped []string
}

// collector is what values are collected by.
type collector struct {
	tool   *spec.Tool
	flags  map[string]string // --env NAME=VALUE
	getenv func(string) string
	ask    Asker // nil: nobody can be asked
	before toolbox.Deployed
	anew   string // the one name that is asked for anew, "" for what is missing
	warn   func(string)
}

// collect brings the value of each variable in the order of the manifest [TI-P11]: from
// the flag, from what was given before, from the environment, the default, and else from
// the person. A secret comes from the person alone: arguments and environments are seen
// by others, and a default is everybody's [TI-P12, TI-P15].
func (a *collector) collect(ctx context.Context) (*gathered, error) {
	if err := a.checkFlags(); err != nil {
		return nil, err
	}
	g := &gathered{values: map[string]string{}, secrets: map[string]keyring.Secret{}, kept: map[string]string{}}
	for _, e := range a.tool.Deployment.Env {
		if err := a.one(ctx, e, g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// checkFlags refuses what a flag cannot give, before anybody is asked anything.
func (a *collector) checkFlags() error {
	for _, name := range slices.Sorted(maps.Keys(a.flags)) {
		i := slices.IndexFunc(a.tool.Deployment.Env, func(e spec.EnvVar) bool { return e.Name == name })
		if i < 0 {
			return fault.New(fault.Usage, "env", "%s asks for no value %s", a.tool.Name, spec.Quote(name)).Hint("patch-git info %s", a.tool.Name)
		}
		e := a.tool.Deployment.Env[i]
		if e.Secret {
			return fault.New(fault.Usage, "secret_in_argv", "%s is a secret, and arguments are seen by every program of this machine", name).
				Hint("leave --env %s out: it is asked for at the terminal, and not shown", name)
		}
		if problem := wrong(e, a.flags[name]); problem != "" {
			return fault.New(fault.Usage, "env", "--env %s: %s", name, problem)
		}
	}
	return nil
}

// one brings one value.
func (a *collector) one(ctx context.Context, e spec.EnvVar, g *gathered) error {
	if v, ok := a.flags[e.Name]; ok {
		g.values[e.Name] = v
		return nil
	}
	if a.anew != e.Name && a.held(e, g) {
		return nil
	}
	problem := ""
	if !e.Secret && a.anew != e.Name {
		if v := a.fromEnvironment(e); v != "" {
			if problem = wrong(e, v); problem == "" {
				g.values[e.Name] = v
				return nil
			}
			problem = "the value in the environment: " + problem
		} else if e.Default != nil {
			if problem = wrong(e, *e.Default); problem == "" {
				g.values[e.Name] = *e.Default
				return nil
			}
			problem = "the default: " + problem
		}
	}
	return a.prompt(ctx, e, g, problem)
}

// held takes what was given before, if it still fits.
func (a *collector) held(e spec.EnvVar, g *gathered) bool {
	if kind, ok := a.before.Secrets[e.Name]; ok && e.Secret {
		g.kept[e.Name] = kind
		return true
	}
	if v, ok := a.before.Values[e.Name]; ok && !e.Secret && wrong(e, v) == "" {
		g.values[e.Name] = v
		return true
	}
	// What was skipped is asked for again only by its name.
	if !e.Required && slices.Contains(a.before.Skipped, e.Name) {
		g.skipped = append(g.skipped, e.Name)
		return true
	}
	return false
}

// FromEnvironment tells whether a value is taken from the environment. What is named
// like a secret is not, whatever the manifest says of it: a manifest names what it is
// given, and must not fish for what lies there for others.
func FromEnvironment(e spec.EnvVar) bool {
	if e.Secret {
		return false
	}
	for word := range strings.SplitSeq(e.Name, "_") {
		switch word {
		case "PAT", "PIN", "OTP", "JWT", "DSN", "CRED", "CREDS", "PRIVATE", "BEARER", "WEBHOOK", "MNEMONIC", "SEED", "COOKIE", "SESSION", "PATH", "PRELOAD":
			return false
		}
		// Also where it is written in one word, as PGPASSWORD and SSHPASS.
		for _, end := range []string{"KEY", "KEYS", "PASS", "PWD", "AUTH", "PASSWD"} {
			if strings.HasSuffix(word, end) {
				return false
			}
		}
	}
	for _, part := range []string{"SECRET", "TOKEN", "PASSWORD", "PASSPHRASE", "CREDENTIAL", "CONNECTION_STRING"} {
		if strings.Contains(e.Name, part) {
			return false
		}
	}
	return true
}

// holdsPassword tells whether a value is an address with a password in it, as those of
// databases are, whatever its name.
func holdsPassword(value string) bool {
	_, rest, is := strings.Cut(value, "://")
	if !is {
		return false
	}
	rest, _, _ = strings.Cut(rest, "/")
	user, _, is := cutLast(rest, "@")
	return is && strings.Contains(user, ":")
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (a *collector) fromEnvironment(e spec.EnvVar) string {
	v := a.getenv(e.Name)
	if v != "" && (!FromEnvironment(e) || holdsPassword(v)) {
		a.warn("the environment has a value for " + e.Name + ", which is not taken: it may be a secret, and was set for others")
		return ""
	}
	return v
}

// prompt asks the person, a few times where an answer does not fit [TI-P14].
func (a *collector) prompt(ctx context.Context, e spec.EnvVar, g *gathered, problem string) error {
	if a.ask == nil {
		if !e.Required {
			g.skipped = append(g.skipped, e.Name)
			return nil
		}
		return a.unasked(e, problem)
	}
	for range limits.EnvTries {
		answer, err := a.ask(ctx, Asked{e, problem})
		if err != nil {
			return err
		}
		if answer == "" && !e.Required {
			g.skipped = append(g.skipped, e.Name)
			return nil
		}
		if problem = wrong(e, answer); problem != "" {
			continue
		}
		if e.Secret {
			g.secrets[e.Name] = keyring.NewSecret(answer)
		} else {
			g.values[e.Name] = answer
		}
		return nil
	}
	return fault.New(fault.Usage, "env", "%s has no value after %d tries: %s", e.Name, limits.EnvTries, problem)
}

// unasked is the error where nobody can be asked.
func (a *collector) unasked(e spec.EnvVar, problem string) error {
	if problem == "" {
		problem = "nobody can be asked here"
	}
	f := fault.New(fault.Usage, "env", "%s needs a value for %s, and %s", a.tool.Name, e.Name, problem)
	if e.Secret {
		return f.Hint("do it at a terminal: a secret is typed there, and nowhere else")
	}
	return f.Hint("--env %s=VALUE", e.Name)
}

// wrong says what is wrong with a value, without repeating it.
func wrong(e spec.EnvVar, v string) string {
	switch {
	case v == "":
		return "it is empty"
	case len(v) > limits.EnvValue:
		return "it is too long"
	case strings.ContainsAny(v, "\x00"):
		return "it has a zero byte"
	case e.Pattern == "":
		return ""
	}
	switch fits, err := manifest.Match(e.Pattern, v); {
	case err != nil:
		return "the manifest's own pattern cannot be used: " + err.Error()
	case !fits:
		return "it does not match " + spec.Quote(e.Pattern)
	}
	return ""
}

// keep stores new secrets and returns where all of them are. What was stored before a
// failure is taken back.
func (g *gathered) keep(ctx context.Context, store keyring.Store, t keyring.Tool) (map[string]string, error) {
	where := maps.Clone(g.kept)
	var done []string
	for _, name := range slices.Sorted(maps.Keys(g.secrets)) {
		if err := store.Set(ctx, t, name, g.secrets[name]); err != nil {
			for _, n := range done {
				_ = store.Delete(context.WithoutCancel(ctx), t, n)
			}
			return nil, err
		}
		done, where[name] = append(done, name), string(store.Kind())
	}
	return where, nil
}
