package manifest

import "github.com/patch-cat/patch-git/spec"

// PrintArcade writes a definition in the specified edition, members in the order of
// its schema, two spaces for a level, one line feed at the end: the same bytes for
// the same definition. What other editions say beside it is not written; who
// reads the text again has the definition in the specified edition.
func PrintArcade(a *spec.Arcade) []byte {
	w := &indenter{}
	w.open('{')
	w.text("name", a.Name)
	w.text("fully_qualified_name", a.FQN)
	w.some("description", a.Description)
	w.member("toolkit").open('{')
	w.text("name", a.Toolkit.Name)
	w.some("description", a.Toolkit.Description)
	w.text("version", a.Toolkit.Version)
	w.close('}')
	w.member("input").open('{')
	w.member("parameters").open('[')
	for _, p := range a.Parameters {
		w.element().open('{')
		w.text("name", p.Name)
		w.word("required", p.Required)
		w.some("description", p.Description)
		w.member("value_schema").value(&p.Value)
		if !p.Inferrable { // absent is true [AT-P1]
			w.word("inferrable", false)
		}
		w.close('}')
	}
	w.close(']')
	w.close('}')
	w.member("output").open('{')
	w.list("available_modes", a.Modes)
	w.some("description", a.OutputText)
	if a.OutputValue != nil {
		w.member("value_schema").value(a.OutputValue)
	}
	w.close('}')
	w.requirements(a)
	w.close('}')
	return append(w.b, '\n')
}

func (w *indenter) value(v *spec.ArcadeValue) {
	w.open('{')
	w.text("val_type", v.Type)
	switch {
	case v.Inner != "":
		w.text("inner_val_type", v.Inner)
	case v.Type == "array": // of anything [C-34]
		w.member("inner_val_type")
		w.b = append(w.b, "null"...)
	}
	if len(v.Enum) > 0 {
		w.list("enum", v.Enum)
	}
	w.close('}')
}

func (w *indenter) requirements(a *spec.Arcade) {
	if len(a.Secrets) == 0 && a.Auth == nil {
		return
	}
	w.member("requirements").open('{')
	if len(a.Secrets) > 0 {
		w.member("secrets").open('[')
		for _, id := range a.Secrets {
			w.element().open('{')
			w.text("key_id", id)
			w.close('}')
		}
		w.close(']')
	}
	switch {
	case a.Auth == nil:
	case a.Auth.Word != "":
		w.text("authorization", a.Auth.Word)
	default:
		w.member("authorization").open('{')
		w.some("provider_id", a.Auth.ProviderID)
		w.text("provider_type", a.Auth.ProviderType)
		w.some("id", a.Auth.ID)
		if a.Auth.OAuth2 {
			w.member("oauth2").open('{')
			if len(a.Auth.Scopes) > 0 {
				w.list("scopes", a.Auth.Scopes)
			}
			w.close('}')
		}
		w.close('}')
	}
	w.close('}')
}

// indenter writes JSON with line breaks.
type indenter struct {
	b     []byte
	depth int
	empty bool // nothing stands yet in what was opened last
}

func (w *indenter) open(c byte) {
	w.b = append(w.b, c)
	w.depth++
	w.empty = true
}

func (w *indenter) close(c byte) {
	w.depth--
	if !w.empty {
		w.line()
	}
	w.b = append(w.b, c)
	w.empty = false
}

func (w *indenter) line() {
	w.b = append(w.b, '\n')
	for range w.depth {
		w.b = append(w.b, ' ', ' ')
	}
}

func (w *indenter) element() *indenter {
	if !w.empty {
		w.b = append(w.b, ',')
	}
	w.line()
	w.empty = false
	return w
}

func (w *indenter) member(name string) *indenter {
	w.element()
	w.b = append(appendJSONString(w.b, name), ':', ' ')
	return w
}

func (w *indenter) text(name, value string) {
	w.member(name)
	w.b = appendJSONString(w.b, value)
}

// some writes a text that may be missing.
func (w *indenter) some(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

func (w *indenter) word(name string, value bool) {
	w.member(name)
	if value {
		w.b = append(w.b, "true"...)
	} else {
		w.b = append(w.b, "false"...)
	}
}

func (w *indenter) list(name string, values []string) {
	w.member(name).open('[')
	for _, v := range values {
		w.element()
		w.b = appendJSONString(w.b, v)
	}
	w.close(']')
}
