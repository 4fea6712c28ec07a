package convert

import (
	"encoding/json"
	"strconv"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// arcade writes Arcade tool definitions of the specified edition: one file, or one for
// each action in a folder of its name.
func (c *conversion) arcade() error {
	if c.tool.Format == spec.FormatPatch {
		a, losses, err := manifest.ArcadeOf(c.doc)
		if err != nil {
			return err
		}
		c.losses = losses
		c.add(spec.FormatArcade.MainFile(), manifest.PrintArcade(a))
		return nil
	}
	offers, err := c.offers()
	if err != nil {
		return err
	}
	for i := range offers {
		o := &offers[i]
		a, err := c.definition(o)
		if err != nil {
			return err
		}
		data := manifest.PrintArcade(a)
		if err := accepted(spec.FormatArcade, data); err != nil {
			return err
		}
		path := spec.FormatArcade.MainFile()
		if len(offers) > 1 {
			path = a.Name + "/" + path
		}
		c.add(path, data)
	}
	if c.tool.Format == spec.FormatSkill {
		c.leftOfSkill()
	} else {
		c.leftOfArcadeInstall()
		c.leftOfActions()
	}
	return nil
}

// definition is an offer as a tool of the toolkit that the document makes.
func (c *conversion) definition(o *offer) (*spec.Arcade, error) {
	raw, err := encode(o.input)
	if err != nil {
		return nil, err
	}
	parameters, losses, err := manifest.ArcadeParameters(raw)
	if err != nil {
		return nil, impossible("the input of %s is no object: %w", spec.Quote(o.name), err)
	}
	for _, l := range losses {
		l.Path = c.inputPath(o, l.Path)
		c.losses = append(c.losses, l)
	}
	name := o.name
	if i := len(string(c.tool.Name)) + 2; c.tool.Format == spec.FormatInstall && len(c.tool.Operations) > 1 {
		name = name[i:] // without the tool, which is the toolkit
	}
	a := &spec.Arcade{
		Edition: manifest.ArcadeSpecified, Name: name, FQN: string(c.tool.Name) + "." + name, Description: o.description,
		Toolkit:    spec.ArcadeToolkit{Name: string(c.tool.Name), Description: c.tool.Description, Version: string(c.tool.Version)},
		Parameters: parameters, Modes: []string{"value", "error"},
	}
	c.synthesised("/output/available_modes", "a result is a value, and a failure an error")
	if o.output != nil {
		if err := c.definitionOutput(a, o); err != nil {
			return nil, err
		}
	}
	if o.effects == spec.EffectsDestructive {
		c.unprotected(c.confirmPath(o), "the specified edition cannot say that an action is destructive")
	}
	return a, nil
}

func (c *conversion) definitionOutput(a *spec.Arcade, o *offer) error {
	raw, err := encode(o.output)
	if err != nil {
		return err
	}
	v, losses, err := manifest.ArcadeValueOf(json.RawMessage(raw))
	if err != nil {
		return err
	}
	for _, l := range losses {
		l.Path = c.resultPath(o, l.Path)
		c.losses = append(c.losses, l)
	}
	a.OutputValue = &v
	return nil
}

// leftOfArcadeInstall tells what of an install manifest a definition has no place
// for. Secrets it has: their names.
func (c *conversion) leftOfArcadeInstall() {
	d := c.tool.Deployment
	for i, e := range d.Env {
		at := "/env/" + strconv.Itoa(i)
		if e.Secret {
			c.unprotected(at, "a definition names secrets of Arcade's own store, and "+e.Name+" is not among them")
			continue
		}
		c.dropped(at, "the target asks for no settings")
	}
	for i := range d.Scopes {
		c.dropped("/scopes/"+strconv.Itoa(i), "the target has no scopes")
	}
	c.dropped("/runtime", "a definition doesn't say what runs behind it")
	c.dropped("/smoke", "the target has no trial of an installation")
	c.dropped("/kill_switch", "the target has no way to take access back")
	c.leftOfIdentity()
}
