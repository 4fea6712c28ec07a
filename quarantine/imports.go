package quarantine

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// checkImports compares the imports with the packages that the tool declares
// [PM-41]. Nothing else is installed; the warnings say it before a user meets
// the failure.
func checkImports(c *collector) {
	provided := providedModules(c.tool.Runtime.Packages)
	lacking := map[string]bool{}
	for _, i := range c.Facts.Imports {
		if i.Typing {
			continue
		}
		where := c.inMain(i.Place)
		top, _, _ := strings.Cut(i.Module, ".")
		if i.Level > 0 {
			c.add(besideFile, where, "the import of %s is relative", spec.Quote(strings.Repeat(".", i.Level)+i.Module))
			continue
		}
		if !i.Stdlib && !i.Optional && !lacking[top] && !provided.has(i.Module) {
			lacking[top] = true
			c.add(notProvided, where, "the module %s is neither in Python %s nor known to come with a package of runtime.packages", spec.Quote(top), c.Facts.Python)
		}
	}
}

// modules is what the declared packages provide.
type modules struct {
	exact    []string // modules of packages that the catalogue has
	packages []string // normal names of the others, of whose modules only the name tells
}

func providedModules(packages []string) (m modules) {
	for _, p := range packages {
		name, _, _ := strings.Cut(p, "==")
		name = normalName(name)
		if of, ok := known().packages[name]; ok {
			m.exact = append(m.exact, strings.Split(of, ",")...)
		} else {
			m.packages = append(m.packages, name)
		}
	}
	return m
}

// has tells whether a package provides the module, one around it or one below it,
// or is called like it or like a parent of it (acme-cloud-storage provides
// acme.cloud.storage).
func (m modules) has(module string) bool {
	if slices.ContainsFunc(m.exact, func(e string) bool {
		return e == module || strings.HasPrefix(module, e+".") || strings.HasPrefix(e, module+".")
	}) {
		return true
	}
	top, _, _ := strings.Cut(module, ".")
	name, dashed := normalName(top), normalName(module)
	return slices.ContainsFunc(m.packages, func(p string) bool {
		return p == name || strings.HasPrefix(p, name+"-") && (p == dashed || strings.HasPrefix(dashed, p+"-") || strings.HasPrefix(p, dashed+"-"))
	})
}
