package manifest

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// judge reports what the schema cannot say [TI-P1…39].
func (in *installReader) judge() {
	in.artifact()
	in.start()
	in.env()
	in.scopes()
	in.actions()
	in.smoke()
	d := in.tool.Deployment
	in.address("runtime", "endpoint_url", d.EndpointURL)
	in.address("kill_switch", "url", d.KillSwitch.URL)
	in.plain(in.root.get("kill_switch").get("command"), "kill_switch")
	in.plain(in.root.get("kill_switch").get("url"), "kill_switch")
	in.plain(in.root.get("runtime").child("entrypoint").child("command"), "entrypoint")
	in.plain(in.root.get("runtime").get("endpoint_url"), "endpoint_url")
}

// address asks for https, or http to this machine. What is no URI at all is one
// thing to the schema, as "format" annotates; nothing is sent there.
func (in *installReader) address(object, member, url string) {
	n := in.root.get(object).child(member)
	if n == nil || strings.HasPrefix(url, "https://") {
		return
	}
	for _, here := range []string{"http://localhost", "http://127.0.0.1", "http://[::1]"} {
		if rest, ok := strings.CutPrefix(url, here); ok && (rest == "" || strings.IndexByte(":/?#", rest[0]) >= 0) {
			return
		}
	}
	in.add(installAddress, n.at, "%s %s is not an address of https", member, spec.Quote(url))
}

// artifact looks at what is acquired: that it is the same tomorrow, and that no text
// is an option to the program that acquires it.
func (in *installReader) artifact() {
	a, n := in.tool.Deployment.Install, in.root.get("runtime").get("install")
	pin := func(exact bool, example string) {
		at := n.at
		if v := n.get("version_spec"); v != nil {
			at = v.at
		}
		if !exact {
			in.addAll(installPin, "", at, `write "version_spec": "`+example+`"`, "package %s is not pinned to one version", spec.Quote(a.Package))
		}
	}
	named := func(ok bool, member, text string) {
		if !ok {
			in.add(installPackage, n.get(member).at, "%s is not the plain name of a %s", spec.Quote(text), member)
		}
	}
	switch a.Method {
	case "pip":
		named(isPackage(a.Package), "package", a.Package)
		pin(isExactPip(a.VersionSpec), "==1.2.3")
	case "npm":
		scope, name, scoped := strings.Cut(strings.TrimPrefix(a.Package, "@"), "/")
		if !strings.HasPrefix(a.Package, "@") {
			scope, name, scoped = "", a.Package, true
		}
		named(scoped && isPackage(name) && (scope == "" || isPackage(scope)), "package", a.Package)
		_, err := spec.ParseVersion(strings.TrimPrefix(a.VersionSpec, "="))
		pin(err == nil, "1.2.3")
	case "git":
		// git runs what follows "ext::", and takes what begins with a hyphen for an option.
		named(!strings.HasPrefix(a.URL, "-") && !strings.Contains(a.URL, "::"), "url", a.URL)
		in.source(n, a.URL)
		if !isSHA(a.Ref) {
			in.add(installRef, n.get("ref").at, "the reference %s is not the full SHA of a commit", spec.Quote(a.Ref))
		}
		named(!strings.HasPrefix(a.Ref, "-"), "ref", a.Ref)
		if escapes(a.Subpath) {
			in.add(installPath, n.get("subpath").at, "subpath %s leads out of the repository", spec.Quote(a.Subpath))
		}
	case "container":
		named(a.Image != "" && a.Image[0] != '-' && !strings.ContainsFunc(a.Image, func(c rune) bool { return c <= ' ' || c > '~' }), "image", a.Image)
		if _, digest, ok := strings.Cut(a.Image, "@sha256:"); !ok || len(digest) != 64 || strings.Trim(digest, "0123456789abcdef") != "" {
			in.add(installDigest, n.get("image").at, "the image %s is named without a digest", spec.Quote(a.Image))
		}
	case "url":
		named(!strings.HasPrefix(a.URL, "-"), "url", a.URL)
		in.source(n, a.URL)
	}
}

func (in *installReader) source(n *node, url string) {
	if !strings.HasPrefix(url, "https://") {
		in.add(installAddress, n.get("url").at, "url %s is not an address of https", spec.Quote(url))
	}
}

// isPackage tells whether s is the name of a package, for pip with extras.
func isPackage(s string) bool {
	name, extras, ok := strings.Cut(s, "[")
	if ok {
		extras, ok = strings.CutSuffix(extras, "]")
		if !ok || strings.Trim(extras, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._,-") != "" {
			return false
		}
	}
	return name != "" && len(name) <= 214 && (alphanumeric(name[0]) || name[0] == '_') &&
		strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-~") == ""
}

// isExactPip tells whether s is "==" and a version of PEP 440 without a wildcard.
func isExactPip(s string) bool {
	version, ok := strings.CutPrefix(s, "==")
	version = strings.TrimSpace(version)
	return ok && version != "" && isDigit(version[0]) && len(version) <= 64 &&
		strings.Trim(version, "abcdefghijklmnopqrstuvwxyz0123456789.!+-") == ""
}

func isSHA(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// escapes tells whether a path may lead out of the folder that it is relative to.
func escapes(path string) bool {
	path = strings.ReplaceAll(path, `\`, "/")
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") || strings.Contains(path, "\x00") ||
		len(path) > 1 && path[1] == ':' || slices.Contains(strings.Split(path, "/"), "..")
}

// start looks at whether what starts the tool fits what is called [TI-P10].
func (in *installReader) start() {
	d, runtime := in.tool.Deployment, in.root.get("runtime")
	program, service := runtime.get("entrypoint"), runtime.get("endpoint_url")
	say := func(code string, at pos, format string, args ...any) {
		in.addCode(installStart, code, at, format, args...)
	}
	switch {
	case program != nil && service != nil:
		say("entrypoint-and-endpoint", service.at, "there are an entrypoint and an endpoint_url, which exclude each other")
	case program == nil && service == nil && d.Kind == "mcp-http":
		say("no-entrypoint", runtime.at, "a runtime of kind mcp-http has neither an endpoint_url nor an entrypoint")
	case program == nil && d.Kind != "mcp-http" && (service == nil || d.Kind == "mcp-stdio"):
		if d.Kind != "container" || in.calls(spec.InvokeSubcommand) || in.calls(spec.InvokeStdinJSON) {
			say("no-entrypoint", runtime.at, "a runtime of kind %s has no entrypoint", d.Kind)
		}
	}
	for i, op := range in.tool.Operations {
		at := in.root.get("actions").items[i].get("invocation").at
		switch kind := op.Invocation.Kind; {
		case kind == spec.InvokeHTTP && service == nil:
			say("http-action-without-endpoint", at, "action %s is called by http, and there is no endpoint_url", op.Name)
		case (kind == spec.InvokeSubcommand || kind == spec.InvokeStdinJSON) && program == nil && service != nil:
			say("no-entrypoint", at, "action %s starts a program, and there is no entrypoint", op.Name)
		case kind == spec.InvokeMCPTool && !isMCP(d.Kind):
			in.add(installMCP, at, "action %s is a tool of an MCP server, and the runtime is of kind %s", op.Name, d.Kind)
		}
	}
}

func isMCP(kind string) bool { return kind == "mcp-stdio" || kind == "mcp-http" }

func (in *installReader) calls(kind spec.InvocationKind) bool {
	return slices.ContainsFunc(in.tool.Operations, func(op spec.Operation) bool { return op.Invocation.Kind == kind })
}

// env looks at the values that a person gives [TI-P11…15].
func (in *installReader) env() {
	seen := map[string]bool{}
	for i, n := range in.root.get("env").list() {
		e := in.tool.Deployment.Env[i]
		if seen[e.Name] {
			in.addCode(installTwice, "duplicate-env", n.get("name").at, "two variables have the name %s", e.Name)
		}
		seen[e.Name] = true
		if e.Secret && e.Default != nil {
			in.add(installSecretDefault, n.get("default").at, "the secret %s has a default", e.Name)
		}
		pattern := n.get("validation_regex")
		if pattern == nil || !in.regex(pattern, "the pattern of "+e.Name) || e.Default == nil {
			continue
		}
		if ok, told := in.matches(e.Pattern, *e.Default, n.get("default").at); told && !ok {
			in.add(installDefault, n.get("default").at, "the default of %s does not match its pattern", e.Name)
		}
	}
}

// regex tells whether a text is a pattern of ECMAScript.
func (in *installReader) regex(n *node, what string) bool {
	if _, err := in.patterns.compile(n.text); err != nil {
		in.add(installRegex, n.at, "%s is no regular expression: %s", what, err)
		return false
	}
	return true
}

// matches searches a text for a pattern; told is false where that takes too long.
func (in *installReader) matches(pattern, text string, at pos) (ok, told bool) {
	re, err := in.patterns.compile(pattern)
	if err == nil && in.left > 0 {
		if ok, err = re.MatchString(text); err == nil {
			return ok, true
		}
		in.left, in.steps = 0, 0 // a file with one such pattern is given no more time
	}
	in.add(installUntold, at, "matching the pattern %s takes too long to be tried here", spec.Quote(pattern))
	return false, false
}

// scopes looks at the resources of the scopes [TI-P16].
func (in *installReader) scopes() {
	seen := map[string]bool{}
	for i, n := range in.root.get("scopes").list() {
		resource := in.tool.Deployment.Scopes[i].Resource
		if seen[resource] {
			in.add(installScopeTwice, n.get("resource").at, "the resource %s stands twice in scopes", spec.Quote(resource))
		}
		seen[resource] = true
	}
	for i, op := range in.tool.Operations {
		for k, used := range op.ScopesUsed {
			if !seen[used] {
				in.add(installScope, in.root.get("actions").items[i].get("scopes_used").items[k].at,
					"action %s uses %s, which scopes does not declare", op.Name, spec.Quote(used))
			}
		}
	}
}
