package convert

import (
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// templated is the value of an argument that gives a container one variable, which a
// person says: KEY={key}.
var templated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Z][A-Z0-9_]*)=\{([^{}]{1,100})\}$`) })

// containerEnv takes the arguments of an image's engine that give it a variable, as
// -e KEY={key}, for what they are: variables of the server.
func (c *conversion) containerEnv(p *serverPackage, at string) {
	if p.Type != "oci" {
		return
	}
	var rest []serverArgument
	for i, a := range p.Runtime {
		m := templated().FindStringSubmatch(a.Value)
		if m == nil || a.Type != "named" || a.Name != "-e" && a.Name != "--env" {
			a.at = at + "/runtimeArguments/" + strconv.Itoa(i)
			rest = append(rest, a)
			continue
		}
		where := at + "/runtimeArguments/" + strconv.Itoa(i)
		if slices.ContainsFunc(p.Env, func(e serverInput) bool { return e.Name == m[1] }) {
			c.dropped(where, "the server has a variable "+m[1]+" of its own")
			continue
		}
		v := a.Variables[m[2]]
		v.newer()
		v.Description = first(v.Description, a.Description)
		v.Name, v.Required, v.at = m[1], v.Required || a.Required, where
		c.approximated(where, "a variable of the server, and not an argument of who starts it")
		p.Env = append(p.Env, v)
	}
	p.Runtime = rest
}
