package convert

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/spec"
)

// serverHTTP makes runtime and actions of a package whose server speaks HTTP where it
// is installed. Version 0.2 asks for a list of actions there [C-24], which a
// server.json has only where its publisher says the tools aside. Where they are
// unknown one action carries any message of the protocol, with which its tools can
// be asked for: that is what an HTTP server of MCP takes at its one address. The
// older transport of events has no such address, and is refused then.
func (c *conversion) serverHTTP(s *server, p *serverPackage, how *object, at string) ([]member, error) {
	url := p.Transport.URL
	if len(url) > maxURL {
		return nil, impossible("the address of %s has %d characters", spec.Quote(s.Name), len(url))
	}
	for _, m := range tokenInURL().FindAllStringSubmatch(url, -1) {
		value := "8080"
		if v, ok := p.Transport.Variables[m[1]]; ok && first(v.Value, deref(v.Default)) != "" {
			value = first(v.Value, deref(v.Default))
		}
		url = strings.ReplaceAll(url, m[0], value)
		c.approximated(at+"/transport/url", "whoever starts the server chooses "+spec.Quote(m[1])+"; "+spec.Quote(value)+" stands for it")
	}
	if url == "" {
		url = "http://localhost:8080/mcp"
		c.synthesised("/runtime/endpoint_url", "the server.json doesn't say where the server listens")
	}
	c.approximated(at+"/transport", "the server listens there once somebody started it: version 0.2 has an address or a command, not both")
	names := s.tools()
	var actions []any
	for _, name := range names {
		actions = append(actions, serverAction(strings.ToLower(strings.ReplaceAll(name, "-", "_")), "The tool "+name+" of the server.",
			(&object{}).set("kind", spec.InvokeMCPTool).set("tool_name", name)))
	}
	switch {
	case len(actions) > 0:
		c.synthesised("/actions", "the tools that the publisher lists, with any arguments, taken to be destructive")
	case p.Transport.Type != "streamable-http":
		return nil, impossible("%s speaks %s when it is installed, for which version 0.2 asks for a list of actions [C-24]", spec.Quote(s.Name), spec.Quote(p.Transport.Type))
	default:
		c.synthesised("/actions", "one that carries any message of the protocol: version 0.2 asks for actions, and a server.json lists no tools [C-24]")
		actions = []any{serverAction("send_message", "Send one JSON-RPC message of the Model Context Protocol to the server.",
			(&object{}).set("kind", spec.InvokeHTTP).set("method", "POST").set("path", "").
				set("headers", (&object{}).set("Accept", "application/json, text/event-stream")))}
	}
	for _, m := range []struct {
		path string
		has  bool
	}{{"/runtimeArguments", len(p.Runtime) > 0}, {"/packageArguments", len(p.Arguments) > 0}, {"/runtimeHint", p.Hint != ""}} {
		if m.has {
			c.dropped(at+m.path, "it belongs to the command, which has to be started by hand")
		}
	}
	for i, h := range p.Transport.Headers {
		c.dropped(at+"/transport/headers/"+strconv.Itoa(i), "a manifest has no headers of a server: "+spec.Quote(h.Name))
	}
	runtime := (&object{}).set("kind", "mcp-http").set("install", how).set("endpoint_url", url)
	return []member{{"runtime", runtime}, {"actions", actions}}, nil
}

// serverAction takes any arguments, and may do the worst: nothing says otherwise.
func serverAction(name, summary string, call *object) *object {
	return (&object{}).set("name", name).set("summary", summary).set("invocation", call).
		set("input", (&object{}).set("type", "object").set("additionalProperties", true)).set("side_effects", spec.EffectsDestructive)
}

var (
	tokenInURL   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([A-Za-z0-9_.-]{1,64})\}`) })
	nameOfAction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`) })
)

const maxURL = 2048

// maxActions is what a manifest may list [TI-61].
const maxActions = 64

// tools are those that the publisher lists aside, under whatever key of its own; none
// where a name makes no action or two make the same.
func (s *server) tools() []string {
	var meta map[string]map[string]map[string]struct {
		Tools []string `json:"tools"`
	}
	if json.Unmarshal(s.Meta, &meta) != nil {
		return nil
	}
	var list []string
	for _, by := range meta["io.modelcontextprotocol.registry/publisher-provided"] {
		for _, of := range by {
			list = append(list, of.Tools...)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	seen := map[string]bool{}
	for _, name := range list {
		plain := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
		if !nameOfAction().MatchString(name) || seen[plain] {
			return nil
		}
		seen[plain] = true
	}
	if len(list) > maxActions {
		return nil
	}
	return list
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
