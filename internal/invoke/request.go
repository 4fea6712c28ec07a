package invoke

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Request is an HTTP request, ready to be sent.
type Request struct {
	Method  string
	URL     string
	Headers []spec.Header // canonical names, each once
	Body    []byte        // nil: none
}

// Base is the part of an endpoint that no template can change: scheme and host, and
// the path before the path.
func Base(endpoint string) (*url.URL, error) {
	bad := func(why string) error {
		return fault.New(fault.Findings, ReasonTemplate, "endpoint_url %s %s", spec.Quote(endpoint), why)
	}
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return nil, bad("cannot be read")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, bad("is neither https nor http")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, bad("names no host")
	case u.User != nil:
		return nil, bad("has a user in it")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return nil, bad("has a query or a fragment, and a path is to follow")
	case dotted(u.EscapedPath()):
		return nil, bad("has . or .. in its path")
	}
	return u, nil
}

// request makes the request of an http operation.
func (v *Values) request(op *spec.Operation, endpoint string, input json.RawMessage) (*Request, error) {
	base, err := Base(endpoint)
	if err != nil {
		return nil, err
	}
	inv := op.Invocation
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, inv.Method) {
		return nil, fault.New(fault.Findings, ReasonTemplate, "method %s is none that an action may have", spec.Quote(inv.Method))
	}
	t, err := Parse(inv.Path)
	if err != nil {
		return nil, err
	}
	path, query, err := v.path(t)
	if err != nil {
		return nil, err
	}
	r := &Request{Method: inv.Method}
	if r.Headers, err = v.headers(inv.Headers); err != nil {
		return nil, err
	}
	rest, err := without(input, t.Tokens())
	if err != nil {
		return nil, err
	}
	switch {
	case inv.Method == "GET" || inv.Method == "DELETE":
		more, err := asQuery(rest)
		if err != nil {
			return nil, err
		}
		query = join(query, more)
	case op.Input != nil:
		r.Body = rest
		r.Headers = addUnless(r.Headers, "Content-Type", "application/json")
	}
	r.Headers = addUnless(r.Headers, "Accept", accepts(op))
	r.URL = base.Scheme + "://" + base.Host + strings.TrimSuffix(base.EscapedPath(), "/") + "/" + strings.TrimPrefix(path, "/")
	if query != "" {
		r.URL += "?" + query
	}
	return r, v.landed(base, r.URL)
}

// landed looks at the whole address once more, as a reader of addresses sees it.
func (v *Values) landed(base *url.URL, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != base.Scheme || u.Host != base.Host || u.User != nil || u.Fragment != "" || dotted(u.EscapedPath()) {
		return fault.New(fault.Denied, ReasonValue, "the address of the call leads out of %s", spec.Quote(base.String()))
	}
	if len(address) > limits.CallURL {
		return fault.New(fault.Usage, ReasonValue, "the address of the call has more than %d bytes", limits.CallURL)
	}
	if name, yes := v.isSecret(address); yes {
		return fault.New(fault.Denied, ReasonSecret, "the value of the secret %s was to stand in an address, which logs keep", name)
	}
	if name, yes := v.isSecret(unescaped(address)); yes {
		return fault.New(fault.Denied, ReasonSecret, "the value of the secret %s was to stand in an address, which logs keep", name)
	}
	return nil
}

// path renders the path, and the query where the template itself has a "?".
func (v *Values) path(t Template) (path, query string, err error) {
	var b strings.Builder
	asked := false // a "?" was passed
	for _, p := range t.parts {
		if p.token == nil {
			text, err := literal(p.text)
			if err != nil {
				return "", "", err
			}
			if before, after, cut := strings.Cut(text, "?"); cut && !asked {
				b.WriteString(before)
				path, asked = b.String(), true
				b.Reset()
				text = after
			}
			b.WriteString(text)
			continue
		}
		if v.secret(*p.token) {
			return "", "", inArgv(*p.token)
		}
		value, err := v.get(*p.token)
		if err != nil {
			return "", "", err
		}
		text, ok := scalar(value)
		if !ok {
			return "", "", shape(*p.token, "in a path")
		}
		if asked {
			text, err = forQuery(p.token.String(), text)
		} else {
			text, err = forPath(*p.token, text)
		}
		if err != nil {
			return "", "", err
		}
		b.WriteString(text)
	}
	if asked {
		return path, b.String(), check(path)
	}
	return b.String(), "", check(b.String())
}

// check refuses a path whose literals and values make a step only together.
func check(path string) error {
	if dotted(path) {
		return fault.New(fault.Usage, ReasonValue, "path %s has . or .. in it", spec.Quote(path))
	}
	return nil
}

// literal is a text of the manifest's in a path: ASCII that an address may have.
func literal(text string) (string, error) {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7F || strings.IndexByte("#\\\"<>^`{|}", c) >= 0 {
			return "", fault.New(fault.Findings, ReasonTemplate, "path %s has a character that no address has", spec.Quote(text))
		}
	}
	return text, nil
}

// forPath encodes a value as one segment, or a piece of one.
func forPath(t Token, text string) (string, error) {
	switch {
	case text == "":
		return "", fault.New(fault.Usage, ReasonValue, "the value of %s is empty, and the path would be another one", t)
	case control(text) || !utf8.ValidString(text):
		return "", fault.New(fault.Usage, ReasonValue, "the value of %s has control characters, which no path has", t)
	case dotted(text):
		return "", fault.New(fault.Usage, ReasonValue, "the value of %s is %s, which leads out of its place in the path", t, spec.Quote(text))
	}
	return percent(text), nil
}

func forQuery(what, text string) (string, error) {
	if !utf8.ValidString(text) {
		return "", fault.New(fault.Usage, ReasonValue, "the value of %s is not UTF-8", what)
	}
	return percent(text), nil
}

// dotted tells whether a text has a segment "." or "..", however often it is encoded
// and by whichever slash: servers differ in how often they decode.
func dotted(text string) bool {
	for range 4 {
		for s := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '/' || c == '\\' }) {
			// Some servers cut parameters off a segment before they look at it.
			s, _, _ = strings.Cut(s, ";")
			if s == "." || s == ".." {
				return true
			}
		}
		next := unescaped(text)
		if next == text {
			return false
		}
		text = next
	}
	return true // nobody encodes a name so often
}

// unescaped decodes what can be decoded.
func unescaped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if s, err := url.PathUnescape(text[i : i+3]); err == nil {
				b.WriteString(s)
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// percent encodes everything but what RFC 3986 calls unreserved.
func percent(text string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

func control(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7F || c >= 0x80 && c < 0xA0 })
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// asQuery makes a query of what is left of the arguments.
func asQuery(rest json.RawMessage) (string, error) {
	members, err := manifest.Object(rest, limits.Arguments)
	if err != nil {
		return "", fault.New(fault.Internal, "arguments", "%w", err)
	}
	query := ""
	for _, m := range members {
		value, err := decode(m.Value)
		if err != nil {
			return "", fault.New(fault.Internal, "arguments", "%w", err)
		}
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, one := range list {
			text, ok := scalar(one)
			if !ok {
				return "", fault.New(fault.Usage, ReasonShape, "input %s holds an object or an array, which has no place in a query", spec.Quote(m.Name))
			}
			if text, err = forQuery(m.Name, text); err != nil {
				return "", err
			}
			query = join(query, percent(m.Name)+"="+text)
		}
	}
	return query, nil
}
