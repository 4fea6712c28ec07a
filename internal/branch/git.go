package branch

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Pipe runs a program that the person trusts; trusted.Pipe is the one outside
// of tests.
type Pipe func(ctx context.Context, argv, env []string, dir string, stdin io.Reader, stdout io.Writer) (exit int, stderr []byte, err error)

// Git is the program git and what it may know. All but Token are compulsory.
type Git struct {
	Run    Pipe
	Getenv func(string) string
	GOOS   string
	// Token is sent to the remote's own host, where that is spoken to by http.
	Token string
}

// passed are the variables that git and ssh find their way with. None of them
// can name a program, a configuration or a repository.
var passed = []string{
	"PATH", "HOME", "TMPDIR", "SYSTEMROOT", "USERPROFILE", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
}

// git runs the program for one repository.
type git struct {
	run     Pipe
	program string
	env     []string
	dir     string // where it works: a bare repository of our own, or a checkout
}

// command finds git and makes its environment. remote is the address that the
// token is for, "" where none is spoken to.
func (g Git) command(dir, remote string) (*git, error) {
	program, err := g.find()
	if err != nil {
		return nil, err
	}
	c := &git{run: g.Run, program: program, dir: dir}
	for _, name := range passed {
		if v := g.Getenv(name); v != "" {
			c.env = append(c.env, name+"="+v)
		}
	}
	c.env = append(
		c.env, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=https:http:ssh:file", "GIT_SSH_COMMAND=ssh -oBatchMode=yes",
	)
	config := [][2]string{
		{"protocol.version", "2"},
		{"transfer.fsckObjects", "true"}, // a stranger's objects are looked at as they come
		{"core.hooksPath", os.DevNull},
		{"gc.auto", "0"},
		{"maintenance.auto", "false"},
		{"credential.helper", ""},         // nobody else is asked for a password
		{"http.followRedirects", "false"}, // the token is for one host
		{"safe.directory", "*"},           // the caller named the folder
		{"fetch.negotiationAlgorithm", "noop"},
	}
	if g.Token != "" && (strings.HasPrefix(remote, "https://") || strings.HasPrefix(remote, "http://")) {
		header, err := authorization(g.Token)
		if err != nil {
			return nil, err
		}
		u, err := url.Parse(remote)
		if err != nil {
			return nil, fault.New(fault.Usage, "remote", "the address of the repository is not readable")
		}
		config = append(config, [2]string{"http." + u.Scheme + "://" + u.Host + "/.extraHeader", header})
	}
	for i, kv := range config {
		c.env = append(c.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	c.env = append(c.env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)))
	return c, nil
}

// authorization is how GitHub takes a token for git over http.
func authorization(token string) (string, error) {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] >= 0x7f {
			return "", fault.New(fault.Usage, "token", "the token has characters that no token has")
		}
	}
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token)), nil
}

// find looks for git where PATH says. A relative folder would be one of the
// checkout, which a stranger may have had a say in.
func (g Git) find() (string, error) {
	name := "git"
	if g.GOOS == "windows" {
		name = "git.exe"
	}
	for _, dir := range filepath.SplitList(g.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(dir, name), nil
		}
	}
	return "", fault.New(fault.Unavailable, "no_git", "there is no program git on PATH").Hint("install git")
}

// do runs a command that has to succeed. Its stderr becomes part of the error,
// quoted, because a server may have written it.
func (c *git) do(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	exit, stderr, err := c.try(ctx, stdin, stdout, args...)
	if err != nil {
		return err
	}
	if exit != 0 {
		return failed(args[0], exit, stderr)
	}
	return nil
}

func failed(verb string, exit int, stderr []byte) error {
	return fault.New(fault.Unavailable, "git", "git %s ended with exit code %d: %s", verb, exit, spec.Quote(lastLine(stderr)))
}

func (c *git) try(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) (int, []byte, error) {
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	if stdout == nil {
		stdout = io.Discard
	}
	return c.run(ctx, append([]string{c.program}, args...), c.env, c.dir, stdin, stdout)
}

// text runs a command whose answer is a line or a few.
func (c *git) text(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := c.do(ctx, nil, &capped{&out, limits.Document}, args...)
	return strings.TrimSpace(out.String()), err
}

// lastLine is what git says last, which is why it gave up.
func lastLine(stderr []byte) string {
	lines := strings.Split(strings.TrimSpace(string(stderr)), "\n")
	for _, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			return line
		}
	}
	return lines[len(lines)-1]
}

// capped fails a command that answers more than any that is needed.
type capped struct {
	to   io.Writer
	left int64
}

func (w *capped) Write(b []byte) (int, error) {
	if w.left -= int64(len(b)); w.left < 0 {
		return 0, fault.New(fault.NotVerified, "too_large", "git answered more than a registry can have")
	}
	return w.to.Write(b)
}

var scpLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[A-Za-z0-9._~/-]+$`) })

// checkRemote refuses addresses that git would take for an option or for
// something other than a repository, and those that carry a secret.
func checkRemote(remote string) error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.Usage, "remote", format, args...).Hint("use https://…, ssh://…, user@host:path or an absolute path")
	}
	if remote == "" || strings.HasPrefix(remote, "-") || strings.ContainsFunc(remote, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return bad("the address of the repository is empty or not one")
	}
	if filepath.IsAbs(remote) || scpLike().MatchString(remote) {
		return nil
	}
	u, err := url.Parse(remote)
	if err != nil {
		return bad("the address of the repository is not readable")
	}
	if _, secret := u.User.Password(); secret || u.User != nil && u.Scheme != "ssh" {
		return bad("the address of the repository carries a user or a password; those come through the environment")
	}
	switch u.Scheme {
	case "https", "ssh":
		return nil
	case "http":
		if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
			return nil
		}
		return bad("plain http serves only this machine's own addresses")
	case "file":
		return nil
	}
	return bad("repositories do not lie at %s", spec.Quote(remote))
}

// isID tells whether git named an object.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
