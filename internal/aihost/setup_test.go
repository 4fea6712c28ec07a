package aihost

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
)

// world is a machine with a home, a program, and every host started once.
func world(t *testing.T) *host.Host {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	h := &host.Host{
		GOOS: "linux", Home: filepath.Join(root, "home"), Dir: filepath.Join(root, "project"),
		Executable: filepath.Join(root, "bin", "patch-git"), Getenv: func(k string) string { return env[k] },
	}
	h.Paths = paths.Default(h.GOOS, h.Home, h.Getenv)
	for _, dir := range []string{h.Dir, filepath.Dir(h.Executable)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, h.Executable, "#!", 0o700)
	for _, s := range Look(h) {
		if err := os.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(h.Home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

func write(t *testing.T, file, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func state(t *testing.T, h *host.Host, id ID) State {
	t.Helper()
	for _, s := range Look(h) {
		if s.Host == id {
			return s
		}
	}
	t.Fatal(id)
	return State{}
}

// before is what a file has before us, by its format.
func before(k known) string {
	switch {
	case k.toml:
		return "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = 'x' # \n"
	case k.comments:
		return "// mine\n{\n\t\"" + k.section + "\": {\n\t\t\"other\": {\"command\": \"x\"}, // \n\t},\n}"
	}
	return "{ \"z\": 1,\r\n  \"" + k.section + "\": {\r\n    \"other\": {\"command\": \"x\",   \"env\": {\"T\": \"s3cret\"}}\r\n  }, \"a\": [ ]\r\n}"
}

// TestSetup: for every host the entry comes in, is found, comes in no second time,
// and the file is byte for byte what it was when it is taken out.
func TestSetup(t *testing.T) {
	for _, k := range hosts {
		t.Run(string(k.id), func(t *testing.T) {
			h := world(t)
			s := Setting{Host: k.id, Scope: User}
			file := state(t, h, k.id).File
			write(t, file, before(k), 0o640)
			if err := os.Chmod(file, 0o662); err != nil { // more than the umask leaves
				t.Fatal(err)
			}
			dry, err := Setup(t.Context(), h, Setting{Host: k.id, Scope: User, DryRun: true})
			if err != nil || len(dry[0].Changes) == 0 || read(t, file) != before(k) {
				t.Fatalf("a dry run: %+v, %v", dry, err)
			}
			if _, err := os.Stat(h.Paths.Root); err == nil {
				t.Error("a dry run made something")
			}
			done, err := Setup(t.Context(), h, s)
			if err != nil || len(done) != 1 || len(done[0].Changes) == 0 {
				t.Fatalf("%+v, %v", done, err)
			}
			if text, _ := json.Marshal(done); strings.Contains(string(text), "s3cret") {
				t.Errorf("it tells what others have there: %s", text)
			}
			if got := state(t, h, k.id); !got.Works() || !got.Here || got.Entry.Command != h.Executable {
				t.Errorf("found as %+v %+v", got, got.Entry)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o662 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if info, err := os.Stat(done[0].Backup); err != nil || info.Mode().Perm() != 0o600 || read(t, done[0].Backup) != before(k) {
				t.Errorf("the copy: %v, %v", info, err)
			}
			text := read(t, file)
			if again, err := Setup(t.Context(), h, s); err != nil || len(again[0].Changes) != 0 || read(t, file) != text {
				t.Errorf("a second time: %+v, %v", again, err)
			}
			undone, err := Undo(t.Context(), h, s)
			if err != nil || !undone[0].Restored || read(t, file) != before(k) {
				t.Errorf("%+v, %v:\n%s", undone, err, read(t, file))
			}
			if _, err := Undo(t.Context(), h, s); fault.KindOf(err) != fault.NotFound || fault.ReasonOf(err) != "not_set_up" {
				t.Errorf("a second undo: %v", err)
			}

			// Where the host changed the file meanwhile, only ours goes.
			if _, err := Setup(t.Context(), h, s); err != nil {
				t.Fatal(err)
			}
			text = read(t, file)
			more := strings.Replace(text, "other", "another", 1)
			write(t, file, more, 0o640)
			undone, err = Undo(t.Context(), h, s)
			got := read(t, file)
			if err != nil || undone[0].Restored || strings.Contains(got, `"patch"`) || strings.Contains(got, "servers.patch") || !strings.Contains(got, "another") {
				t.Errorf("%+v, %v:\n%s", undone, err, got)
			}

			// A file that was not there goes away.
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if _, err := Setup(t.Context(), h, s); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("a new file has %v, %v", info.Mode(), err)
			}
			if undone, err = Undo(t.Context(), h, s); err != nil || !undone[0].Gone || present(file) {
				t.Errorf("%+v, %v", undone, err)
			}
		})
	}
}

// TestSetupRefuses: each differs from a machine that is set up in one point; nothing
// is written.
func TestSetupRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		file   string // of Claude Desktop
		change func(h *host.Host, s *Setting, file string)
		kind   fault.Kind
		reason string
	}{
		"a twin":               {`{}`, func(*host.Host, *Setting, string) {}, 0, ""},
		"damaged":              {`{`, nil, fault.Findings, reasonDamaged},
		"comments":             {"{} // x", nil, fault.Findings, reasonDamaged},
		"other bytes":          {"{\"a\": \"\xff\"}", nil, fault.Findings, reasonDamaged},
		"utf-16":               {"\xff\xfe{\x00}\x00", nil, fault.Findings, reasonDamaged},
		"another program":      {`{"mcpServers": {"patch": {"command": "patch"}}}`, nil, fault.Denied, "entry_taken"},
		"ours, without mcp":    {`{"mcpServers": {"patch": {"command": "patch-git", "args": ["x"]}}}`, nil, fault.Denied, "entry_taken"},
		"a server by address":  {`{"mcpServers": {"patch": {"url": "http://127.0.0.1/"}}}`, nil, fault.Denied, "entry_taken"},
		"no such host":         {`{}`, func(_ *host.Host, s *Setting, _ string) { s.Host = "emacs" }, fault.Usage, "unknown_host"},
		"no such scope":        {`{}`, func(_ *host.Host, s *Setting, _ string) { s.Scope = "all" }, fault.Usage, "unknown_scope"},
		"no project's file":    {`{}`, func(_ *host.Host, s *Setting, _ string) { s.Scope = Project }, fault.Usage, "unknown_scope"},
		"no hooks":             {`{}`, func(_ *host.Host, s *Setting, _ string) { s.Hooks = true }, fault.Usage, "no_hooks"},
		"a program by go run":  {`{}`, func(h *host.Host, _ *Setting, _ string) { h.Executable = "/tmp/go-build1/b001/exe/patch-git" }, fault.Usage, "temporary_program"},
		"no program":           {`{}`, func(h *host.Host, _ *Setting, _ string) { h.Executable = "" }, fault.Unavailable, "no_program"},
		"a folder":             {`{}`, func(_ *host.Host, _ *Setting, f string) { _ = os.Remove(f); _ = os.Mkdir(f, 0o700) }, fault.Findings, reasonDamaged},
		"a link to nothing":    {`{}`, func(_ *host.Host, _ *Setting, f string) { _ = os.Remove(f); _ = os.Symlink("none", f) }, fault.Findings, reasonDamaged},
		"never started":        {`{}`, func(_ *host.Host, _ *Setting, f string) { _ = os.RemoveAll(filepath.Dir(f)) }, fault.NotFound, "no_host"},
		"too large":            {`{}`, func(_ *host.Host, _ *Setting, f string) { _ = os.Truncate(f, limits.HostFile+1) }, fault.Findings, reasonDamaged},
		"no home":              {`{}`, func(h *host.Host, _ *Setting, _ string) { h.Home = "" }, fault.Unavailable, "no_home"},
		"no home for what was": {`{}`, func(h *host.Host, _ *Setting, _ string) { h.Paths.Root = "" }, fault.Unavailable, "no_home"},
	} {
		t.Run(name, func(t *testing.T) {
			h := world(t)
			s := Setting{Host: ClaudeDesktop, Scope: User}
			file := state(t, h, ClaudeDesktop).File
			write(t, file, tt.file, 0o600)
			if tt.change != nil {
				tt.change(h, &s, file)
			}
			_, err := Setup(t.Context(), h, s)
			if tt.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if fault.KindOf(err) != tt.kind || fault.ReasonOf(err) != tt.reason || len(fault.HintsOf(err)) == 0 && tt.kind == fault.Findings {
				t.Errorf("%v: %v, %s", fault.KindOf(err), err, fault.ReasonOf(err))
			}
			if data, err := os.ReadFile(file); err == nil && len(data) < 1000 && string(data) != tt.file {
				t.Errorf("it became %s", data)
			}
			if found, _ := filepath.Glob(filepath.Join(h.Home, ".local", "share", "patch-cat", "hosts", "claude*")); len(found) > 0 {
				t.Errorf("made %v", found)
			}
		})
	}
}

// TestSetupKeeps what the user added to our entry, and tells the state where hosts
// would not find it.
func TestSetupKeeps(t *testing.T) {
	h := world(t)
	file := state(t, h, Cursor).File
	write(t, file, `{"mcpServers": {"patch": {"disabled": true, "command": "/old/patch-git", "args": ["mcp", "--http", "x"], "env": {"A": "b"}}}}`, 0o600)
	if got := state(t, h, Cursor); got.Works() || got.Problem != "the program that it names is not there" {
		t.Errorf("%+v", got)
	}
	h.Paths.Root = filepath.Join(h.Home, "state")
	done, err := Setup(t.Context(), h, Setting{Host: Cursor, Scope: User})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"mcpServers": {"patch": {"disabled": true, "command": "` + h.Executable + `", "args": ["mcp"], "env": {"A": "b", "PATCH_GIT_HOME": "` + h.Paths.Root + `"}}}}`
	if got := read(t, file); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if c := done[0].Changes; len(c) != 4 || c[0].Removed != `"/old/patch-git"` {
		t.Errorf("%+v", c)
	}
	if got := state(t, h, Cursor); !got.Works() {
		t.Errorf("%+v", got)
	}
	// A state that moved back is told too, and not left where it was.
	h.Paths.Root = filepath.Join(h.Home, ".local/share/patch-cat")
	if got := state(t, h, Cursor); got.Works() {
		t.Error("another state is none of its own")
	}
	if _, err := Setup(t.Context(), h, Setting{Host: Cursor, Scope: User}); err != nil || !state(t, h, Cursor).Works() {
		t.Errorf("%v\n%s", err, read(t, file))
	}
	// The entry was there before us, so it is taken out and not put back.
	if undone, err := Undo(t.Context(), h, Setting{Host: Cursor, Scope: User}); err != nil || undone[0].Restored || read(t, file) != `{"mcpServers": {}}` {
		t.Errorf("%+v, %v\n%s", undone, err, read(t, file))
	}
}

// TestUndoOfAChangedCopy: what somebody put in the place of the copy is not what the
// host gets back.
func TestUndoOfAChangedCopy(t *testing.T) {
	h := world(t)
	s := Setting{Host: ClaudeDesktop, Scope: User}
	file := state(t, h, ClaudeDesktop).File
	const mine = "{\n  \"a\": 1,\n  \"mcpServers\": {}\n}\n"
	for name, spoil := range map[string]func(copy string){
		"another":  func(c string) { write(t, c, `{"mcpServers": {"evil": {"command": "evil"}}}`, 0o600) },
		"a link":   func(c string) { _ = os.Remove(c); _ = os.Symlink(h.Executable, c) },
		"no copy":  func(c string) { _ = os.Remove(c) },
		"no words": func(c string) { write(t, strings.TrimSuffix(c, ".before")+".json", "{}", 0o600) },
	} {
		write(t, file, mine, 0o600)
		done, err := Setup(t.Context(), h, s)
		if err != nil {
			t.Fatal(err)
		}
		spoil(done[0].Backup)
		undone, err := Undo(t.Context(), h, s)
		if err != nil || undone[0].Restored || read(t, file) != mine {
			t.Errorf("%s: %+v, %v\n%s", name, undone, err, read(t, file))
		}
	}
}

// TestSetupLinks: a link stays one; one out of a project is refused.
func TestSetupLinks(t *testing.T) {
	h := world(t)
	file := state(t, h, Windsurf).File
	real := filepath.Join(h.Home, "dotfiles.json")
	write(t, real, "{}", 0o600)
	if err := os.Symlink(real, file); err != nil {
		t.Fatal(err)
	}
	done, err := Setup(t.Context(), h, Setting{Host: Windsurf, Scope: User})
	if err != nil || done[0].Link != real || !strings.Contains(read(t, real), "patch-git") {
		t.Errorf("%+v, %v", done, err)
	}
	if to, err := os.Readlink(file); err != nil || to != real {
		t.Errorf("the link is %s, %v", to, err)
	}

	s := Setting{Host: VSCode, Scope: Project}
	if err := os.Symlink(filepath.Join(h.Home, ".claude"), filepath.Join(h.Dir, ".vscode")); err != nil {
		t.Fatal(err)
	}
	if _, err := Setup(t.Context(), h, s); fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != reasonForeign {
		t.Errorf("a link out of the project: %v", err)
	}
	if found, _ := os.ReadDir(filepath.Join(h.Home, ".claude")); len(found) != 0 {
		t.Errorf("it made %v", found)
	}
	// The twin: a link within it.
	if err := os.Remove(filepath.Join(h.Dir, ".vscode")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.Dir, "editor"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("editor", filepath.Join(h.Dir, ".vscode")); err != nil {
		t.Fatal(err)
	}
	if _, err := Setup(t.Context(), h, s); err != nil {
		t.Error(err)
	}
	// What others get with the project says nothing of this machine.
	if got := read(t, filepath.Join(h.Dir, "editor", "mcp.json")); strings.Contains(got, h.Executable) || !strings.Contains(got, `"command": "patch-git"`) {
		t.Error(got)
	}
}

// TestSetupForeign: a file of another user stays theirs.
func TestSetupForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	h := world(t)
	file := state(t, h, Cursor).File
	write(t, file, "{}", 0o600)
	s := Setting{Host: Cursor, Scope: User}
	if err := os.Chown(file, 12345, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := Setup(t.Context(), h, s); fault.KindOf(err) != fault.Denied || fault.ReasonOf(err) != reasonForeign || read(t, file) != "{}" {
		t.Errorf("a file of another: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(filepath.Dir(file), 12345, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := Setup(t.Context(), h, s); fault.ReasonOf(err) != reasonForeign || present(file) {
		t.Errorf("a folder of another: %v", err)
	}
}

// TestSetupConcurrent: what a host writes between our reading and our writing is
// not lost, and one that writes all the time is not fought.
func TestSetupConcurrent(t *testing.T) {
	h := world(t)
	s := Setting{Host: ClaudeDesktop, Scope: User}
	file := state(t, h, ClaudeDesktop).File
	write(t, file, `{"n": 0}`, 0o600)
	k, _ := find(ClaudeDesktop)
	e, err := k.entry(h, User)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 0
	w := work{file, func(text string) ([][]edit, string, error) {
		if rounds++; rounds == 1 {
			write(t, file, `{"n": 1}`, 0o600)
		}
		return k.put(text, e, h)
	}, func(text string) ([][]edit, string, error) { return k.drop(text, h) }}
	if _, err := s.one(h, w, false, false); err != nil || rounds != 2 {
		t.Fatalf("%v after %d rounds", err, rounds)
	}
	if got := read(t, file); !strings.Contains(got, `"n": 1`) || !strings.Contains(got, "patch-git") {
		t.Error(got)
	}
	w.put = func(text string) ([][]edit, string, error) {
		write(t, file, text+" ", 0o600)
		return [][]edit{{{put: "x"}}}, "x" + text, nil
	}
	if _, err := s.one(h, w, false, false); fault.KindOf(err) != fault.Unavailable || fault.ReasonOf(err) != reasonBusy || strings.HasPrefix(read(t, file), "x") {
		t.Errorf("%v", err)
	}
}

// TestHooks come with Claude Code alone, and go with the entry.
func TestHooks(t *testing.T) {
	h := world(t)
	h.Executable = filepath.Join(filepath.Dir(h.Executable), "it's", "patch-git")
	if err := os.Mkdir(filepath.Dir(h.Executable), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, h.Executable, "#!", 0o700)
	settings := filepath.Join(h.Home, ".claude", "settings.json")
	const mine = "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"UserPromptSubmit\": [],\n    \"PostToolUse\": [\n      {\"hooks\": []},\n      {\"matcher\": \"Edit\", \"hooks\": [{\"type\": \"command\", \"command\": \"fmt\"}]}\n    ]\n  },\n  \"model\": \"o\"\n}\n"
	write(t, settings, mine, 0o600)
	s := Setting{Host: ClaudeCode, Scope: User, Hooks: true}
	done, err := Setup(t.Context(), h, s)
	if err != nil || len(done) != 2 || !state(t, h, ClaudeCode).Hooks {
		t.Fatalf("%+v, %v", done, err)
	}
	var got struct {
		Model string
		Hooks map[string][]struct {
			Matcher string
			Hooks   []struct{ Type, Command string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, settings)), &got); err != nil {
		t.Fatal(err)
	}
	post, prompt := got.Hooks["PostToolUse"], got.Hooks["UserPromptSubmit"]
	if len(post) != 3 || post[1].Matcher != "Edit" || len(prompt) != 1 || got.Model != "o" {
		t.Errorf("%+v", got)
	}
	if want := "'" + strings.ReplaceAll(h.Executable, "'", `'\''`) + "' taint note --prompt"; prompt[0].Hooks[0].Command != want || prompt[0].Hooks[0].Type != "command" {
		t.Errorf("the command is %s, want %s", prompt[0].Hooks[0].Command, want)
	}
	text := read(t, settings)
	if again, err := Setup(t.Context(), h, s); err != nil || len(again[0].Changes)+len(again[1].Changes) != 0 || read(t, settings) != text {
		t.Errorf("a second time: %+v, %v", again, err)
	}
	if _, err := Undo(t.Context(), h, Setting{Host: ClaudeCode, Scope: User}); err != nil || read(t, settings) != mine {
		t.Errorf("%v\n%s", err, read(t, settings))
	}
	// Both files are looked at before one is written.
	write(t, settings, `{"hooks": {"PostToolUse": {}}}`, 0o600)
	if _, err := Setup(t.Context(), h, s); fault.ReasonOf(err) != reasonDamaged || state(t, h, ClaudeCode).Entry != nil {
		t.Errorf("hooks that are no list: %v", err)
	}
}

// TestHookMatcher: what others answered is noted, by whichever tool the host read it, and
// what our own tools answered is not: the server knows that.
func TestHookMatcher(t *testing.T) {
	post := hooks[1]
	others, rest, ok := strings.Cut(post.matcher, "|")
	if post.event != "PostToolUse" || !ok || others != "mcp__(?!patch__).*" {
		t.Fatalf("%+v", post)
	}
	builtin := regexp.MustCompile("^(" + rest + ")$")
	for tool, want := range map[string]bool{
		"WebFetch": true, "WebSearch": true, "Read": true, "Grep": true, "Bash": true, "mcp__mail__read": true, "mcp__patchwork__list": true,
		"mcp__patch__read_text": false, "Edit": false, "Write": false, "TodoWrite": false,
	} {
		server, isOther := strings.CutPrefix(tool, "mcp__")
		if got := builtin.MatchString(tool) || isOther && !strings.HasPrefix(server, "patch__"); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
}

// TestPlaces: where each system keeps the files.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		goos string
		env  map[string]string
		want map[ID]string
	}{
		{"linux", nil, map[ID]string{
			ClaudeDesktop: "/h/.config/Claude/claude_desktop_config.json", ClaudeCode: "/h/.claude.json", Cursor: "/h/.cursor/mcp.json",
			Windsurf: "/h/.codeium/windsurf/mcp_config.json", VSCode: "/h/.config/Code/User/mcp.json", Codex: "/h/.codex/config.toml",
		}},
		{"linux", map[string]string{"XDG_CONFIG_HOME": "/c", "CODEX_HOME": "/x", "CLAUDE_CONFIG_DIR": "/y"}, map[ID]string{
			ClaudeDesktop: "/c/Claude/claude_desktop_config.json", ClaudeCode: "/y/.claude.json", VSCode: "/c/Code/User/mcp.json", Codex: "/x/config.toml",
		}},
		{"linux", map[string]string{"XDG_CONFIG_HOME": "c", "CODEX_HOME": "x"}, map[ID]string{VSCode: "/h/.config/Code/User/mcp.json", Codex: "/h/.codex/config.toml"}},
		{"darwin", map[string]string{"XDG_CONFIG_HOME": "/c"}, map[ID]string{
			ClaudeDesktop: "/h/Library/Application Support/Claude/claude_desktop_config.json", ClaudeCode: "/h/.claude.json",
			VSCode: "/h/Library/Application Support/Code/User/mcp.json", Cursor: "/h/.cursor/mcp.json",
		}},
		{"windows", map[string]string{"APPDATA": "/a"}, map[ID]string{
			ClaudeDesktop: "/a/Claude/claude_desktop_config.json", VSCode: "/a/Code/User/mcp.json", Codex: "/h/.codex/config.toml",
		}},
		{"windows", nil, map[ID]string{VSCode: "/h/AppData/Roaming/Code/User/mcp.json"}},
	} {
		h := &host.Host{GOOS: tt.goos, Home: "/h", Getenv: func(k string) string { return tt.env[k] }}
		for id, want := range tt.want {
			k, err := find(id)
			if err != nil {
				t.Fatal(err)
			}
			if got := filepath.ToSlash(k.file(h)); got != want {
				t.Errorf("%s, %v: %s is %s, want %s", tt.goos, tt.env, id, got, want)
			}
		}
	}
	// Windows gives an application of its store a copy of its own.
	dir := t.TempDir()
	h := &host.Host{GOOS: "windows", Home: dir, Getenv: func(string) string { return "" }}
	packaged := filepath.Join(dir, "AppData", "Local", "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	if err := os.MkdirAll(filepath.Dir(packaged), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, packaged, "{}", 0o600)
	if k, _ := find(ClaudeDesktop); k.file(h) != packaged {
		t.Errorf("%s, want %s", k.file(h), packaged)
	}
}

// TestProgram: the name on PATH stays when the program behind it is another
// version; another program of this name is none.
func TestProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	h := world(t)
	links := filepath.Join(h.Home, "links")
	other := filepath.Join(h.Home, "other")
	for _, dir := range []string{links, other} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(other, "patch-git"), "#!", 0o700)
	if err := os.Symlink(h.Executable, filepath.Join(links, "patch-git")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":                          h.Executable,
		other:                       h.Executable,
		"links":                     h.Executable,
		other + ":" + links + ":/x": filepath.Join(links, "patch-git"),
	} {
		h.Getenv = func(k string) string { return map[string]string{"PATH": path}[k] }
		if got, err := programOf(h); err != nil || got != want {
			t.Errorf("PATH %q: %s, %v", path, got, err)
		}
	}
}
