// The tests of the whole program: transcripts of what a person types and sees
// (testdata/script), and what becomes of one user's state when many processes
// share it or die. The program under test is built once, and started anew for
// every command.
package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain is another program where the test binary was started under its name.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"on-disk":  onDisk,
		"in-world": inWorld,
	})
}

// TestScripts plays every transcript. One command of its own per kind of actor
// is in the files actor_*_test.go.
func TestScripts(t *testing.T) {
	haveProgram(t)
	root := scriptRoot(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		Setup:               setupSharing(filepath.Join(root, "programs")),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("PATCH_GIT_UPDATE") != "",
		WorkdirRoot:         root,
		Condition:           condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       exits,
			"as":          as,
			"registry":    makeRegistry,
			"keyless":     makeKeyless,
			"mint":        mint,
			"retouch":     retouch,
			"refuses":     refuses,
			"serve":       serve,
			"pages":       pages,
			"attacker":    attacker,
			"tree-digest": treeDigest,
			"json":        jsonHas,
			"keep":        keep,
			"fill":        fill,
			"bad-text":    badText,
			"internet":    internet,
			"image":       image,
			"wheel-house": wheelHouse,
			"wheel":       wheel,

			"python-mirror": pythonMirror,
			"tuf":           tufCommand,
			"forge-guess":   forgeGuess,
			"running":       running,
			"sigstore":      sigstore,
			"github":        githubCommand,
			"fixture":       writeFixture,
			"model":         modelCommand,
			"engine":        engineCommand,
			"mcp":           mcpCommand,
			"hold":          hold,
			"take":          take,
			"waiting":       waiting,
			"browse":        browse,
			"person":        person,
			"mcp-web":       mcpWeb,
			"mcp-end":       mcpEnd,
		},
	})
}

// scriptRoot is a short path for the work of the transcripts, so that their
// lines do not wrap and sockets fit; it goes away with the test.
func scriptRoot(t *testing.T) string {
	t.Helper()
	root, err := os.MkdirTemp("", "pg") //nolint:usetesting // the path must be short
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	return root
}

// setup makes a fresh machine: a home with nothing in it.
func setup(e *testscript.Env) error {
	e.Values[rememberedKey{}] = map[string]map[string]string{}
	e.Values[notaryKey{}] = &notary{tb: e.T().(testing.TB)}
	e.Values[hubKey{}] = &hubHolder{tb: e.T().(testing.TB)}
	e.Values[modelKey{}] = &modelHolder{tb: e.T().(testing.TB)}
	e.Values[engineKey{}] = &engineHolder{tb: e.T().(testing.TB)}
	e.Values[holdingsKey{}] = holdings{}
	e.Values[personKey{}] = e.T()
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("PATCH_GIT_HOME", filepath.Join(e.WorkDir, "user"))
	e.Setenv("NO_COLOR", "")
	if os.Getenv("PATCH_GIT_KEYRING_TESTS") != "" { // that of the lane, and never a person's own
		e.Setenv("DBUS_SESSION_BUS_ADDRESS", os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	}
	e.Setenv("TERM", "xterm")
	e.Values[mcpKey{}] = mcpHolder(e)
	e.Values[mcpWebKey{}] = &webServer{}
	return os.MkdirAll(home, 0o700)
}

// setupSharing makes such a machine whose user finds the bytecode of the
// program's own Python programs in a folder that all transcripts share, under
// one key: it would be compiled anew for each.
func setupSharing(programs string) func(*testscript.Env) error {
	return func(e *testscript.Env) error {
		if err := setup(e); err != nil {
			return err
		}
		cache := filepath.Join(e.WorkDir, "user", "cache")
		for _, dir := range []string{cache, programs} {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return err
			}
		}
		return os.Symlink(programs, filepath.Join(cache, "programs"))
	}
}

// condition knows what a transcript may ask of the machine.
func condition(cond string) (bool, error) {
	switch cond {
	case "mounts": // whether on-disk can mount a disk of its own
		return canMount(), nil
	case "world": // whether a command can be run with an internet of its own
		return canWorld(), nil
	case "alone": // whether a command that a person types is not taken for an agent's
		return standsAlone() == nil, nil
	case "uplink": // whether the network of tools can be filtered
		return canFilter(), nil
	case "keyring": // whether there is a keyring, in the lane that makes one
		return os.Getenv("PATCH_GIT_KEYRING_TESTS") != "", nil
	case "docker": // whether a real docker answers, in the lane that is for it
		return dockerAnswers(), nil
	case "netns": // whether a command can be run where there is no network at all
		return exec.Command("unshare", "--net", "--map-root-user", "true").Run() == nil, nil
	}
	return false, errors.New("unknown condition " + cond)
}

// exits N cmd… runs a command and holds its exit code against N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code cmd…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s did not run: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// as WHO makes the following commands those of another user of the machine.
func as(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: as user")
	}
	ts.Setenv("PATCH_GIT_HOME", filepath.Join(ts.Getenv("WORK"), args[0]))
}
