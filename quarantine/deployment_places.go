package quarantine

import (
	"net/url"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkPlaces looks at the addresses that requests go to.
func checkPlaces(c *collector, d *spec.Deployment) {
	for _, p := range []struct{ what, to, anchor string }{
		{"the endpoint", d.EndpointURL, d.EndpointURL}, {"the smoke request", d.Smoke.URL, d.Smoke.URL}, {"the kill switch", d.KillSwitch.URL, d.KillSwitch.URL},
	} {
		if p.to == "" {
			continue
		}
		if how := loosePlace(p.to); how != "" {
			c.add(looseEndpoint, c.locateText(p.anchor, 1), "%s goes to %s, which %s", p.what, spec.Quote(p.to), how)
		}
	}
	if e, s := siteOf(d.EndpointURL), siteOf(d.Smoke.URL); e != "" && s != "" && !sameSite(e, s) {
		c.warn(looseEndpoint, c.locateText(d.Smoke.URL, 1), "the smoke request goes to %s and the tool to %s", spec.Quote(s), spec.Quote(e))
	}
	if e, k := siteOf(d.EndpointURL), siteOf(d.KillSwitch.URL); e != "" && k != "" && !sameSite(e, k) {
		c.warn(looseEndpoint, c.locateText(d.KillSwitch.URL, 1), "the kill switch goes, with the credentials, to %s and the tool to %s", spec.Quote(k), spec.Quote(e))
	}
}

func siteOf(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// sameSite tells whether two hosts share their last two names.
func sameSite(a, b string) bool {
	last := func(h string) string {
		parts := strings.Split(h, ".")
		return strings.Join(parts[max(0, len(parts)-2):], ".")
	}
	return last(a) == last(b)
}

var odd = lazily(`[{}$<>\s]`)

// loosePlace tells what is wrong with a place that requests go to.
func loosePlace(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.Hostname() == "" {
		return "is no address that can be read"
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	ip, number := address(host)
	switch {
	case u.Scheme != "https":
		return "is not https"
	case u.User != nil:
		return "holds a user name or a password"
	case number && ip.IsValid() && !ip.IsGlobalUnicast() || number && ip.IsPrivate():
		return "is inside of the user's machine or network"
	case number:
		return "names a machine by its number"
	case !strings.Contains(host, "."), strings.HasSuffix(host, ".local"), strings.HasSuffix(host, ".localhost"), strings.HasSuffix(host, ".internal"),
		strings.HasSuffix(host, ".lan"), strings.HasSuffix(host, ".home.arpa"), strings.HasSuffix(host, ".corp"), strings.HasSuffix(host, ".intranet"):
		return "is inside of the user's machine or network"
	case isShortener(host):
		return "hides where it leads behind a shortener"
	case odd().MatchString(host), strings.Contains(host, "xn--"), strings.IndexFunc(host, func(r rune) bool { return r > '~' }) >= 0:
		return "has a host that is not written in plain letters"
	}
	for _, row := range endpoints()[host] {
		if row.path == "" {
			return "is " + endpointWords[row.kind]
		}
	}
	for parent := host; parent != ""; _, parent, _ = strings.Cut(parent, ".") {
		for _, row := range endpoints()[parent] {
			if row.path == "" && row.kind != "webhook" {
				return "is " + endpointWords[row.kind]
			}
		}
	}
	return ""
}

var (
	secretName   = lazily(`(?i)(?:^|_)(?:key|token|secret|password|passwd|pwd|passphrase|credential|credentials|pat|apikey)(?:$|_)`)
	notSecret    = lazily(`(?i)_(?:path|file|dir|id|name|url|ttl|length|type)$`)
	foreignAsked = lazily(`(?i)\b(?:private key|seed phrase|recovery phrase|mnemonic|wallet|ssh key|id_rsa|keychain|master password|login password|sudo password|root password|bank|credit card|social security)\b`)
)

// checkSecretsAsked looks at what a person is asked for.
func checkSecretsAsked(c *collector, d *spec.Deployment) {
	for _, e := range d.Env {
		where := c.locateText(`"`+e.Name+`"`, 1)
		if !e.Secret && secretName().MatchString(e.Name) && !notSecret().MatchString(e.Name) {
			c.warn(secretPlace, where, "%s is asked for and is not marked as a secret", spec.Quote(e.Name))
		}
		if e.Secret && e.Default != nil && *e.Default != "" {
			c.add(secretPlace, where, "the secret %s has a default", spec.Quote(e.Name))
		}
		if m := foreignAsked().FindString(e.Prompt); m != "" {
			c.add(secretPlace, where, "the prompt of %s asks for %s", spec.Quote(e.Name), spec.Quote(m))
		}
		if changesPrograms(e.Name) {
			c.add(secretPlace, where, "%s changes how programs are started, and is no value of a tool", spec.Quote(e.Name))
		}
	}
}

// changesPrograms tells the variables by which loaders and interpreters take code
// from elsewhere.
func changesPrograms(name string) bool {
	switch up := strings.ToUpper(name); {
	case strings.HasPrefix(up, "LD_"), strings.HasPrefix(up, "DYLD_"), strings.HasPrefix(up, "GIT_SSH"), strings.HasPrefix(up, "NPM_CONFIG_"), strings.HasPrefix(up, "PIP_"), strings.HasPrefix(up, "UV_"):
		return true
	case up == "PATH", up == "PYTHONPATH", up == "PYTHONSTARTUP", up == "PYTHONHOME", up == "NODE_OPTIONS", up == "NODE_PATH", up == "BASH_ENV", up == "ENV", up == "IFS", up == "PERL5OPT",
		up == "PERL5LIB", up == "RUBYOPT", up == "RUBYLIB", up == "JAVA_TOOL_OPTIONS", up == "GCONV_PATH", up == "HOME", up == "SHELL", up == "EDITOR", up == "PAGER", up == "GIT_EXTERNAL_DIFF", up == "PROMPT_COMMAND":
		return true
	}
	return false
}
