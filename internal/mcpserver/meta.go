package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// meta is a tool of this program's own. Its inputs are described as those of every
// other tool, so that they are checked by the same rules. No name of an installed
// tool begins with "patch_".
type meta struct {
	name    string
	says    func(*shelf) string
	inputs  []spec.Input
	changes bool // it can change something
	run     func(*toolset, context.Context, *call) (*mcp.CallToolResult, error)
}

const metaConfirm = "patch_confirm_action"

func says(text string) func(*shelf) string { return func(*shelf) string { return text } }

// metas are the eight, in the order in which a model needs them.
func metas() []meta {
	return []meta{
		{
			name: "patch_list_tools", says: saysTools, run: (*toolset).listTools, inputs: []spec.Input{
				text("query", "What the tool has to do, in words; filters such as tag:csv or network:no work too. Without it tools are listed by name."),
				words("needs", "Further things that it has to do, each in a few words."),
				withDefault(text("detail", "names, summary, or schema for the input schemas too."), `"summary"`),
				withDefault(number("limit", fmt.Sprintf("How many, at most %d (names: %d).", limits.MCPMostCards, limits.MCPPage)), strconv.Itoa(limits.MCPCards)),
				withDefault(text("where", "installed, or registries for tools that the user could install."), `"installed"`),
			},
		},
		{
			name: "patch_run_tool", run: (*toolset).runTool, changes: true,
			says: says("Runs an installed tool by its name, in the sandbox, exactly as if it were called directly. Use it for tools that are not in your list of tools; patch_list_tools with detail \"schema\" tells what they take."),
			inputs: []spec.Input{
				required(text("name", "The name of the tool.")),
				withDefault(object("arguments", "Its arguments."), "{}"),
			},
		},
		{
			name: metaConfirm, run: (*toolset).confirm, changes: true,
			says:   says("Runs a held call once, if a person approved it meanwhile with patch-git approve. It approves nothing itself. Until then it answers confirmation_required again; ask it again after the user said that they decided."),
			inputs: []spec.Input{required(text("confirmation_token", "The confirmation_token of the call that was held."))},
		},
		{
			name: "patch_list_runs", run: (*toolset).listRuns,
			says: says("Lists runs of tools on this machine, newest first: when, which tool and version, how it ended."),
			inputs: []spec.Input{
				text("tool", "Only runs of this tool."),
				withDefault(number("limit", fmt.Sprintf("How many, at most %d.", limits.MCPRuns)), strconv.Itoa(limits.MCPCards)),
			},
		},
		{
			name: "patch_replay", run: (*toolset).replay, changes: true,
			says:   says("Runs a recorded call again, from the recorded source and inputs, in a fresh sandbox, and tells whether source, sandbox and output match. What needed a person needs one again."),
			inputs: []spec.Input{required(text("run_id", "The id of a run that succeeded."))},
		},
		{
			name: "patch_generate_tool", run: notConfigured("no_generator", "no generator is configured: this version of patch-git writes no tools by itself",
				"a person can write one: patch-git new my_tool, then patch-git check my_tool.py",
				"a tool that does it may exist: patch_list_tools with where \"registries\", then patch-git pull"), changes: true,
			says: says("Would write a new tool from a description. No generator is configured here; it tells what to do in its place."),
			inputs: []spec.Input{
				required(text("description", "What the tool has to do.")),
				text("name", "Its name."),
			},
		},
		{
			name: "patch_auth_register", run: notConfigured("no_auth_broker", "no broker of accounts is configured: this version of patch-git gives tools no tokens of accounts",
				"tools without external_auth work: patch_list_tools tells them"), changes: true,
			says:   says("Would let the user connect an account for tools that act for one. No broker is configured here."),
			inputs: []spec.Input{required(text("provider", "Whose account, such as github."))},
		},
		{
			name: "patch_auth_status", run: (*toolset).authStatus,
			says:   says("Tells which accounts are connected for tools that act for one. It never shows a token."),
			inputs: []spec.Input{text("provider", "Only this one.")},
		},
	}
}

func text(name, what string) spec.Input {
	return spec.Input{Name: name, Type: spec.TypeString, Description: what}
}

func number(name, what string) spec.Input {
	return spec.Input{Name: name, Type: spec.TypeInteger, Description: what}
}

func object(name, what string) spec.Input {
	return spec.Input{Name: name, Type: spec.TypeObject, Description: what}
}

func words(name, what string) spec.Input {
	return spec.Input{Name: name, Type: spec.TypeArray, Description: what, Items: json.RawMessage(`{"type":"string"}`)}
}

func required(in spec.Input) spec.Input {
	in.Required = true
	return in
}

func withDefault(in spec.Input, value string) spec.Input {
	in.Default = json.RawMessage(value)
	return in
}

func metaNamed(name string) *meta {
	if !strings.HasPrefix(name, "patch_") {
		return nil
	}
	for _, m := range metas() {
		if m.name == name {
			return &m
		}
	}
	return nil
}

func metaNames() []string {
	var out []string
	for _, m := range metas() {
		out = append(out, m.name)
	}
	return out
}

// model is the meta-tool as the rules for arguments know tools.
func (m *meta) model() *spec.Tool { return &spec.Tool{Name: spec.Name(m.name), Inputs: m.inputs} }

// arguments checks what a call gives and reads it, defaults filled in. into is a
// pointer to a struct.
func (m *meta) arguments(raw json.RawMessage) (json.RawMessage, error) {
	return manifest.Arguments(m.model(), raw)
}

// metaTools are the meta-tools as tools/list has them.
func (t *toolset) metaTools(now *shelf) []*mcp.Tool {
	list := metas()
	out := make([]*mcp.Tool, len(list))
	for i, m := range list {
		open := m.name == "patch_run_tool" || m.name == metaConfirm || m.name == "patch_replay"
		out[i] = &mcp.Tool{
			Name: m.name, Description: m.says(now), InputSchema: json.RawMessage(bare(manifest.Inputs(m.model()).JSON())),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !m.changes, DestructiveHint: &open, IdempotentHint: !m.changes, OpenWorldHint: &open},
			Meta:        mcp.Meta{metaLoad: true},
		}
	}
	return out
}

// saysTools tells a model what there is to be found: a search that does not say
// what it searches is not called.
func saysTools(now *shelf) string {
	const ask = "Finds tools of the user's toolbox by what they do, and tells their names, versions, descriptions and, if asked, input schemas."
	if n := now.hidden(); n > 0 {
		return shorten(ask+" Beyond your list of tools it has "+plural(n, "more")+": "+now.contents(), limits.MCPText)
	}
	return ask
}

func notConfigured(reason, what string, hints ...string) func(*toolset, context.Context, *call) (*mcp.CallToolResult, error) {
	return func(*toolset, context.Context, *call) (*mcp.CallToolResult, error) {
		err := fault.New(fault.Unavailable, reason, "%s", what)
		for _, h := range hints {
			err = err.Hint("%s", h)
		}
		return nil, err
	}
}

func (t *toolset) authStatus(context.Context, *call) (*mcp.CallToolResult, error) {
	return document(map[string]any{
		"status": "not_configured", "accounts": []string{},
		"message": "no broker of accounts is configured, so no account is connected and no token is kept",
	})
}
