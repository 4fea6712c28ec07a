package convert

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// server is a server.json of the MCP registry, in the members that all of its
// editions have; the older ones spell them with underscores.
type server struct {
	Name        string                   `json:"name"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Version     string                   `json:"version"`
	Detail      struct{ Version string } `json:"version_detail"`
	Website     string                   `json:"websiteUrl"`
	Website2    string                   `json:"website_url"`
	Repository  struct {
		URL       string `json:"url"`
		Subfolder string `json:"subfolder"`
	} `json:"repository"`
	Packages []serverPackage   `json:"packages"`
	Remotes  []json.RawMessage `json:"remotes"`
	Icons    []json.RawMessage `json:"icons"`
	Meta     json.RawMessage   `json:"_meta"`
	Wrapped  json.RawMessage   `json:"server"`
}

type serverPackage struct {
	Type        string           `json:"registryType"`
	Type2       string           `json:"registry_type"`
	Type1       string           `json:"registry_name"`
	Identifier  string           `json:"identifier"`
	Identifier1 string           `json:"name"`
	Version     string           `json:"version"`
	SHA256      string           `json:"fileSha256"`
	SHA2562     string           `json:"file_sha256"`
	Hint        string           `json:"runtimeHint"`
	Hint2       string           `json:"runtime_hint"`
	Transport   serverTransport  `json:"transport"`
	Index       string           `json:"registryBaseUrl"`
	Index2      string           `json:"registry_base_url"`
	Runtime     []serverArgument `json:"runtimeArguments"`
	Runtime2    []serverArgument `json:"runtime_arguments"`
	Arguments   []serverArgument `json:"packageArguments"`
	Arguments2  []serverArgument `json:"package_arguments"`
	Env         []serverInput    `json:"environmentVariables"`
	Env2        []serverInput    `json:"environment_variables"`
}

type serverTransport struct {
	Type      string                 `json:"type"`
	URL       string                 `json:"url"`
	Headers   []serverInput          `json:"headers"`
	Variables map[string]serverInput `json:"variables"`
}

// serverInput is a value that a person may have to give.
type serverInput struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Required    bool     `json:"isRequired"`
	Required2   bool     `json:"is_required"`
	Secret      *bool    `json:"isSecret"`
	Secret2     *bool    `json:"is_secret"`
	Default     *string  `json:"default"`
	Value       string   `json:"value"`
	Choices     []string `json:"choices"`
	Format      string   `json:"format"`
	Placeholder string   `json:"placeholder"`

	at string // where it stands, if not at its place in the list
}

type serverArgument struct {
	serverInput
	Type     string `json:"type"` // positional or named
	Hint     string `json:"valueHint"`
	Repeated bool   `json:"isRepeated"`

	Variables map[string]serverInput `json:"variables"`
}

// newer makes one spelling of the two.
func (s *server) newer() {
	s.Website = first(s.Website, s.Website2)
	s.Version = first(s.Version, s.Detail.Version)
	for i := range s.Packages {
		p := &s.Packages[i]
		p.Type, p.Identifier = first(p.Type, p.Type2, p.Type1), first(p.Identifier, p.Identifier1)
		if p.Type == "docker" {
			p.Type = "oci"
		}
		p.SHA256, p.Hint, p.Index = first(p.SHA256, p.SHA2562), first(p.Hint, p.Hint2), first(p.Index, p.Index2)
		p.Runtime, p.Arguments = append(p.Runtime, p.Runtime2...), append(p.Arguments, p.Arguments2...)
		p.Env = append(p.Env, p.Env2...)
		for j := range p.Env {
			p.Env[j].newer()
		}
		for _, list := range [][]serverArgument{p.Runtime, p.Arguments} {
			for j := range list {
				list[j].newer()
			}
		}
	}
}

func (in *serverInput) newer() {
	in.Required = in.Required || in.Required2
	if in.Secret == nil {
		in.Secret = in.Secret2
	}
}

func first(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// maxServer is what a server.json may have; those of the registry have a few KiB.
const maxServer = limits.ToolFile

// serverMembers are those of a server.json that are looked at, or told by themselves.
var serverMembers = map[string]bool{
	"$schema": true, "name": true, "title": true, "description": true, "version": true, "version_detail": true, "websiteUrl": true, "website_url": true,
	"repository": true, "packages": true, "remotes": true, "icons": true, "_meta": true, "server": true,
}

// FromServer makes an install manifest of a server.json of the MCP registry. What
// version 0.2 cannot say is refused with the reason: servers that are only reached
// have no method of installation [C-23].
func FromServer(data []byte, o Options) (*Result, error) {
	members, err := manifest.Object(data, maxServer)
	if err != nil {
		return nil, fault.New(fault.Findings, "server", "the server.json cannot be read: %w", err)
	}
	var s server
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fault.New(fault.Findings, "server", "the server.json is none: %w", err)
	}
	if s.Name == "" && len(s.Wrapped) > 0 { // as the registry's API answers
		s = server{}
		var whole struct{ Server *server }
		whole.Server = &s
		if err := json.Unmarshal(data, &whole); err != nil {
			return nil, fault.New(fault.Findings, "server", "the server.json is none: %w", err)
		}
	}
	s.newer()
	c := &conversion{to: Install, o: o}
	if err := c.server(&s); err != nil {
		return nil, err
	}
	for _, m := range members {
		if !serverMembers[m.Name] {
			c.dropped("/"+pointerPart(m.Name), "the target has no place for it")
		}
	}
	slices.SortStableFunc(c.losses, func(a, b manifest.Loss) int { return strings.Compare(a.Path, b.Path) })
	return &Result{Files: c.out, Losses: c.losses}, manifest.Refused(c.losses, o.AllowLoss)
}

// server converts the first package that can be.
func (c *conversion) server(s *server) error {
	if s.Name == "" {
		return impossible("the server.json has no name")
	}
	if len(s.Packages) == 0 {
		if len(s.Remotes) > 0 {
			return impossible("%s is only reached over the network; version 0.2 of install manifests has no method for that [C-23]", spec.Quote(s.Name))
		}
		return impossible("%s has neither packages nor remotes", spec.Quote(s.Name))
	}
	doc, err := c.serverHead(s)
	if err != nil {
		return err
	}
	var why error
	for i := range s.Packages {
		losses := len(c.losses)
		at := "/packages/" + strconv.Itoa(i)
		members, err := c.serverPackage(s, &s.Packages[i], at)
		if err == nil {
			for _, m := range members {
				doc.set(m.name, m.value)
			}
			for j := range s.Packages {
				if j != i {
					c.dropped("/packages/"+strconv.Itoa(j), "a manifest installs one package")
				}
			}
			return c.serverTail(s, doc)
		}
		c.losses = c.losses[:losses]
		if why == nil {
			why = err
		}
	}
	return why
}

// serverHead is manifest_version and tool.
func (c *conversion) serverHead(s *server) (*object, error) {
	namespace, last, ok := strings.Cut(s.Name, "/")
	if !ok {
		last = s.Name
	}
	id := strings.Trim(squeeze(last), "-")
	if len(id) < 3 && ok { // with the last word of its namespace
		id = strings.Trim(squeeze(namespace[strings.LastIndexByte(namespace, '.')+1:]+"-"+last), "-")
	}
	id = strings.Trim(id[:min(len(id), 48)], "-")
	if len(id) < 3 {
		return nil, impossible("the name %s makes no id of 3 characters", spec.Quote(s.Name))
	}
	if ok {
		c.dropped("/name", "an id has no namespace: "+spec.Quote(namespace)+" is gone, and servers of other publishers may have the id "+id)
	}
	version := c.serverVersion(s)
	summary, short := cut(oneLine(s.Description), maxSummary)
	if short {
		c.approximated("/description", "cut after 280 characters")
	}
	if summary == "" {
		summary = "The MCP server " + titleOf(id) + "."
		c.synthesised("/tool/summary", "the server.json has no description")
	}
	title, short := cut(oneLine(s.Title), 80)
	if short {
		c.approximated("/title", "cut after 80 characters")
	}
	if title == "" {
		title = titleOf(id)
		c.synthesised("/tool/name", "made of the name")
	}
	home := first(s.Website, s.Repository.URL)
	if home == "" {
		if home = homeOf(namespace); home == "" {
			return nil, impossible("%s names no website, which a manifest needs", spec.Quote(s.Name))
		}
		c.synthesised("/tool/homepage", "the place that the namespace stands for")
	}
	about := (&object{}).set("id", id).set("version", version).set("name", title).set("summary", summary).set("homepage", home)
	return (&object{}).set("manifest_version", "0.2").set("tool", about), nil
}

// squeeze turns a name into words of lower-case letters and digits with hyphens
// between.
func squeeze(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return b.String()
}

// homeOf is the place that a reverse domain name stands for.
func homeOf(namespace string) string {
	parts := strings.Split(namespace, ".")
	if len(parts) == 3 && parts[0] == "io" && parts[1] == "github" {
		return "https://github.com/" + parts[2]
	}
	if len(parts) < 2 {
		return ""
	}
	slices.Reverse(parts)
	return "https://" + strings.Join(parts, ".")
}

// serverVersion makes SemVer of a version, which a server.json may write freely: more
// than three numbers go on behind a hyphen, and what has none stands behind 0.0.0.
func (c *conversion) serverVersion(s *server) string {
	v := s.Version
	if v == "" {
		for _, p := range s.Packages {
			v = first(v, p.Version)
		}
		c.synthesised("/tool/version", "that of the package: the server has none")
	}
	core, _, _ := strings.Cut(strings.TrimPrefix(v, "v"), "+")
	core, pre, _ := strings.Cut(core, "-")
	parts := strings.Split(core, ".")
	var numbers []string
	for len(parts) > 0 && len(numbers) < 3 {
		n, err := strconv.ParseUint(parts[0], 10, 63)
		if err != nil {
			break
		}
		numbers, parts = append(numbers, strconv.FormatUint(n, 10)), parts[1:]
	}
	rest := parts
	if pre != "" {
		rest = append(rest, strings.Split(pre, ".")...)
	}
	for len(numbers) < 3 {
		numbers = append(numbers, "0")
	}
	out := strings.Join(numbers, ".")
	for i, part := range rest {
		if rest[i] = strings.Trim(squeeze(part), "-"); strings.Trim(rest[i], "0123456789") == "" {
			rest[i] = strings.TrimLeft(rest[i], "0") // SemVer has none in front of a number
			if rest[i] == "" {
				rest[i] = "0"
			}
		}
	}
	if len(rest) > 0 {
		out += "-" + strings.Join(rest, ".")
	}
	if _, err := spec.ParseVersion(out); err != nil {
		out = "0.0.0"
	}
	if out != s.Version && s.Version != "" {
		c.approximated("/version", "SemVer asks for "+out)
	}
	return out
}

// serverTail is what no server.json says, and what a manifest has no place for.
func (c *conversion) serverTail(s *server, doc *object) error {
	if _, ok := doc.get("scopes"); !ok {
		doc.set("scopes", []any{(&object{}).set("resource", "net.outbound").set("actions", []string{"read", "send"}).
			set("rationale", "The server's own description declares no permissions; it is taken to reach the internet.")})
		c.synthesised("/scopes", "a server.json declares no permissions; the internet is what most servers need")
	}
	for i := range s.Remotes {
		c.dropped("/remotes/"+strconv.Itoa(i), "a manifest is installed or reached, not both")
	}
	if len(s.Icons) > 0 {
		c.dropped("/icons", "the target has no place for it")
	}
	if len(s.Meta) > 0 && string(s.Meta) != "null" {
		c.dropped("/_meta", "the target has no place for it")
	}
	if s.Website != "" && s.Repository.URL != "" {
		doc.set("support", (&object{}).set("docs_url", s.Repository.URL))
		c.approximated("/repository/url", "the place of the documentation")
	}
	if s.Repository.Subfolder != "" {
		c.dropped("/repository/subfolder", "the target has no place for it")
	}
	return c.write(doc)
}
