package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// scaffoldPython is the Python that a file is written for whose manifest named none.
const scaffoldPython = "3.12"

// patch writes a Patch file: the manifest, and a main() that is to be written.
// None of the other formats holds code that takes arguments as a Patch tool does.
func (c *conversion) patch() error {
	offers, err := c.offers()
	if err != nil {
		return err
	}
	if len(offers) != 1 {
		return impossible("%s has %d actions, and a Patch tool does one thing", c.tool.Name, len(offers))
	}
	o := &offers[0]
	t := spec.Tool{
		Format: spec.FormatPatch, Name: c.tool.Name, Version: c.tool.Version,
		Output:       spec.Output{Type: spec.TypeObject},
		Capabilities: spec.Capabilities{Network: o.network, Filesystem: spec.FilesystemNone, HumanConfirm: o.effects == spec.EffectsDestructive},
		Runtime:      spec.Runtime{Language: "python", PythonVersion: scaffoldPython, Packages: []string{}},
		Tags:         c.tool.Tags, License: c.tool.License,
	}
	if t.Version.IsPrerelease() {
		return impossible("%s is a pre-release, and a Patch tool has none", c.tool.Version)
	}
	var short bool
	if t.Description, short = cut(oneLine(o.description), limits.Description); short {
		c.approximated("/description", "cut after "+strconv.Itoa(limits.Description)+" characters")
	}
	if t.Inputs, err = c.patchInputs(o); err != nil {
		return err
	}
	if o.output != nil {
		c.patchOutput(&t, o)
	}
	c.synthesised("/runtime", "Python "+scaffoldPython+", no packages")
	c.synthesised("/body", "main() raises NotImplementedError: the document has no code for it")
	switch c.tool.Format {
	case spec.FormatInstall:
		c.leftOfInstall()
	case spec.FormatSkill:
		c.leftOfSkill()
	case spec.FormatArcade:
		c.leftOfArcade()
	}
	var b bytes.Buffer
	b.Write(manifest.Print(&t))
	b.WriteString("\nimport json\nimport sys\n\n\ndef main(" + parameters(t.Inputs) + "):\n    raise NotImplementedError(\"" + string(t.Name) + " is to be written\")\n\n\n")
	b.WriteString("if __name__ == \"__main__\":\n    print(json.dumps(main(**json.load(sys.stdin))))\n")
	if err := accepted(spec.FormatPatch, b.Bytes()); err != nil {
		return err
	}
	c.add(spec.FormatPatch.MainFile(), b.Bytes())
	return nil
}

var pythonName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// patchInputs are the properties of a schema as inputs.
func (c *conversion) patchInputs(o *offer) ([]spec.Input, error) {
	v, _ := o.input.get("properties")
	props, _ := v.(*object)
	if props == nil {
		return []spec.Input{}, nil
	}
	must := map[string]bool{}
	if v, ok := o.input.get("required"); ok {
		list, _ := v.([]any)
		for _, n := range list {
			must[fmt.Sprint(n)] = true
		}
	}
	inputs := []spec.Input{}
	for _, m := range props.members {
		at := func(rest string) string { return c.argumentPath(o, m.name, rest) }
		schema, ok := m.value.(*object)
		if !ok || !pythonName().MatchString(m.name) {
			return nil, impossible("the argument %s cannot be one of main()", spec.Quote(m.name))
		}
		in := spec.Input{Name: m.name, Required: must[m.name]}
		for _, k := range schema.members {
			switch k.name {
			case "type":
				in.Type = c.patchType(k.value, at("/type"))
			case "description":
				text, _ := k.value.(string)
				var short bool
				if in.Description, short = cut(oneLine(text), limits.Description); short {
					c.approximated(at("/description"), "cut")
				}
			case "default":
				raw, err := encode(k.value)
				if err != nil {
					return nil, err
				}
				if in.Required {
					c.dropped(at("/default"), "a required input has none")
				} else {
					in.Default = raw
				}
			case "items":
				raw, err := encode(k.value)
				if err != nil {
					return nil, err
				}
				in.Items = raw
			case "x-tainted-ok":
				in.TaintedOK, _ = k.value.(bool)
			default:
				c.dropped(at("/"+pointerPart(k.name)), "an input has no such constraint")
			}
		}
		if in.Type == "" {
			in.Type = spec.TypeObject
			c.approximated(at(""), "an input has one type; any value became an object")
		}
		if in.Type != spec.TypeArray {
			in.Items = nil
		}
		inputs = append(inputs, in)
	}
	for _, k := range o.input.members {
		switch k.name {
		case "type", "properties", "required", "$schema":
		case "additionalProperties":
			if !closed(o) {
				c.dropped(c.inputPath(o, "/additionalProperties"), "a tool takes no arguments but those that it names")
			}
		default:
			c.dropped(c.inputPath(o, "/"+pointerPart(k.name)), "inputs are checked each by itself")
		}
	}
	return inputs, nil
}

// patchType is the type of an input; of several the first that is not null.
func (c *conversion) patchType(v any, at string) spec.Type {
	list, ok := v.([]any)
	if !ok {
		s, _ := v.(string)
		return spec.Type(s)
	}
	for _, t := range list {
		if s, ok := t.(string); ok && s != "null" {
			if len(list) > 1 {
				c.approximated(at, "an input has one type")
			}
			return spec.Type(s)
		}
	}
	return ""
}

func (c *conversion) patchOutput(t *spec.Tool, o *offer) {
	v, _ := o.output.get("type")
	if s, ok := v.(string); ok {
		t.Output.Type = spec.Type(s)
	} else {
		c.approximated(c.resultPath(o, ""), "an output has one type; any value became an object")
	}
	for _, k := range o.output.members {
		switch k.name {
		case "type", "$schema":
		case "description":
			text, _ := k.value.(string)
			t.Output.Description, _ = cut(oneLine(text), limits.Description)
		case "items":
			if raw, err := encode(k.value); err == nil && t.Output.Type == spec.TypeArray {
				t.Output.Items = json.RawMessage(raw)
			}
		default:
			c.dropped(c.resultPath(o, "/"+pointerPart(k.name)), "an output has no such constraint")
		}
	}
}

// parameters are those of main(), the required ones first as Python asks.
func parameters(inputs []spec.Input) string {
	var list []string
	for _, in := range inputs {
		if in.Required {
			list = append(list, in.Name)
		}
	}
	for _, in := range inputs {
		if !in.Required {
			list = append(list, in.Name+"="+pythonDefault(in.Default))
		}
	}
	return strings.Join(list, ", ")
}

// pythonDefault spells a default; what changes with every call is no default of a
// function, so that lists and objects are None there and filled in by who calls.
func pythonDefault(raw json.RawMessage) string {
	switch s := string(raw); {
	case s == "true":
		return "True"
	case s == "false":
		return "False"
	case s == "", s == "null", s[0] == '[', s[0] == '{':
		return "None"
	default:
		return s
	}
}

// oneLine is text with its white space collapsed.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
