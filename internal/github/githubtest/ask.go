package githubtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// field is one field of a body as GitHub documents it.
type field struct {
	name     string
	kind     string // string, int, bool, strings, object, objects
	required bool
	null     bool // null means something of its own
	most     int  // characters of a string, elements of a list
	oneOf    []string
	of       []field // of an object
}

func str(name string, most int) field { return field{name: name, kind: "string", most: most} }
func must(f field) field              { f.required = true; return f }
func enum(name string, oneOf ...string) field {
	return field{name: name, kind: "string", oneOf: oneOf}
}

// maxBody is more than any request that is documented here can need: a file of
// 25 MiB in base64.
const maxBody = 40 << 20

// malformed tells what GitHub would not even look at, "" of a proper request.
func (rt *route) malformed(r *http.Request, body []byte) string {
	h := r.Header
	switch accept := h.Get("Accept"); {
	case h.Get("User-Agent") == "":
		return "no User-Agent"
	case accept != "application/json" && !strings.HasPrefix(accept, "application/vnd.github.") && !strings.HasPrefix(accept, "application/vnd.github+"):
		return "Accept: " + accept
	case h.Get("X-GitHub-Api-Version") != "" && h.Get("X-GitHub-Api-Version") != "2022-11-28":
		return "X-GitHub-Api-Version: " + h.Get("X-GitHub-Api-Version")
	case r.URL.Path != path.Clean(r.URL.Path):
		return "the path is not clean"
	}
	for name, values := range r.URL.Query() {
		if !slices.Contains(rt.query, name) {
			return "parameter " + name
		}
		n, err := strconv.Atoi(values[0])
		if (name == "per_page" && (err != nil || n < 1 || n > 100)) || (name == "page" && (err != nil || n < 1)) {
			return name + "=" + values[0]
		}
	}
	if rt.body == nil {
		if len(body) > 0 {
			return "a body, and none is documented"
		}
		return ""
	}
	if len(body) == 0 && !slices.ContainsFunc(rt.body, func(f field) bool { return f.required }) {
		return ""
	}
	if t := h.Get("Content-Type"); !strings.HasPrefix(t, "application/json") {
		return "Content-Type: " + t
	}
	var got any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&got); err != nil {
		return "the body is no JSON: " + err.Error()
	}
	if _, err := d.Token(); err != io.EOF {
		return "something follows the body"
	}
	if rt.body[0].name == "" { // the body is no object
		return rt.body[0].fits("the body", got)
	}
	return fits("the body", got, rt.body)
}

// fits holds a value against what an object may have.
func fits(where string, v any, fields []field) string {
	o, ok := v.(map[string]any)
	if !ok {
		return where + " is no object"
	}
	for name := range o {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == name }) {
			return fmt.Sprintf("%s has %q, which is not documented", where, name)
		}
	}
	for _, f := range fields {
		v, there := o[f.name]
		switch {
		case !there && f.required:
			return fmt.Sprintf("%s lacks %q", where, f.name)
		case !there, v == nil && f.null:
			continue
		}
		if bad := f.fits(where+"."+f.name, v); bad != "" {
			return bad
		}
	}
	return ""
}

func (f field) fits(where string, v any) string {
	switch f.kind {
	case "string":
		s, ok := v.(string)
		switch {
		case !ok:
			return where + " is no string"
		case f.most > 0 && utf8.RuneCountInString(s) > f.most:
			return fmt.Sprintf("%s has more than %d characters", where, f.most)
		case f.oneOf != nil && !slices.Contains(f.oneOf, s):
			return fmt.Sprintf("%s is %q", where, s)
		case f.required && s == "":
			return where + " is empty"
		}
		return ""
	case "int":
		n, ok := v.(json.Number)
		if _, err := strconv.ParseInt(string(n), 10, 64); !ok || err != nil {
			return where + " is no integer"
		}
		return ""
	case "bool":
		if _, ok := v.(bool); !ok {
			return where + " is neither true nor false"
		}
		return ""
	case "object":
		return fits(where, v, f.of)
	}
	list, ok := v.([]any)
	switch {
	case !ok:
		return where + " is no list"
	case f.most > 0 && len(list) > f.most:
		return fmt.Sprintf("%s has more than %d elements", where, f.most)
	}
	for i, one := range list {
		at := fmt.Sprintf("%s[%d]", where, i)
		if f.kind == "strings" {
			if _, ok := one.(string); !ok {
				return at + " is no string"
			}
		} else if bad := fits(at, one, f.of); bad != "" {
			return bad
		}
	}
	return ""
}
