package manifest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// ArcadeOf makes a definition of a document that was read, and tells what is lost
// on the way [§6.1]. Of a definition it is the definition itself, without losses
// where that is of the specified edition. A Patch tool becomes one of the toolkit
// "patch", whose version is the tool's; it is an interface without a body: Arcade
// has to be given a worker that answers by it.
//
// What the document itself says of taint, confirmation and the network is a loss of
// security, because nobody who reads the definition is held by it; a default that
// the document leaves unsaid is none. The error is of another format.
func ArcadeOf(d *Document) (*spec.Arcade, []Loss, error) {
	switch t := &d.Tool; t.Format {
	case spec.FormatPatch:
		return patchToArcade(d)
	case spec.FormatArcade:
		return t.Arcade, nil, nil
	default:
		return nil, nil, fault.New(fault.Usage, "format", "a tool of the format %s makes no Arcade definition by itself", t.Format).
			Hint("patch-git convert %s --to arcade", t.Name)
	}
}

func patchToArcade(d *Document) (*spec.Arcade, []Loss, error) {
	t, x := &d.Tool, &exporter{}
	x.place = func(pointer string) bool { line, _ := d.Place(pointer); return line > 0 }
	a := &spec.Arcade{
		Edition: ArcadeSpecified, Name: string(t.Name), FQN: patchToolkit + "." + string(t.Name), Description: t.Description,
		Toolkit:    spec.ArcadeToolkit{Name: patchToolkit, Version: string(t.Version)},
		Parameters: []spec.ArcadeParameter{}, Modes: []string{"value", "error"}, OutputText: t.Output.Description,
	}
	x.add("/version", Approximated, false, "a tool has no version of its own, and has that of its toolkit")
	for i := range t.Inputs {
		a.Parameters = append(a.Parameters, x.parameter(&t.Inputs[i], indexed("/inputs", i)))
	}
	x.output(t, a)
	x.permissions(t, a)
	x.rest(t)
	return a, x.losses, nil
}

// exporter collects what is lost.
type exporter struct {
	losses []Loss
	place  func(pointer string) bool // whether the document has it
}

func (x *exporter) add(path string, k LossKind, security bool, reason string) {
	x.losses = append(x.losses, Loss{path, k, reason, security})
}

func (x *exporter) parameter(in *spec.Input, where string) spec.ArcadeParameter {
	p := spec.ArcadeParameter{Name: in.Name, Required: in.Required, Description: in.Description, Inferrable: true}
	p.Value = x.value(in.Type, in.Items, where)
	if in.Default != nil {
		x.add(where+"/default", Dropped, false, "a parameter has no default")
	}
	if said := where + "/tainted_ok"; x.place(said) {
		x.add(said, Dropped, true, "nothing says whether untrusted content may flow into a parameter")
	}
	return p
}

func (x *exporter) value(t spec.Type, items json.RawMessage, where string) spec.ArcadeValue {
	v := spec.ArcadeValue{Type: string(t)}
	switch {
	case t == spec.TypeObject:
		v.Type = "json"
		x.add(where+"/type", Approximated, false, "an object is json, which is any")
	case t == spec.TypeArray && items != nil:
		schema := append(append([]byte(`{"type":"array","items":`), items...), '}')
		if made, losses, err := ArcadeValueOf(schema); err == nil {
			v = made
			x.losses = append(x.losses, below(where, losses)...)
		}
	}
	return v
}

func (x *exporter) output(t *spec.Tool, a *spec.Arcade) {
	x.add("/output/available_modes", Synthesised, false, "a result is a value, and a failure an error")
	if t.Output.Type == spec.TypeNull {
		a.Modes = append(a.Modes, "null")
		return
	}
	v := x.value(t.Output.Type, t.Output.Items, "/outputs")
	a.OutputValue = &v
}

func (x *exporter) permissions(t *spec.Tool, a *spec.Arcade) {
	if t.Capabilities.Network {
		x.add("/capabilities/network", Dropped, true, "nothing says that a tool reaches the network")
	}
	if t.Capabilities.Filesystem != spec.FilesystemNone {
		x.add("/capabilities/filesystem", Dropped, false, "nothing says that a tool sees files")
	}
	if t.Capabilities.HumanConfirm {
		x.add("/capabilities/human_confirm", Dropped, true, "nothing says that a person confirms each run")
	}
	if len(t.Needs) > 0 {
		x.add("/x-needs", Dropped, false, "nothing says what the code does beyond network and files")
	}
	for i, account := range t.ExternalAuth {
		provider, scope, _ := strings.Cut(account, ".")
		if a.Auth == nil {
			a.Auth = &spec.ArcadeAuth{ProviderID: provider, ProviderType: "oauth2", OAuth2: true}
		}
		a.Auth.Scopes = append(a.Auth.Scopes, scope)
		x.add(indexed("/external_auth", i), Approximated, false, "providers have scopes of their own words, which these are not")
	}
}

// rest is what an interface has no place for.
func (x *exporter) rest(t *spec.Tool) {
	for _, m := range []struct {
		path, reason string
		there        bool
	}{
		{"/runtime/python_version", "a definition says nothing of what runs behind it", t.Runtime.PythonVersion != ""},
		{"/runtime/packages", "a definition says nothing of what runs behind it", len(t.Runtime.Packages) > 0},
		{"/generated_by", "there is no place for it", t.GeneratedBy != ""},
		{"/generated_at", "there is no place for it", t.GeneratedAt != ""},
		{"/x-license", "there is no place for it", t.License != ""},
		{"/x-tags", "there is no place for it", len(t.Tags) > 0},
		{"/x-aliases", "there is no place for it", len(t.Aliases) > 0},
		{"/x-examples", "there is no place for it", len(t.Examples) > 0},
	} {
		if m.there {
			x.add(m.path, Dropped, false, m.reason)
		}
	}
	for name := range t.Extensions {
		x.add("/"+pointerPart(name), Dropped, false, "there is no place for it")
	}
	x.add("", Dropped, false, "the code: a definition is an interface, and a worker has to answer by it")
	slices.SortStableFunc(x.losses, func(a, b Loss) int { return strings.Compare(a.Path, b.Path) })
}
