package aihost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/spec"
)

var skillFiles = []spec.File{{Path: "SKILL.md", Data: []byte("---\n")}, {Path: "scripts/a.sh", Data: []byte("#!/bin/sh\n")}}

// TestSkillPlaces is where hosts look.
func TestSkillPlaces(t *testing.T) {
	env := map[string]string{}
	h := &host.Host{Home: "/h", Dir: "/p", GOOS: "linux", Getenv: func(n string) string { return env[n] }}
	for id, want := range map[ID][2]string{
		ClaudeCode: {"/p/.claude/skills", "/h/.claude/skills"}, Cursor: {"/p/.cursor/skills", "/h/.cursor/skills"}, Codex: {"/p/.agents/skills", "/h/.agents/skills"},
	} {
		for i, scope := range []Scope{Project, User} {
			if p, err := SkillsOf(h, id, scope); err != nil || p.Dir() != want[i] {
				t.Errorf("%s %s: %s, %v", id, scope, p.Dir(), err)
			}
		}
	}
	env["CLAUDE_CONFIG_DIR"] = "/c"
	if p, err := SkillsOf(h, ClaudeCode, User); err != nil || p.Dir() != "/c/skills" {
		t.Errorf("moved: %s, %v", p.Dir(), err)
	}
	for _, id := range []ID{Windsurf, "none"} {
		if _, err := SkillsOf(h, id, User); fault.KindOf(err) != fault.Usage {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// TestInstallSkill: what this program made is replaced and removed, all else stays.
func TestInstallSkill(t *testing.T) {
	top := t.TempDir()
	p := SkillPlace{Codex, Project, top, ".agents/skills"}
	at := filepath.Join(p.Dir(), "work-log")
	install := func() (bool, error) { return InstallSkill(p, Receipt{Skill: "work-log", Version: "1.0.0"}, skillFiles) }
	if replaced, err := install(); err != nil || replaced {
		t.Fatal(replaced, err)
	}
	if info, err := os.Stat(filepath.Join(at, "scripts/a.sh")); err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the program cannot be run: %v", err)
	}
	if replaced, err := install(); err != nil || !replaced {
		t.Fatal(replaced, err)
	}
	refused := func(what string, want fault.Kind, err error) {
		t.Helper()
		if fault.KindOf(err) != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	// Somebody's own file in it, and an edited one.
	for _, f := range []string{"notes.md", "SKILL.md"} {
		if err := os.WriteFile(filepath.Join(at, f), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := install()
		refused("replacing with "+f, fault.Denied, err)
		_, err = RemoveSkill(p, "work-log", false)
		refused("removing with "+f, fault.Denied, err)
		if b, err := os.ReadFile(filepath.Join(at, f)); err != nil || string(b) != "mine" {
			t.Errorf("%s was changed: %v", f, err)
		}
	}
	if r, err := RemoveSkill(p, "work-log", true); err != nil || r.Version != "1.0.0" {
		t.Errorf("by force: %v", err)
	}
	_, err := RemoveSkill(p, "work-log", false)
	refused("removing what is gone", fault.NotFound, err)
	// A folder without a receipt, and one whose receipt is of another skill.
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = install()
	refused("a folder of somebody else", fault.Denied, err)
	if err := os.WriteFile(filepath.Join(at, receiptFile), []byte(`{"schema":1,"skill":"other","files":{"a":"sha256:00"}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = RemoveSkill(p, "work-log", true)
	refused("a receipt of another skill", fault.Denied, err)
	// The twin: the place is free.
	if err := os.RemoveAll(at); err != nil {
		t.Fatal(err)
	}
	if _, err := install(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(p.Dir(), ".patch-git-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestInstallSkillPaths: nothing leaves the place, by a path or by a link.
func TestInstallSkillPaths(t *testing.T) {
	top, outside := t.TempDir(), t.TempDir()
	p := SkillPlace{Codex, Project, top, ".agents/skills"}
	for _, path := range []string{"../x", "/x", "a/../../x", ".patch-git.json", "a/.b", ""} {
		if _, err := InstallSkill(p, Receipt{Skill: "a"}, []spec.File{{Path: path}}); fault.KindOf(err) != fault.Denied {
			t.Errorf("%q: %v", path, err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(top, ".agents")); err != nil {
		t.Skip(err)
	}
	if _, err := InstallSkill(p, Receipt{Skill: "a"}, skillFiles); fault.KindOf(err) != fault.Denied {
		t.Errorf("through a link: %v", err)
	}
	// A link in the place of the skill is nobody's folder.
	place := SkillPlace{Codex, User, filepath.Join(top, "user"), "."}
	if err := os.MkdirAll(place.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(place.Root, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := InstallSkill(place, Receipt{Skill: "a"}, skillFiles); fault.KindOf(err) != fault.Denied {
		t.Errorf("over a link: %v", err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) > 0 {
		t.Errorf("outside are %v", entries)
	}
	if _, err := InstallSkill(place, Receipt{Skill: "b"}, skillFiles); err != nil {
		t.Errorf("the twin: %v", err)
	}
	big := []spec.File{{Path: "SKILL.md", Data: []byte(strings.Repeat("x", 3<<20))}}
	if _, err := InstallSkill(place, Receipt{Skill: "c"}, big); fault.KindOf(err) != fault.Denied {
		t.Errorf("too large: %v", err)
	}
}
