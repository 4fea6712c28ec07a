package invoke

import (
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// ofConnection are headers that say how a request travels, or where to. Whoever could
// set them could end one request and begin another, or reach another host behind the
// same address.
func ofConnection(name string) bool {
	return slices.Contains([]string{
		"Connection", "Content-Length", "Expect", "Host", "Http2-Settings", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
		"Accept-Encoding", "Forwarded",
	}, name) || strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded-")
}

// headers renders those of a request [TI-P24]. A secret may stand here.
func (v *Values) headers(list []spec.Header) ([]spec.Header, error) {
	var out []spec.Header
	for _, h := range list {
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		switch {
		case !isToken(h.Name):
			return nil, fault.New(fault.Findings, ReasonTemplate, "header %s is no name of a header", spec.Quote(h.Name))
		case ofConnection(name):
			return nil, fault.New(fault.Findings, ReasonTemplate, "header %s is not an action's to set", name)
		case slices.ContainsFunc(out, func(o spec.Header) bool { return o.Name == name }):
			return nil, fault.New(fault.Findings, ReasonTemplate, "header %s is there twice", name)
		}
		t, err := Parse(h.Value)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		for _, p := range t.parts {
			text := p.text
			if p.token != nil {
				value, err := v.get(*p.token)
				if err != nil {
					return nil, err
				}
				var ok bool
				if text, ok = scalar(value); !ok {
					return nil, shape(*p.token, "in a header")
				}
			}
			if control(text) || !utf8.ValidString(text) {
				return nil, fault.New(fault.Usage, ReasonValue, "header %s was to get a line break or another control character", name)
			}
			b.WriteString(text)
		}
		if b.Len() > limits.CallHeader {
			return nil, fault.New(fault.Usage, ReasonValue, "header %s has more than %d bytes", name, limits.CallHeader)
		}
		out = append(out, spec.Header{Name: name, Value: strings.Trim(b.String(), " ")})
	}
	return out, nil
}

// isToken tells whether a text is a token of RFC 9110.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// addUnless adds a header that the manifest does not set.
func addUnless(list []spec.Header, name, value string) []spec.Header {
	if slices.ContainsFunc(list, func(h spec.Header) bool { return h.Name == name }) {
		return list
	}
	return append(list, spec.Header{Name: name, Value: value})
}

// accepts is what an operation wants to be answered with.
func accepts(op *spec.Operation) string {
	if op.Output == nil {
		return "application/json, */*;q=0.5"
	}
	switch op.Output.Format {
	case spec.OutputJSON:
		return "application/json"
	case spec.OutputNDJSON:
		return "application/x-ndjson, application/json;q=0.9"
	case spec.OutputText:
		return "text/plain, text/*;q=0.9, */*;q=0.5"
	}
	return "*/*"
}
