package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/internal/taint"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// skill is what hosts are told of a skill: it is read and never called.
type skill struct {
	name  string // with the hyphens of its author
	words string // what it is for
	files []ledger.ReleaseFile
}

// skillOf is that of a verified release; nil where it is no skill.
func skillOf(card *consume.Card) *skill {
	if card.Tool.Skill == nil {
		return nil
	}
	words, _ := sanitize.Clean(card.Tool.Description)
	return &skill{name: skillName(card.Ref.Name), words: shorten(words, limits.Description), files: slices.Clone(card.Files)}
}

// resource is one file of a skill in the list of all.
type resource struct {
	uri  string
	of   *entry
	file ledger.ReleaseFile
}

// resources are the files of an entry; none where it is no skill.
func (e *entry) resources() []resource {
	if e.skill == nil {
		return nil
	}
	var out []resource
	for _, f := range e.skill.files {
		out = append(out, resource{fileURI(e.skill.name, f.Path), e, f})
	}
	return out
}

// same tells whether hosts would be told the same.
func (r resource) same(o resource) bool {
	return r.uri == o.uri && r.file == o.file && r.of.skill.words == o.of.skill.words && r.of.ref == o.of.ref && r.of.registry == o.of.registry
}

// told is a file as resources/list has it. What it is for is the word of its author, and
// stands at the file that a host begins with.
func (r resource) told() *mcp.Resource {
	out := &mcp.Resource{
		URI: r.uri, Name: r.of.skill.name + "/" + r.file.Path, MIMEType: mimeOf(r.file.Path), Size: r.file.Size,
		Meta: fileMeta(r.of.registry, r.of.ref, r.file),
	}
	if r.file.Path == spec.FormatSkill.MainFile() {
		out.Title, out.Description = r.of.skill.name, r.of.skill.words
	}
	return out
}

func fileMeta(registry spec.RegistryName, ref spec.Ref, f ledger.ReleaseFile) mcp.Meta {
	return mcp.Meta{metaRelease: string(registry) + "/" + ref.At(), metaVersion: string(ref.Version), metaDigest: f.SHA256.String()}
}

// resources answers one page. Like that of list, the cursor is what came last.
func (t *toolset) resources(ctx context.Context, cursor string) (*mcp.ListResourcesResult, error) {
	now := t.now(ctx)
	rest := now.files
	if cursor != "" {
		after, ok := strings.CutPrefix(cursor, cursorMark)
		if _, _, err := parseFileURI(after); !ok || err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none of this server"}
		}
		from, found := slices.BinarySearchFunc(rest, after, func(r resource, uri string) int { return strings.Compare(r.uri, uri) })
		if found {
			from++
		}
		rest = rest[from:]
	}
	res := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: "private"}}
	if len(rest) > limits.MCPPage {
		rest = rest[:limits.MCPPage]
		res.NextCursor = cursorMark + rest[len(rest)-1].uri
	}
	for _, r := range rest {
		res.Resources = append(res.Resources, r.told())
	}
	return res, nil
}

// templates are the forms of the addresses.
func templates() *mcp.ListResourceTemplatesResult {
	return &mcp.ListResourceTemplatesResult{
		Cacheable: mcp.Cacheable{CacheScope: "private"},
		ResourceTemplates: []*mcp.ResourceTemplate{
			{URITemplate: skillScheme + "{name}/" + spec.FormatSkill.MainFile(), Name: "skill", Description: "The instructions of an installed skill.", MIMEType: mimeOf(spec.FormatSkill.MainFile())},
			{URITemplate: skillScheme + "{name}/{+path}", Name: "skill_file", Description: "Another file of an installed skill, by its path in there."},
		},
	}
}

// read answers resources/read: the bytes of a file, verified now, whatever the list says.
// The text of a skill is a stranger's word: what comes of it into a call is held like any
// other, unless the user vouches for the skill.
func (t *toolset) read(ctx context.Context, session *consume.Session, uri string) (*mcp.ReadResourceResult, error) {
	name, path, err := parseFileURI(uri)
	if err != nil {
		return nil, refusedFile(err, uri)
	}
	f, err := t.client.SkillFile(ctx, name, path, limits.MCPResource)
	if err != nil {
		if quotes(err) && session != nil && session.Taint != nil {
			session.Taint.UntrustedText(taint.Source{Tool: string(name)}, err.Error())
		}
		return nil, refusedFile(err, uri)
	}
	c := contents(path, f.Data)
	c.URI, c.Meta = uri, fileMeta(f.Registry, f.Ref, f.File)
	c.Meta[metaTrust] = string(f.Trust)
	if foreign(f.Trust) && session != nil && session.Taint != nil {
		session.Taint.UntrustedText(taint.Source{Tool: f.Ref.At()}, string(f.Data))
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}, Cacheable: mcp.Cacheable{CacheScope: "private"}}, nil
}

// refusedFile is why a file was not given: the kind and the reason are those of the
// command line. What could not be told is an error of the server, everything else one of
// what was asked for.
func refusedFile(err error, uri string) *jsonrpc.Error {
	kind := fault.KindOf(err)
	out := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: visible(err.Error())}
	switch kind {
	case fault.Unavailable, fault.Internal, fault.Interrupted:
		out.Code = jsonrpc.CodeInternalError
	}
	data, failed := json.Marshal(struct {
		URI    string   `json:"uri"`
		Kind   string   `json:"kind"`
		Reason string   `json:"reason"`
		Hints  []string `json:"hints,omitempty"`
	}{visible(shorten(uri, limits.MCPURI)), kind.String(), fault.ReasonOf(err), fault.HintsOf(err)})
	if failed == nil {
		out.Data = data
	}
	return out
}
