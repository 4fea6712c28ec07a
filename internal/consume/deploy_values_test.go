package consume

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

const canary = "c4nary-value"

func valuesTool(env ...spec.EnvVar) *spec.Tool {
	return &spec.Tool{Name: "mail", Deployment: &spec.Deployment{Env: env}}
}

// typist answers what a test says, and notes what it was asked.
type typist struct {
	answers []string
	asked   []string
}

func (t *typist) ask(_ context.Context, a Asked) (string, error) {
	t.asked = append(t.asked, a.Name+": "+a.Problem)
	if len(t.answers) == 0 {
		return "", fault.New(fault.Interrupted, "end", "nobody answers")
	}
	answer := t.answers[0]
	t.answers = t.answers[1:]
	return answer, nil
}

// TestCollect: where each value comes from [TI-P11…15].
func TestCollect(t *testing.T) {
	d := "dflt"
	plain := spec.EnvVar{Name: "REGION", Prompt: "?", Required: true}
	defaulted := spec.EnvVar{Name: "REGION", Prompt: "?", Required: true, Default: &d}
	optional := spec.EnvVar{Name: "REGION", Prompt: "?"}
	strict := spec.EnvVar{Name: "REGION", Prompt: "?", Required: true, Pattern: `^(?=.*\d)(?<c>[a-z])\k<c>`, Default: &d}
	secret := spec.EnvVar{Name: "API_KEY", Prompt: "?", Required: true, Secret: true}
	fished := spec.EnvVar{Name: "AWS_SECRET_ACCESS_KEY", Prompt: "?", Required: true}
	for _, tt := range []struct {
		name    string
		env     spec.EnvVar
		flags   map[string]string
		getenv  map[string]string
		before  toolbox.Deployed
		answers []string
		nobody  bool
		anew    string
		want    string // "value", "secret", "kept", "skipped" or the kind of the error
		asked   int
	}{
		{name: "the flag first", env: defaulted, flags: map[string]string{"REGION": "f"}, getenv: map[string]string{"REGION": "e"}, want: "value f"},
		{name: "then the environment", env: defaulted, getenv: map[string]string{"REGION": "e"}, want: "value e"},
		{name: "then the default", env: defaulted, want: "value dflt"},
		{name: "then the person", env: plain, answers: []string{"a"}, want: "value a", asked: 1},
		{name: "what was given before", env: defaulted, before: toolbox.Deployed{Values: map[string]string{"REGION": "b"}}, getenv: map[string]string{"REGION": "e"}, want: "value b"},
		{name: "but not where it does not fit", env: strict, before: toolbox.Deployed{Values: map[string]string{"REGION": "b"}}, answers: []string{"aa1"}, want: "value aa1", asked: 1},
		{name: "a default that does not fit", env: strict, answers: []string{"ab1", "aa", "bb2"}, want: "value bb2", asked: 3},
		{name: "three tries", env: strict, answers: []string{"x", "y", "z", "aa1"}, want: "usage", asked: 3},
		{name: "a flag that does not fit", env: strict, flags: map[string]string{"REGION": "x"}, want: "usage"},
		{name: "an unknown flag", env: plain, flags: map[string]string{"OTHER": "x"}, want: "usage"},
		{name: "nobody is there", env: plain, nobody: true, want: "usage"},
		{name: "nobody, and optional", env: optional, nobody: true, want: "skipped"},
		{name: "skipped", env: optional, answers: []string{""}, want: "skipped", asked: 1},
		{name: "skipped before", env: optional, before: toolbox.Deployed{Skipped: []string{"REGION"}}, want: "skipped"},
		{name: "required is not skipped", env: plain, answers: []string{"", "", ""}, want: "usage", asked: 3},
		{name: "a secret by the person", env: secret, answers: []string{canary}, want: "secret", asked: 1},
		{name: "a secret by a flag", env: secret, flags: map[string]string{"API_KEY": canary}, want: "usage"},
		{name: "a secret by the environment", env: secret, getenv: map[string]string{"API_KEY": canary}, nobody: true, want: "usage"},
		{name: "a secret kept before", env: secret, before: toolbox.Deployed{Secrets: map[string]string{"API_KEY": "file"}}, nobody: true, want: "kept"},
		{name: "a secret asked anew", env: secret, before: toolbox.Deployed{Secrets: map[string]string{"API_KEY": "file"}}, anew: "API_KEY", answers: []string{canary}, want: "secret", asked: 1},
		{name: "a secret that the manifest does not call one", env: fished, getenv: map[string]string{"AWS_SECRET_ACCESS_KEY": canary}, nobody: true, want: "usage"},
		{name: "the same, by the person's own word", env: fished, flags: map[string]string{"AWS_SECRET_ACCESS_KEY": "x"}, want: "value x"},
		{name: "a default for a secret is not taken", env: spec.EnvVar{Name: "API_KEY", Secret: true, Required: true, Default: &d}, nobody: true, want: "usage"},
		{name: "an answer with a zero byte", env: plain, answers: []string{"a\x00", "a"}, want: "value a", asked: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			person := &typist{answers: tt.answers}
			warned := ""
			c := &collector{
				tool: valuesTool(tt.env), flags: tt.flags, getenv: func(k string) string { return tt.getenv[k] }, before: tt.before, anew: tt.anew,
				warn: func(s string) { warned += s },
			}
			if !tt.nobody {
				c.ask = person.ask
			}
			g, err := c.collect(t.Context())
			got := ""
			switch name := tt.env.Name; {
			case err != nil:
				got = fault.KindOf(err).String()
			case len(g.values) > 0:
				got = "value " + g.values[name]
			case len(g.secrets) > 0:
				if got = "secret"; g.secrets[name].Reveal() != canary {
					got = "another secret"
				}
			case len(g.kept) > 0:
				got = "kept"
			case len(g.skipped) > 0:
				got = "skipped"
			}
			if got != tt.want || len(person.asked) != tt.asked {
				t.Errorf("%s, asked %q: %v", got, person.asked, err)
			}
			if text := fmt.Sprintf("%v %+v %v %q", err, g, warned, person.asked); strings.Contains(text, canary) {
				t.Errorf("the secret is told: %s", text)
			}
		})
	}
}

// TestCollectInOrder: the questions come in the order of the manifest.
func TestCollectInOrder(t *testing.T) {
	person := &typist{answers: []string{"1", "2", "3"}}
	c := &collector{
		tool: valuesTool(spec.EnvVar{Name: "Z", Required: true}, spec.EnvVar{Name: "A", Required: true, Secret: true}, spec.EnvVar{Name: "M", Required: true}),
		ask:  person.ask, getenv: func(string) string { return "" }, warn: func(string) {},
	}
	if _, err := c.collect(t.Context()); err != nil || strings.Join(person.asked, "") != "Z: A: M: " {
		t.Errorf("%q %v", person.asked, err)
	}
}

// TestKeepSecrets: what was kept before a failure is taken back.
func TestKeepSecrets(t *testing.T) {
	store, tool := keyring.Memory(), keyring.Tool{Registry: "a/b", Name: "mail"}
	g := &gathered{secrets: map[string]keyring.Secret{"A": keyring.NewSecret("x"), "B": keyring.NewSecret("x\x00")}, kept: map[string]string{"C": "file"}}
	if _, err := g.keep(t.Context(), store, tool); err == nil {
		t.Error("a secret that no environment can carry is kept")
	}
	if names, err := store.Names(t.Context(), tool); err != nil || len(names) != 0 {
		t.Errorf("%q %v", names, err)
	}
	g.secrets["B"] = keyring.NewSecret("x") // the twin
	where, err := g.keep(t.Context(), store, tool)
	if err != nil || where["A"] != "memory" || where["B"] != "memory" || where["C"] != "file" {
		t.Errorf("%v %v", where, err)
	}
}

// TestFromEnvironment: a manifest names what it is given, and fishes for nothing that
// lies in the environment for others, however that is called.
func TestFromEnvironment(t *testing.T) {
	for name, ok := range map[string]bool{
		"PGPASSWORD": false, "SSHPASS": false, "GITHUBTOKEN": false, "GITHUB_PAT": false, "SENTRY_DSN": false, "MYSQL_PWD": false, "OPENAI_APIKEY": false,
		"AZURE_STORAGE_CONNECTION_STRING": false, "SLACK_WEBHOOK": false, "NPM_CONFIG__AUTH": false,
		"REGION": true, "USER_EMAIL": true, "DATABASE_URL": true, "LANG": true, "TIMEZONE": true,
	} {
		if FromEnvironment(spec.EnvVar{Name: name}) != ok {
			t.Errorf("%s", name)
		}
	}
	for value, want := range map[string]string{
		"postgres://ann:" + canary + "@db.example/x": "usage", "postgres://db.example/x": "value", "https://x.example/@a:b": "value",
	} {
		warned := ""
		c := &collector{
			tool: valuesTool(spec.EnvVar{Name: "DATABASE_URL", Required: true}), getenv: func(string) string { return value },
			warn: func(s string) { warned += s },
		}
		g, err := c.collect(t.Context())
		got := "value"
		if err != nil {
			got = fault.KindOf(err).String()
		}
		if got != want || strings.Contains(fmt.Sprint(g, err, warned), canary) {
			t.Errorf("%s: %s %v", value, got, err)
		}
	}
}
