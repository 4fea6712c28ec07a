package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// Print writes the frontmatter of a tool in the Patch format, both markers
// included, in the order of the documented fields and without those that have
// their default. Reading it gives the tool back.
//
// The second line is always the name, whose grammar keeps Python from finding
// a coding cookie in it (PEP 263).
func Print(t *spec.Tool) []byte {
	p := &printer{}
	p.b.WriteString(marker + "\n")
	p.line(0, "name", scalar(string(t.Name)))
	p.line(0, "version", scalar(string(t.Version)))
	p.line(0, "description", scalar(t.Description))
	p.inputs(t.Inputs)
	p.line(0, "outputs", "")
	p.line(1, "type", typeWord(t.Output.Type))
	p.optional(1, "description", t.Output.Description)
	if t.Output.Items != nil {
		p.line(1, "items", outputItems(t.Output.Items))
	}
	p.line(0, "capabilities", "")
	p.line(1, "network", fmt.Sprint(t.Capabilities.Network))
	p.line(1, "filesystem", scalar(string(t.Capabilities.Filesystem)))
	p.line(1, "human_confirm", fmt.Sprint(t.Capabilities.HumanConfirm))
	p.line(0, "runtime", "")
	p.line(1, "language", scalar(t.Runtime.Language))
	p.line(1, "python_version", quote(t.Runtime.PythonVersion))
	p.line(1, "packages", list(t.Runtime.Packages))
	if len(t.ExternalAuth) > 0 {
		p.line(0, "external_auth", list(t.ExternalAuth))
	}
	p.optional(0, "generated_by", t.GeneratedBy)
	p.optional(0, "generated_at", t.GeneratedAt)
	if len(t.Needs) > 0 {
		p.line(0, "x-needs", list(t.Needs))
	}
	p.listed(t)
	for _, key := range slices.Sorted(maps.Keys(t.Extensions)) {
		p.line(0, key, flow(t.Extensions[key]))
	}
	p.b.WriteString(marker + "\n")
	return p.b.Bytes()
}

type printer struct{ b bytes.Buffer }

// line writes "# key: value", indented by levels of two.
func (p *printer) line(level int, key, value string) {
	p.b.WriteString("# " + strings.Repeat("  ", level) + key + ":")
	if value != "" {
		p.b.WriteString(" " + value)
	}
	p.b.WriteByte('\n')
}

func (p *printer) optional(level int, key, value string) {
	if value != "" {
		p.line(level, key, scalar(value))
	}
}

func (p *printer) inputs(inputs []spec.Input) {
	if len(inputs) == 0 {
		p.line(0, "inputs", "[]")
		return
	}
	p.line(0, "inputs", "")
	for _, in := range inputs {
		p.b.WriteString("#   - name: " + scalar(in.Name) + "\n")
		p.line(2, "type", typeWord(in.Type))
		p.optional(2, "description", in.Description)
		if !in.Required {
			p.line(2, "required", "false")
		}
		if in.Default != nil {
			p.line(2, "default", flow(in.Default))
		}
		if in.TaintedOK {
			p.line(2, "tainted_ok", "true")
		}
		if in.Items != nil {
			p.line(2, "items", flow(in.Items))
		}
	}
}

// listed writes what only those who look for a tool read, an example a line.
func (p *printer) listed(t *spec.Tool) {
	p.optional(0, "x-license", t.License)
	if len(t.Tags) > 0 {
		p.line(0, "x-tags", list(t.Tags))
	}
	if len(t.Aliases) > 0 {
		p.line(0, "x-aliases", list(t.Aliases))
	}
	if len(t.Examples) == 0 {
		return
	}
	p.line(0, "x-examples", "")
	for _, e := range t.Examples {
		p.b.WriteString("#   - " + scalar(e) + "\n")
	}
}

func typeWord(t spec.Type) string { return scalar(string(t)) }

var bareItems = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{"type":"([a-z]+)"\}$`) })

// outputItems writes items that are only a type as the documented example does.
func outputItems(items json.RawMessage) string {
	if m := bareItems().FindSubmatch(items); m != nil {
		return scalar(string(m[1]))
	}
	return flow(items)
}

func list[T ~string](items []T) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = quote(string(item))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// plainSafe matches text that needs no quotes: it begins with a letter or digit, is typed by
// no reader of YAML, and holds nothing that ends or comments a plain scalar.
var plainSafe = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9 _.,;/()+@=<>'"!?*&%$~^|\x60-]|:[A-Za-z0-9_/-])*$`)
})

var isoTime = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.,]+(Z|\+00:00)$`) })

// scalar writes a text without quotes where that is safe.
func scalar(s string) string {
	kind, unclear := plainScalar(s)
	if isoTime().MatchString(s) || kind == kindString && !unclear && plainSafe().MatchString(s) && !strings.HasSuffix(s, " ") {
		return s
	}
	return quote(s)
}

// quote writes a text in YAML's double quotes. What YAML doesn't allow as it
// is, and what some reader takes for a line end, is escaped. JSON's escapes
// differ from YAML's beyond the basic plane, so they cannot serve here.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c >= 0x7F && c < 0xA0:
			fmt.Fprintf(&b, `\x%02x`, c)
		case disagreement(c) != "" || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// flow writes JSON as YAML on one line, members in their order.
func flow(raw json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var b strings.Builder
	flowValue(d, &b)
	return b.String()
}

// flowValue writes the next value of d. Errors end it: the caller's tool was
// read from a file, so that its JSON is sound.
func flowValue(d *json.Decoder, b *strings.Builder) {
	token, err := d.Token()
	if err != nil {
		return
	}
	switch v := token.(type) {
	case json.Delim:
		b.WriteString(v.String())
		for first := true; d.More(); first = false {
			if !first {
				b.WriteString(", ")
			}
			if v == '{' {
				key, _ := d.Token()
				name, _ := key.(string)
				b.WriteString(quote(name) + ": ")
			}
			flowValue(d, b)
		}
		if end, err := d.Token(); err == nil {
			fmt.Fprint(b, end)
		}
	case string:
		b.WriteString(quote(v))
	case json.Number:
		b.WriteString(v.String())
	case bool:
		fmt.Fprint(b, v)
	case nil:
		b.WriteString("null")
	}
}
