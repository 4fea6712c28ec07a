package provision

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// The forms of what may be installed: each names one content for all time.
var (
	exactPython = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^==[0-9][A-Za-z0-9.!+]{0,49}$`) })
	exactNPM    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^=?(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})(-[0-9A-Za-z.-]{1,64})?$`)
	})
	npmName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]{0,98}/)?[a-z0-9][a-z0-9._-]{0,98}$`)
	})
	pythonName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`) })
	fullSHA    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })
	imageRef   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[a-z0-9][a-z0-9.:/_-]{0,254}@sha256:[0-9a-f]{64}$`)
	})
	sha256Hex = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })
)

// Check tells, without any network, whether what a tool installs is pinned so that
// it can be installed at all. A hint says what the author has to write.
func Check(t *spec.Tool) error { return check(t, false) }

// check is Check; plain lets the addresses of a test through.
func check(t *spec.Tool, plain bool) error {
	if t == nil || t.Deployment == nil {
		return fault.New(fault.Internal, "install", "there is nothing to install")
	}
	a := t.Deployment.Install
	switch a.Method {
	case "pip":
		if !pythonName().MatchString(a.Package) {
			return refused("%s is no name of a package", spec.Quote(a.Package))
		}
		if !exactPython().MatchString(a.VersionSpec) {
			return refused("the version of %s is %s, which is not one version", a.Package, said(a.VersionSpec)).Hint(`its author writes "version_spec": "==1.2.3"`)
		}
	case "npm":
		if !npmName().MatchString(a.Package) {
			return refused("%s is no name of a package", spec.Quote(a.Package))
		}
		if !exactNPM().MatchString(a.VersionSpec) {
			return refused("the version of %s is %s, which is not one version", a.Package, said(a.VersionSpec)).Hint(`its author writes "version_spec": "1.2.3"`)
		}
	case "git":
		if !fullSHA().MatchString(a.Ref) {
			return refused("the ref %s can come to mean something else", said(a.Ref)).Hint("its author writes the commit's full SHA, 40 digits [TI-P6]")
		}
		if a.Subpath != "" && (spec.CheckPath(a.Subpath) != nil || path.Clean(a.Subpath) != a.Subpath) {
			return refused("the subpath %s leads elsewhere", spec.Quote(a.Subpath))
		}
		return checkURL(a.URL, plain)
	case "url":
		if !sha256Hex().MatchString(a.SHA256) {
			return refused("the download has no SHA-256")
		}
		return checkURL(a.URL, plain)
	case "container":
		if !imageRef().MatchString(a.Image) {
			return refused("the image %s can come to mean something else", said(a.Image)).Hint("its author writes name@sha256:… [TI-P7]")
		}
		for _, e := range t.Deployment.Env {
			if ofEngine(e.Name) {
				return refused("the value %s would be one of the container engine's own, which runs with all your rights", e.Name).
					Hint("its author gives it another name")
			}
		}
	default:
		return refused("the install method %s is not known", said(a.Method))
	}
	return nil
}

// said is what a manifest says, or that it says nothing.
func said(s string) string {
	if s == "" {
		return "not stated"
	}
	return spec.Quote(s)
}

// checkURL lets an address through that is https and nothing but an address: file:
// and ext: would have git read or run what is on this machine.
func checkURL(text string, plain bool) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > limits.URL || strings.ContainsAny(text, " \t\r\n\\\x00"):
		return refused("%s is no address", spec.Quote(text))
	case u.Scheme != "https" && !plain:
		return refused("%s is not https", spec.Quote(text))
	case u.User != nil:
		return refused("the address %s holds a password or a name", spec.Quote(u.Redacted()))
	case u.Host == "" && !plain || u.Opaque != "" || strings.HasPrefix(u.Host, "-"):
		return refused("%s names no server", spec.Quote(text))
	}
	return nil
}
