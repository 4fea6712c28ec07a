package arcade

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// EnvKey is the environment variable that holds the key of Arcade's API. It goes
// before a key that is kept.
const EnvKey = "ARCADE_API_KEY"

// DefaultBase is the address of Arcade's own engine.
const DefaultBase = "https://api.arcade.dev"

// Config is how the engine is reached. The zero value reaches none.
type Config struct {
	User string // who the engine runs for: the name of the person there

	base *url.URL
	key  func() string // not a field: whoever prints a Config prints no key
}

// New checks a configuration: the address ("" is [DefaultBase]), the user and the
// key. What is wrong is Usage "arcade_config", a missing key Denied "arcade_key".
func New(base, user, key string) (Config, error) {
	if base == "" {
		base = DefaultBase
	}
	u, err := ParseBase(base)
	if err != nil {
		return Config{}, err
	}
	if err := CheckUser(user); err != nil {
		return Config{}, err
	}
	if err := CheckKey(key); err != nil {
		return Config{}, err
	}
	if user == "" {
		return Config{}, wrong("there is no user for Arcade: the engine has to know whose accounts a tool may use").
			Hint("write \"arcade\": {\"user_id\": \"you@example.com\"} into config.json")
	}
	return Config{User: user, base: u, key: func() string { return key }}, nil
}

// CheckKey refuses what is no key: none at all is Denied "arcade_key".
func CheckKey(key string) error {
	switch {
	case key == "":
		return fault.New(fault.Denied, "arcade_key", "there is no key for Arcade").Hint("patch-git arcade login").Hint("or set %s", EnvKey)
	case len(key) > limits.ArcadeKey || !visible(key):
		return wrong("the key for Arcade is none: it has blanks, line breaks or other characters that a key has not").
			Hint("give it again, without what was pasted around it")
	}
	return nil
}

// Address is where requests go, for a person.
func (c Config) Address() string {
	if c.base == nil {
		return ""
	}
	return c.base.String()
}

func wrong(format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "arcade_config", format, args...)
}

// visible tells whether a text is visible ASCII without blanks.
func visible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// CheckUser refuses what is no name of a user; "" is none yet.
func CheckUser(user string) error {
	if len(user) > limits.ArcadeUser || !visible(user) {
		return wrong("the user for Arcade, %s, has blanks or control characters, or is too long", spec.Quote(user))
	}
	return nil
}

// ParseBase reads the address that gets the key. It is not repeated where it is
// wrong: people paste keys into it.
func ParseBase(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Opaque != "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(s, "#") || !visible(s) {
		return nil, wrong("the address of Arcade is no plain address").Hint("a scheme, a host and perhaps a path, such as %s", DefaultBase)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, wrong("the address of Arcade has to begin with https").Hint("plain http is for 127.0.0.1 and ::1 alone, by their numbers")
	}
	u.Path, u.RawPath = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1"), ""
	return u, nil
}

// loopback is an address that never leaves this machine. A name could.
func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
