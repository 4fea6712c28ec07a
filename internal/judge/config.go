package judge

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The environment that configures a model.
const (
	EnvKind  = "PATCH_GIT_JUDGE_KIND"  // openai, anthropic or none
	EnvURL   = "PATCH_GIT_JUDGE_URL"   // what /chat/completions or /v1/messages follows
	EnvModel = "PATCH_GIT_JUDGE_MODEL" // as the provider calls it
	EnvKey   = "PATCH_GIT_JUDGE_KEY"   // "" sends none
)

// Kind is the shape of a provider's interface.
type Kind string

// The kinds. OpenAI's shape is that of vLLM, llama.cpp, Ollama and gateways, too.
const (
	KindNone      Kind = "none"
	KindOpenAI    Kind = "openai"
	KindAnthropic Kind = "anthropic"
)

// Config is one configured model. The zero value is none.
type Config struct {
	Kind  Kind
	Model string

	base *url.URL
	key  func() string // not a field: whoever prints a Config prints no key
}

// None tells whether no model is configured.
func (c Config) None() bool { return c.Kind != KindOpenAI && c.Kind != KindAnthropic }

// Address is where requests go, for a person.
func (c Config) Address() string {
	if c.base == nil {
		return ""
	}
	return c.base.String()
}

// Configured reads the configuration. Nothing set, or the kind none, is no model;
// anything between that and a whole configuration is an error, Usage "judge_config",
// and never no model: a registry that mistyped a name would go on without a judge.
func Configured(getenv func(string) string) (Config, error) {
	kind, address, model, key := getenv(EnvKind), getenv(EnvURL), getenv(EnvModel), getenv(EnvKey)
	switch {
	case Kind(kind) == KindNone || kind == "" && address == "" && model == "" && key == "":
		return Config{Kind: KindNone}, nil
	case kind == "":
		return Config{}, wrong(EnvKind+" is not set, and another variable of the judge is", "set it to openai, anthropic or none")
	case !slices.Contains([]Kind{KindOpenAI, KindAnthropic}, Kind(kind)):
		return Config{}, wrong(EnvKind+" is "+spec.Quote(kind), "set it to openai, anthropic or none")
	case address == "":
		return Config{}, wrong(EnvURL+" is not set", "such as https://api.openai.com/v1, https://api.anthropic.com or http://127.0.0.1:11434/v1")
	case model == "":
		return Config{}, wrong(EnvModel+" is not set", "set it to the model's name as the provider spells it")
	case len(model) > limits.JudgeModel || !printable(model):
		return Config{}, wrong(EnvModel+" is no name of a model", "set it to the model's name as the provider spells it")
	case len(key) > limits.JudgeKey || key != "" && !printable(key):
		return Config{}, wrong(EnvKey+" is no key: it has blanks, line breaks or other characters that a key has not", "set it again, without what was pasted around it")
	}
	base, err := parseAddress(address)
	if err != nil {
		return Config{}, err
	}
	return Config{Kind: Kind(kind), Model: model, base: base, key: func() string { return key }}, nil
}

func wrong(what, hint string) error {
	return fault.New(fault.Usage, "judge_config", "%s", what).Hint("%s", hint)
}

// printable tells whether a text is visible ASCII without blanks.
func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// parseAddress reads the address that gets the key and the texts. It is not
// repeated where it is wrong: people paste keys into it.
func parseAddress(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(s, "#") || !printable(s) {
		return nil, wrong(EnvURL+" is no plain address", "a scheme, a host and a path, without user, query or fragment")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, wrong(EnvURL+" has to begin with https", "plain http is for 127.0.0.1 and ::1 alone, by their numbers")
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}

// loopback is an address that never leaves this machine. A name could.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
