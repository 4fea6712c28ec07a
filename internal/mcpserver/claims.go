package mcpserver

import "github.com/patch-cat/patch-git/internal/consume"

// claims are what a request says of itself; nothing is decided by them.
func (c *call) claims() consume.Claims {
	var out consume.Claims
	if c.req == nil {
		return out
	}
	if info := c.req.ClientInfo(); info != nil {
		out.Client, out.Version = shorten(info.Name, claimLength), shorten(info.Version, claimLength)
	}
	if parent, ok := c.req.Params.Meta["traceparent"].(string); ok && traceParent(parent) {
		out.TraceParent = parent
	}
	return out
}

const claimLength = 100

// traceParent tells whether a text is a W3C trace context, version 00: nothing else
// gets into a record by this way.
func traceParent(s string) bool {
	if len(s) != len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-00") {
		return false
	}
	for i, r := range s {
		switch i {
		case 2, 35, 52:
			if r != '-' {
				return false
			}
		default:
			if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
				return false
			}
		}
	}
	return s[:2] == "00"
}
