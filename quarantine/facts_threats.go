package quarantine

import "github.com/patch-cat/patch-git/spec"

// Literal is a text of the code, as far as it is constant, that looks like
// something outside of the file.
type Literal struct {
	Kind  string `json:"kind"` // url, host, address, path, variable
	Value string `json:"value"`
	Place
}

// Threat is a shape of the syntax tree that a rule names.
type Threat struct {
	Shape  string `json:"shape"`  // one of the words of shapes
	Detail string `json:"detail"` // what stands there; foreign text
	Place
}

func (c *factCheck) literals(all []Literal) {
	c.count(len(all))
	for _, l := range all {
		c.place(l.Place)
		c.text(l.Value)
		c.word(l.Kind, "url", "host", "address", "path", "variable")
	}
}

func (c *factCheck) threats(all []Threat) {
	c.count(len(all))
	for _, t := range all {
		c.place(t.Place)
		c.text(t.Detail)
		if shapeOf()[t.Shape] == nil {
			c.fail("unknown shape %s", spec.Quote(t.Shape))
		}
	}
}
