package aihost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// Entry is how a host starts a server.
type Entry struct {
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

// homeVar says where this program's state is.
const homeVar = "PATCH_GIT_HOME"

// entry is ours for a host. A file that others get with a project names the
// program alone: where it lies on this machine is nothing to them.
func (k known) entry(h *host.Host, s Scope) (Entry, error) {
	e := Entry{Command: "patch-git", Args: append([]string{"mcp"}, k.args...)}
	if s == Project {
		return e, nil
	}
	program, err := programOf(h)
	if err != nil {
		return Entry{}, err
	}
	e.Command = program
	// Hosts start with another environment than a shell, and so would find another
	// state than this one.
	if usual := paths.Default(h.GOOS, h.Home, func(string) string { return "" }); usual.Root != h.Paths.Root {
		e.Env = map[string]string{homeVar: h.Paths.Root}
	}
	return e, nil
}

// programOf is where this program lies, by the name that survives its next
// version: a name on PATH may be a link into a folder that has the version in it.
func programOf(h *host.Host) (string, error) {
	program := h.Executable
	if !filepath.IsAbs(program) {
		return "", fault.New(fault.Unavailable, "no_program", "where this program lies cannot be found out")
	}
	if dir := filepath.Dir(program); filepath.Base(dir) == "exe" && strings.Contains(dir, "go-build") {
		return "", fault.New(fault.Usage, "temporary_program", "%s is gone when this command ends", spec.Quote(program)).
			Hint("go build -o patch-git ./cmd/patch-git, and set up with that one")
	}
	self, err := os.Stat(program)
	if err != nil {
		return "", fault.New(fault.Unavailable, "no_program", "%s: %w", spec.Quote(program), err)
	}
	for _, dir := range filepath.SplitList(h.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		named := filepath.Join(dir, "patch-git"+suffix(h.GOOS))
		if other, err := os.Stat(named); err == nil && os.SameFile(self, other) {
			return named, nil
		}
	}
	return program, nil
}

func suffix(goos string) string {
	if goos == "windows" {
		return ".exe"
	}
	return ""
}

// ours tells whether an entry starts this program: it, or one of its name.
func (e Entry) ours(h *host.Host) bool {
	if len(e.Args) == 0 || e.Args[0] != "mcp" {
		return false
	}
	name := e.Command[strings.LastIndexAny(e.Command, `/\`)+1:]
	return strings.TrimSuffix(name, ".exe") == "patch-git" || e.Command == h.Executable
}

// runs tells whether the program of an entry is there and may be started, and
// whether it is this very program.
func (e Entry) runs(h *host.Host) (here, same bool) {
	command := e.Command
	if !strings.ContainsAny(command, `/\`) {
		return true, true // which one that is, the host's PATH says
	}
	info, err := os.Stat(command)
	if err != nil || !info.Mode().IsRegular() || h.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
		return false, false
	}
	self, err := os.Stat(h.Executable)
	return true, err == nil && os.SameFile(info, self)
}

// members are the entry as a file has it, in the order that people write it.
func (e Entry) members(k known) []member {
	var out []member
	if k.kind != "" {
		out = append(out, member{"type", k.kind})
	}
	out = append(out, member{"command", e.Command}, member{"args", e.Args})
	if home := e.Env[homeVar]; home != "" {
		out = append(out, member{"env", []member{{homeVar, home}}})
	}
	return out
}

// read finds the entry of our name in a file; nil where there is none.
func (k known) read(text string) (*Entry, error) {
	if strings.TrimSpace(strings.TrimPrefix(text, bom(text))) == "" {
		return nil, nil //nolint:nilnil // a file with nothing in it has no entry, and that is no error
	}
	if k.toml {
		return k.readTOML(text)
	}
	p, err := locate(text, k.comments, []string{k.section, Server})
	if err != nil || p.found < 2 {
		return nil, err
	}
	// Other members, and such of another kind, are the user's own affair: what
	// cannot be read as an entry of ours is none.
	e := &Entry{}
	var raw map[string]json.RawMessage
	if json.Unmarshal(plain(text[p.value:p.end]), &raw) == nil {
		_ = json.Unmarshal(raw["command"], &e.Command)
		_ = json.Unmarshal(raw["args"], &e.Args)
		_ = json.Unmarshal(raw["env"], &e.Env)
	}
	return e, nil
}

func (k known) readTOML(text string) (*Entry, error) {
	t, err := findTOML(text, []string{k.section, Server})
	if err != nil || !t.there() {
		return nil, err
	}
	e := &Entry{}
	if s := t.get("command"); s != nil {
		e.Command, _ = s.text.(string)
	}
	if s := t.get("args"); s != nil {
		e.Args, _ = s.text.([]string)
	}
	if s := t.get("env", homeVar); s != nil {
		home, _ := s.text.(string)
		e.Env = map[string]string{homeVar: home}
	}
	return e, nil
}

// put gives the changes by which a file has the entry. Where it has one of ours,
// only what differs is changed, and what the user added to it stays.
func (k known) put(text string, e Entry, h *host.Host) ([][]edit, string, error) {
	path := []string{k.section, Server}
	old, err := k.read(text)
	if err != nil {
		return nil, "", err
	}
	if old != nil && !old.ours(h) {
		return nil, "", taken(k)
	}
	if old != nil && e.Env == nil && old.Env[homeVar] != "" {
		e.Env = map[string]string{homeVar: h.Paths.Root}
	}
	if k.toml {
		return setTOML(text, path, e.members(k))
	}
	if old == nil {
		edits, err := setJSON(text, k.comments, path, e.members(k))
		return oneStep(text, edits, err)
	}
	var steps [][]edit
	for _, m := range e.members(k) {
		at := append(path[:2:2], m.name)
		value := m.value
		if env, ok := value.([]member); ok {
			at, value = append(at, env[0].name), env[0].value
		}
		edits, err := setJSON(text, k.comments, at, value)
		if err != nil {
			return nil, "", err
		}
		if len(edits) > 0 {
			steps, text = append(steps, edits), apply(text, edits)
		}
	}
	return steps, text, nil
}

func oneStep(text string, edits []edit, err error) ([][]edit, string, error) {
	if err != nil || len(edits) == 0 {
		return nil, text, err
	}
	return [][]edit{edits}, apply(text, edits), nil
}

// drop gives the changes by which our entry is gone.
func (k known) drop(text string, h *host.Host) ([][]edit, string, error) {
	path := []string{k.section, Server}
	old, err := k.read(text)
	switch {
	case err != nil:
		return nil, "", err
	case old == nil:
		return nil, text, nil
	case !old.ours(h):
		return nil, "", taken(k)
	case k.toml:
		edits, err := dropTOML(text, path)
		return oneStep(text, edits, err)
	}
	p, err := locate(text, k.comments, path)
	if err != nil {
		return nil, "", err
	}
	servers := p.on[1]
	for i, m := range servers.members {
		if m.name == Server {
			return oneStep(text, dropPart(text, servers, i), nil)
		}
	}
	return nil, text, nil
}

func taken(k known) error {
	return fault.New(fault.Denied, "entry_taken", "%s has a server called %q already, which starts another program", k.title, Server).
		Hint("look at it, and give it another name or remove it")
}
