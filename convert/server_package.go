package convert

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// serverPackage is what a manifest says of a package: runtime, env, smoke, kill_switch.
func (c *conversion) serverPackage(s *server, p *serverPackage, at string) ([]member, error) {
	if p.Identifier == "" {
		return nil, impossible("a package of %s has no identifier", spec.Quote(s.Name))
	}
	c.containerEnv(p, at)
	env, err := c.serverEnv(p.Env, at+"/environmentVariables")
	if err != nil {
		return nil, err
	}
	image, err := p.origin(s)
	if err != nil {
		return nil, err
	}
	var how *object
	var command, proof []string
	switch p.Type {
	case "pypi":
		how = (&object{}).set("method", "pip").set("package", p.Identifier)
		pin(how, p.Version, "==")
		command = []string{p.Identifier}
		proof = []string{"python3", "-c", "import importlib.metadata, sys; importlib.metadata.version(sys.argv[1])", p.Identifier}
		c.synthesised("/runtime/entrypoint", "the script that a package brings is mostly called as it is")
	case "npm":
		how = (&object{}).set("method", "npm").set("package", p.Identifier)
		pin(how, p.Version, "")
		command = []string{p.Identifier[strings.LastIndexByte(p.Identifier, '/')+1:]}
		proof = []string{"npm", "ls", p.Identifier}
		c.synthesised("/runtime/entrypoint", "the program that a package brings is mostly called as it is")
	case "oci":
		if p.Version != "" && !strings.Contains(image[strings.LastIndexByte(image, '/')+1:], ":") && !strings.Contains(image, "@") {
			image += ":" + p.Version
		}
		if !strings.Contains(image, "@sha256:") {
			c.approximated(at+"/identifier", "the image has no digest, without which nothing here installs it")
		}
		how = (&object{}).set("method", "container").set("image", image)
		command = []string{"docker", "run", "-i", "--rm"}
		for _, e := range env {
			name, _ := e.(*object).get("name")
			command = append(command, "-e", name.(string))
		}
		proof = []string{"docker", "image", "inspect", image}
	case "mcpb":
		if p.SHA256 == "" {
			return nil, impossible("the bundle of %s has no digest", spec.Quote(s.Name))
		}
		how = (&object{}).set("method", "url").set("url", p.Identifier).set("sha256", strings.ToLower(p.SHA256))
		command = []string{p.Identifier[strings.LastIndexByte(p.Identifier, '/')+1:]}
		proof = []string{"test", "-f", command[0]}
		c.approximated(at, "a bundle is an archive with its own description of how it starts; a manifest has one executable file")
	default:
		return nil, impossible("%s is a package of the type %s, for which version 0.2 has no method", spec.Quote(s.Name), spec.Quote(p.Type))
	}
	if p.SHA256 != "" && p.Type != "mcpb" {
		c.dropped(at+"/fileSha256", "a manifest has a digest of files behind an address alone")
	}
	if t := p.Transport.Type; t != "" && t != "stdio" {
		out, err := c.serverHTTP(s, p, how, at)
		if err != nil {
			return nil, err
		}
		return c.serverProof(s, out, env, proof), nil
	}
	runtimeArgs := c.arguments(p.Runtime, at+"/runtimeArguments")
	switch {
	case len(runtimeArgs) > 0 && p.Type == "oci":
		command = append(command, runtimeArgs...)
	case len(runtimeArgs) > 0 || p.Hint != "" && p.Type != "oci":
		c.dropped(at+"/runtimeHint", "the package is installed, not started by "+spec.Quote(first(p.Hint, "a runner")))
	}
	if p.Type == "oci" {
		command = append(command, image)
	}
	command = append(command, c.arguments(p.Arguments, at+"/packageArguments")...)
	out := []member{{"runtime", (&object{}).set("kind", "mcp-stdio").set("install", how).set("entrypoint", (&object{}).set("command", command))}}
	return c.serverProof(s, out, env, proof), nil
}

// indexes are where packages of a type come from unless said.
var indexes = map[string][]string{
	"pypi": {"pypi.org", "www.pypi.org"}, "npm": {"registry.npmjs.org"}, "oci": {"docker.io", "index.docker.io", "registry-1.docker.io", "hub.docker.com"},
}

// origin is the identifier, of an image with the place that it comes from. A package
// of another index is refused: whoever installs by the manifest would get the one of
// that name from the usual index, which may be anybody's.
func (p *serverPackage) origin(s *server) (string, error) {
	base := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(p.Index, "https://"), "http://"), "/")
	if base == "" || slices.Contains(indexes[p.Type], base) || p.Type != "oci" && indexes[p.Type] == nil {
		return p.Identifier, nil
	}
	if p.Type == "oci" {
		if strings.HasPrefix(p.Identifier, base+"/") {
			return p.Identifier, nil
		}
		return base + "/" + p.Identifier, nil
	}
	return "", impossible("a package of %s comes from %s, and version 0.2 cannot name an index", spec.Quote(s.Name), spec.Quote(p.Index))
}

// serverProof adds what a server.json does not say and a manifest must.
func (c *conversion) serverProof(s *server, out []member, env []any, proof []string) []member {
	if len(env) > 0 {
		out = append(out, member{"env", env})
	}
	c.synthesised("/smoke", "shows that the package is there, not that it works")
	c.synthesised("/kill_switch", "instructions at the homepage; a server.json has no way to take access back")
	home := first(s.Website, s.Repository.URL, homeOf(strings.SplitN(s.Name, "/", 2)[0]))
	return append(out,
		member{"smoke", (&object{}).set("kind", "shell").set("command", proof).set("success", (&object{}).set("exit_code", 0))},
		member{"kill_switch", (&object{}).set("kind", "manual").set("instructions_url", home)})
}

// pin says which version, where the package says so.
func pin(how *object, version, before string) {
	if version != "" && version != "latest" {
		how.set("version_spec", before+version)
	}
}

// arguments are the fixed ones of a command line. What a person would have to give
// has no place in an argv without templates, and is a loss; of what must be given the
// loss says so.
func (c *conversion) arguments(list []serverArgument, at string) []string {
	var out []string
	for i, a := range list {
		value := a.Value
		if value == "" && a.Default != nil {
			value = *a.Default
		}
		where := first(a.at, at+"/"+strconv.Itoa(i))
		named := a.Type == "named" && a.Name != ""
		flag := named && value == "" && a.Hint == "" && a.Format == "boolean"
		switch {
		case strings.Contains(value, "{"):
			c.dropped(where, "it is made of what a person says, for which a manifest has no place"+needed(a.Required))
		case value == "" && !flag:
			c.dropped(where, "a person gives it, for which a manifest has no place"+needed(a.Required))
		case named && value != "":
			out = append(out, a.Name, value)
		case named:
			out = append(out, a.Name)
		default:
			out = append(out, value)
		}
	}
	return out
}

func needed(required bool) string {
	if required {
		return "; the server needs it, and has to be given it by hand"
	}
	return ""
}

var (
	envName    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`) })
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(key|token|secret|passw|credential|auth|private)`)
	})
)

// maxPrompt is what a prompt may have, in characters [TI-48].
const maxPrompt = 800

// maxEnv is how many values a manifest may ask for [TI-45].
const maxEnv = 32

func (c *conversion) serverEnv(list []serverInput, at string) ([]any, error) {
	if len(list) > maxEnv {
		return nil, impossible("there are %d variables, and version 0.2 takes %d", len(list), maxEnv)
	}
	var out []any
	for i, e := range list {
		where := first(e.at, at+"/"+strconv.Itoa(i))
		if !envName().MatchString(e.Name) {
			c.dropped(where, "the name "+spec.Quote(e.Name)+" is not spelled in capitals, as version 0.2 asks"+needed(e.Required))
			continue
		}
		prompt, short := cut(strings.TrimSpace(e.Description), maxPrompt)
		if short {
			c.approximated(where+"/description", "cut after 800 characters")
		}
		if prompt == "" {
			prompt = "The value of " + e.Name + "."
			c.synthesised("/env/"+strconv.Itoa(len(out))+"/prompt", "the variable is not described")
		}
		secret := e.Secret != nil && *e.Secret
		if e.Secret == nil && secretName().MatchString(e.Name) {
			secret = true
			c.approximated(where+"/isSecret", "unsaid, and its name reads like that of a secret")
		}
		v := (&object{}).set("name", e.Name).set("prompt", prompt).set("secret", secret).set("required", e.Required)
		fixed := e.Default
		switch {
		case strings.Contains(e.Value, "{"):
			c.approximated(where+"/value", "a manifest fills in nothing: the person is told the form")
			prompt, _ = cut(prompt+" It has the form "+e.Value, maxPrompt)
			v.set("prompt", prompt)
		case e.Value != "":
			fixed = &e.Value
			c.approximated(where+"/value", "a fixed value becomes a default, which a person may change")
		}
		switch {
		case fixed != nil && secret:
			c.dropped(where+"/default", "secrets have no defaults")
		case fixed != nil:
			v.set("default", *fixed)
		}
		if len(e.Choices) > 0 {
			quotedChoices := make([]string, len(e.Choices))
			for j, s := range e.Choices {
				quotedChoices[j] = regexp.QuoteMeta(s)
			}
			v.set("validation_regex", "^(?:"+strings.Join(quotedChoices, "|")+")$")
			c.approximated(where+"/choices", "a regular expression")
		}
		if e.Format != "" && e.Format != "string" {
			c.dropped(where+"/format", "all values are text")
		}
		if e.Placeholder != "" {
			c.dropped(where+"/placeholder", "the target has no place for it")
		}
		out = append(out, v)
	}
	return out, nil
}
