package changes

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

// filled puts something into every field of the model, so that nothing is forgotten
// when it grows.
func filled(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n)
	case reflect.Struct:
		for _, field := range v.Fields() {
			filled(field, n)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"const":"a"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0), n)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		filled(value, n)
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("1")
		if v.Type() != reflect.TypeFor[json.Number]() {
			v.SetString(fmt.Sprintf("v%d", *n))
		}
	case reflect.Int, reflect.Float64:
		v.Set(reflect.ValueOf(7).Convert(v.Type()))
	}
}

// places calls f with each field that can be changed, and its path.
func places(v reflect.Value, at string, f func(at string, change func())) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			places(v.Elem(), at, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				places(v.Field(i), at+"."+v.Type().Field(i).Name, f)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			f(at, func() { v.SetBytes([]byte(`{"const":"b"}`)) })
			return
		}
		if v.Len() > 0 {
			f(at+" gone", func() { v.SetZero() })
		}
		if v.Len() > 0 {
			places(v.Index(0), at+"[]", f)
		}
	case reflect.Map:
		f(at+" gone", func() { v.SetZero() })
	case reflect.Bool:
		f(at, func() { v.SetBool(!v.Bool()) })
	case reflect.String:
		f(at, func() { v.SetString("9") })
	case reflect.Int, reflect.Float64:
		f(at, func() { v.Set(reflect.ValueOf(8).Convert(v.Type())) })
	}
}

// silent are the fields that say nothing of their own.
var silent = map[spec.Format][]string{
	"": {".Name", ".Version"}, // which every version has another, or the same
	// What is called is compared as it is given: schemas and definitions.
	spec.FormatInstall: {
		".Inputs gone", ".Inputs[].Name", ".Inputs[].Type", ".Inputs[].Description", ".Inputs[].Required", ".Inputs[].Default", ".Inputs[].Items",
		".Inputs[].TaintedOK", ".Output.Type", ".Output.Description", ".Output.Items", ".Runtime.Language", ".Deployment.ID",
	},
	spec.FormatPatch: {".Runtime.Language"},
	spec.FormatSkill: {".Runtime.Language", ".Skill.Execution.Network"}, // which is a capability
	spec.FormatArcade: {
		".Runtime.Language", ".Arcade.Edition", ".Arcade.Name", ".Arcade.Description", ".Arcade.Toolkit.Name", ".Arcade.Toolkit.Version",
		".Arcade.Parameters gone", ".Arcade.Parameters[].Name", ".Arcade.Parameters[].Required", ".Arcade.Parameters[].Description",
		".Arcade.OutputValue.Type", ".Arcade.OutputValue.Inner", ".Arcade.OutputValue.Enum gone", ".Arcade.OutputValue.Enum[]",
	},
}

// TestNothingSilent changes each field of the model: every difference of two
// manifests is told.
func TestNothingSilent(t *testing.T) {
	for _, format := range []spec.Format{spec.FormatPatch, spec.FormatInstall, spec.FormatSkill, spec.FormatArcade} {
		whole := func() *spec.Tool {
			tool, n := &spec.Tool{}, 0
			filled(reflect.ValueOf(tool).Elem(), &n)
			tool.Format, tool.Capabilities.Filesystem = format, spec.FilesystemReadOnly
			tool.Operations[0].Effects = spec.EffectsRead
			if format != spec.FormatInstall {
				tool.Deployment = nil
			}
			if format != spec.FormatSkill {
				tool.Skill = nil
			}
			if format != spec.FormatArcade {
				tool.Arcade = nil
			}
			if format == spec.FormatPatch || format == spec.FormatSkill {
				tool.Operations = nil
			}
			if format != spec.FormatPatch {
				tool.Inputs, tool.Output = nil, spec.Output{}
				if format == spec.FormatInstall {
					tool.Inputs = []spec.Input{{Name: "a"}}
				}
			} else {
				tool.Inputs[0].Type, tool.Inputs[0].Required = spec.TypeArray, false
				tool.Output.Type = spec.TypeArray
			}
			return tool
		}
		var all []string
		places(reflect.ValueOf(whole()), "", func(at string, _ func()) { all = append(all, at) })
		for i, at := range all {
			b, k := whole(), 0
			places(reflect.ValueOf(b), "", func(_ string, change func()) {
				if k++; k == i+1 {
					change()
				}
			})
			if slices.Contains(silent[""], at) || slices.Contains(silent[format], at) {
				continue
			}
			if format != spec.FormatPatch && (at == ".Output.Type" || at == ".Output.Description" || at == ".Output.Items") {
				continue
			}
			if got := Between(whole(), b); len(got) == 0 {
				t.Errorf("%s: nothing is told of %s", format, at)
			}
		}
		if len(all) < 20 {
			t.Errorf("%s: %d places", format, len(all))
		}
	}
}
