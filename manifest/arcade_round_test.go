package manifest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// someArcade is a definition of the specified edition, another for each number.
func someArcade(r *rand.Rand) *spec.Arcade {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	value := func() spec.ArcadeValue {
		v := spec.ArcadeValue{Type: pick("string", "integer", "number", "boolean", "json", "array")}
		if v.Type == "array" {
			v.Inner = pick("", "string", "integer", "json")
		}
		if (v.Type == "string" || v.Inner == "string") && r.IntN(2) == 0 {
			v.Enum = []string{"a", "b c", "é\n"}
		}
		return v
	}
	kit, name := pick("Gmail", "GoogleDocs", "Git2", "x_y"), pick("SendEmail", "List", "Get3Things")
	a := &spec.Arcade{
		Edition: ArcadeSpecified, Name: name, FQN: kit + "." + name, Description: pick("Does \"it\".", "More\nlines, and 🦀."),
		Toolkit: spec.ArcadeToolkit{Name: kit, Description: pick("", "A kit."), Version: "1.2.3"}, Parameters: []spec.ArcadeParameter{},
		Modes: [][]string{{"value"}, {"value", "error", "null"}, {"error", "requires_authorization", "artifact"}}[r.IntN(3)], OutputText: pick("", "An answer."),
	}
	for i := range r.IntN(4) {
		a.Parameters = append(a.Parameters, spec.ArcadeParameter{
			Name: fmt.Sprintf("p%d", i), Required: r.IntN(2) == 0, Description: pick("", "One."), Value: value(), Inferrable: r.IntN(3) > 0,
		})
	}
	if r.IntN(3) > 0 {
		v := value()
		a.OutputValue = &v
	}
	for i := range r.IntN(3) {
		a.Secrets = append(a.Secrets, fmt.Sprintf("KEY_%d", i))
	}
	switch r.IntN(4) {
	case 0:
		a.Auth = &spec.ArcadeAuth{ProviderID: "arcade-x", ProviderType: "oauth2", OAuth2: true, Scopes: []string{"a", "https://x.example/b"}}
	case 1:
		a.Auth = &spec.ArcadeAuth{ProviderType: "oauth2", ID: "own", OAuth2: true}
	case 2:
		a.Auth = &spec.ArcadeAuth{Word: "token"}
	}
	return a
}

// inEdition writes a definition as another edition does.
func inEdition(t *testing.T, a *spec.Arcade, edition string) []byte {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(PrintArcade(a), &doc); err != nil {
		t.Fatal(err)
	}
	rename := func() {
		requirements, _ := doc["requirements"].(map[string]any)
		list, _ := requirements["secrets"].([]any)
		for _, s := range list {
			m := s.(map[string]any)
			m["key"] = m["key_id"]
			delete(m, "key_id")
		}
	}
	nulls := func(m map[string]any, names ...string) {
		for _, name := range names {
			if _, ok := m[name]; !ok {
				m[name] = nil
			}
		}
	}
	values := func(f func(map[string]any)) {
		for _, p := range doc["input"].(map[string]any)["parameters"].([]any) {
			f(p.(map[string]any)["value_schema"].(map[string]any))
		}
		if v, ok := doc["output"].(map[string]any)["value_schema"].(map[string]any); ok {
			f(v)
		}
	}
	requirements := func() map[string]any {
		if doc["requirements"] == nil {
			doc["requirements"] = map[string]any{}
		}
		m := doc["requirements"].(map[string]any)
		nulls(m, "secrets", "authorization", "metadata")
		return m
	}
	switch edition {
	case ArcadePreview:
		rename()
		requirements()
	case ArcadeSDK:
		rename()
		requirements()
		nulls(doc, "deprecation_message", "metadata", "description")
		nulls(doc["toolkit"].(map[string]any), "description")
		nulls(doc["output"].(map[string]any), "description", "value_schema")
		values(func(v map[string]any) {
			nulls(v, "inner_val_type", "enum", "properties", "inner_properties", "description", "required_keys", "inner_required_keys")
		})
		if auth, ok := doc["requirements"].(map[string]any)["authorization"].(map[string]any); ok {
			nulls(auth, "provider_id", "id", "oauth2")
		}
	case ArcadeEngine:
		rename()
		m := requirements()
		delete(m, "metadata")
		m["met"] = false
		if auth, ok := m["authorization"].(map[string]any); ok {
			auth["status"] = "inactive"
			m["authorization"] = []any{auth}
		}
		doc["fully_qualified_name"] = a.FQN + "@" + a.Toolkit.Version
		doc["qualified_name"] = a.FQN
		values(func(v map[string]any) {
			if v["val_type"] == "json" {
				v["val_type"] = "object"
			}
		})
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestArcadeRound: what an edition says comes back from the specified one that is
// written of it, whether it came alone, in an array or as JSON Lines.
func TestArcadeRound(t *testing.T) {
	for _, edition := range []string{ArcadeSpecified, ArcadePreview, ArcadeSDK, ArcadeEngine} {
		r := rand.New(rand.NewPCG(1, uint64(len(edition))))
		var want []*spec.Arcade
		var texts []string
		for range 60 {
			a := someArcade(r)
			a.FQN, a.Name = a.FQN+fmt.Sprint(len(want)), a.Name+fmt.Sprint(len(want))
			want = append(want, a)
			texts = append(texts, string(inEdition(t, a, edition)))
		}
		for form, file := range map[string]string{
			"lines": strings.Join(texts, "\n") + "\n", "array": "[" + strings.Join(texts, ",\n") + "]", "items": `{"items": [` + strings.Join(texts, ",") + `], "total_count": 60}`,
		} {
			all, err := ReadArcade("x.json", []byte(file))
			if err != nil || len(all) != len(want) {
				t.Fatalf("%s, %s: %d definitions, %v", edition, form, len(all), err)
			}
			for i := range all {
				d := &all[i]
				if spec.Blocking(d.Findings) || d.Arcade == nil {
					t.Fatalf("%s, %s: %v\n%s", edition, form, d.Findings, texts[i])
				}
				for _, l := range d.Losses {
					t.Errorf("%s, %s: nothing is lost, and %v\n%s", edition, form, l, texts[i])
				}
				data, findings := d.Publishable()
				if spec.Blocking(findings) {
					t.Fatalf("%s, %s: %v\n%s", edition, form, findings, texts[i])
				}
				back, findings := Read("arcade.json", data, Strict)
				if back == nil || spec.Blocking(findings) {
					t.Fatalf("%s, %s: written strictly, and %v\n%s", edition, form, findings, data)
				}
				got := *back.Tool.Arcade
				if !strings.HasPrefix(got.FQN, want[i].FQN) {
					t.Errorf("%s: %s is not %s", edition, got.FQN, want[i].FQN)
				}
				got.FQN = want[i].FQN
				if !reflect.DeepEqual(&got, want[i]) {
					t.Errorf("%s, %s:\n%+v\n%+v\n%s", edition, form, got, want[i], texts[i])
				}
			}
		}
	}
}
