package contribute

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/trusted"
	"github.com/patch-cat/patch-git/spec"
)

// The environment that says which GitHub is asked, by the names that GitHub's
// own machines and programs use, and who asks for a login in a browser.
const (
	apiVariable    = "GITHUB_API_URL"
	siteVariable   = "GITHUB_SERVER_URL"
	clientVariable = "PATCH_GIT_GITHUB_CLIENT_ID"
)

// publicAPI is where github.com answers programs.
const (
	publicAPI  = "https://api.github.com"
	publicSite = "https://github.com"
)

// scope is what a token needs to propose something to a public registry: a fork,
// a branch in it, a pull request.
const scope = "public_repo"

// HubOptions say how GitHub is asked.
type HubOptions struct {
	// Anonymous goes on without a token where there is none, and without GitHub
	// where it does not answer at once.
	Anonymous bool
	// Show shows a person a code to type at an address; nil where there is no
	// person, and nobody can be asked to log in.
	Show func(code, address string) error
	// Wait hears why GitHub is not asked yet.
	Wait func(why string, d time.Duration)
}

// GitHub makes a client with the person's own token: that of the environment,
// that of gh, or one that they get by a login in the browser. The token is kept
// nowhere. anonymous says that there is none.
func (w *Workshop) GitHub(ctx context.Context, o HubOptions) (gh *github.Client, anonymous bool, err error) {
	api := w.host.Getenv(apiVariable)
	// gh keeps tokens of github.com, which are sent nowhere else.
	run := w.gh
	if api != "" && strings.TrimSuffix(api, "/") != publicAPI {
		run = nil
	}
	token, _, err := github.FindToken(ctx, w.host.Getenv, run)
	if fault.KindOf(err) == fault.Denied {
		token, err = w.login(ctx, o, err)
	}
	if err != nil {
		return nil, false, err
	}
	options := github.Options{API: api, HTTP: w.host.HTTP(), Token: token, Now: w.host.Now, Wait: o.Wait}
	if o.Anonymous {
		options.Sleep = atOnce
	}
	gh, err = github.New(options)
	return gh, token == "", err
}

// atOnce waits for one more attempt and for no other: who only wants to see what
// would be sent can be shown that without GitHub.
func atOnce(ctx context.Context, d time.Duration) error {
	if d > time.Second {
		return fault.New(fault.Unavailable, "network", "GitHub does not answer, or not at once")
	}
	return pauseFor(ctx, d)
}

// login gets a token where none was found.
func (w *Workshop) login(ctx context.Context, o HubOptions, none error) (string, error) {
	client := w.host.Getenv(clientVariable)
	switch {
	case o.Anonymous:
		return "", nil
	case client == "" || o.Show == nil:
		return "", fault.New(fault.Denied, "token", "%w", none).
			Hint("or make a classic token with the scope %s at https://github.com/settings/tokens and set GITHUB_TOKEN to it", scope)
	}
	// The token that the site gives is sent to the interface: where they are not
	// of one GitHub, that is to tell a stranger.
	api, site := cmp.Or(w.host.Getenv(apiVariable), publicAPI), cmp.Or(w.host.Getenv(siteVariable), publicSite)
	if !oneGitHub(api, site) {
		return "", fault.New(fault.Usage, "api", "a login at %s gives a token that %s must not see", spec.Quote(site), spec.Quote(api)).
			Hint("set %s and %s to one GitHub, or neither of them", apiVariable, siteVariable)
	}
	return github.Device(ctx, github.DeviceOptions{
		Base: w.host.Getenv(siteVariable), HTTP: w.host.HTTP(), ClientID: client, Scopes: []string{scope}, Now: w.host.Now, Show: o.Show,
	})
}

// oneGitHub tells whether an interface and a site are of one GitHub: they have one
// host, or the interface has that of the site with "api." before it.
func oneGitHub(api, site string) bool {
	a, err := url.Parse(api)
	if err != nil {
		return false
	}
	s, err := url.Parse(site)
	if err != nil || s.Host == "" || a.Scheme != s.Scheme {
		return false
	}
	return strings.EqualFold(a.Host, s.Host) || strings.EqualFold(a.Host, "api."+s.Host)
}

// ghVariables are what gh may see of the environment: where its configuration
// and its keyring are.
var ghVariables = []string{
	"PATH", "HOME", "GH_CONFIG_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"DBUS_SESSION_BUS_ADDRESS", "SYSTEMROOT", "APPDATA", "LOCALAPPDATA", "USERPROFILE",
}

// gh runs gh, of the first absolute folder of PATH that has it.
func (w *Workshop) gh(ctx context.Context, argv []string) ([]byte, error) {
	path, err := trusted.Find(w.host, argv[0])
	if err != nil {
		return nil, err
	}
	var env []string
	for _, name := range ghVariables {
		if v := w.host.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	out, err := trusted.Run(ctx, append([]string{path}, argv[1:]...), env, "", nil)
	if err == nil && out.Exit != 0 {
		err = fault.New(fault.Unavailable, "gh", "gh ended with exit code %d", out.Exit)
	}
	return out.Stdout, err
}
