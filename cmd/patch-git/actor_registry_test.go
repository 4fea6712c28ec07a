package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// makeRegistry makes a registry in a folder, signed by a new key of the user
// "maintainer", through the commands that a person would type:
//
//	registry [-name owner/name] [-maintainer who] FOLDER [name@version | file.py]…
//
// name@version is testdata/tools/name@version.py, else name.py with that
// version. Which commands are played, and that they are accepted, is for the
// transcripts of publish; here equal registries are made once and copied.
func makeRegistry(ts *testscript.TestScript, neg bool, args []string) {
	name, maintainer := "demo/tools", "maintainer"
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-name":
			name = args[1]
		case "-maintainer":
			maintainer = args[1]
		}
		args = args[2:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: registry [-name owner/name] [-maintainer who] folder [name@version | file.py]…")
	}
	var sources [][]byte
	key := sha256.New()
	fmt.Fprintln(key, name, maintainer)
	for _, a := range args[1:] {
		data := toolSource(ts, a)
		sources = append(sources, data)
		fmt.Fprintf(key, "%d\n%s", len(data), data)
	}
	fmt.Fprintln(key, filepath.Dir(ts.Getenv("WORK"))) // it goes away with this run of the tests
	made, err := stock.get(string(key.Sum(nil)), filepath.Dir(ts.Getenv("WORK")), name, sources)
	ts.Check(err)
	ts.Check(os.CopyFS(ts.MkAbs(args[0]), os.DirFS(filepath.Join(made, "registry"))))
	keyFile := filepath.Join(ts.Getenv("WORK"), maintainer, "keys", filepath.FromSlash(name)+".pem")
	ts.Check(os.MkdirAll(filepath.Dir(keyFile), 0o700))
	pem, err := os.ReadFile(filepath.Join(made, "key.pem"))
	ts.Check(err)
	ts.Check(os.WriteFile(keyFile, pem, 0o600))
}

// toolSource is the source of a tool of the test data or of the transcript.
func toolSource(ts *testscript.TestScript, arg string) []byte {
	if strings.HasSuffix(arg, ".py") {
		return []byte(ts.ReadFile(arg))
	}
	data, err := fixture(arg)
	ts.Check(err)
	return data
}

// fixture is a tool of the test data at a version.
func fixture(at string) ([]byte, error) {
	if data, err := os.ReadFile(filepath.Join("testdata", "tools", at+".py")); err == nil {
		return data, nil
	}
	name, version, ok := strings.Cut(at, "@")
	if !ok {
		return nil, fmt.Errorf("%q is not name@version", at)
	}
	data, err := os.ReadFile(filepath.Join("testdata", "tools", name+".py"))
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(data, []byte("# version: 0.0.0\n")) {
		return nil, fmt.Errorf("the fixture %s has no version 0.0.0 to replace", name)
	}
	return bytes.Replace(data, []byte("# version: 0.0.0\n"), []byte("# version: "+version+"\n"), 1), nil
}

// stocked are registries that were made in this run of the tests.
type stocked struct {
	mu   sync.Mutex
	made map[string]func() (string, error)
}

var stock = stocked{made: map[string]func() (string, error){}}

func (s *stocked) get(key, dir, name string, sources [][]byte) (string, error) {
	s.mu.Lock()
	make, ok := s.made[key]
	if !ok {
		make = sync.OnceValues(func() (string, error) { return stockUp(dir, name, sources) })
		s.made[key] = make
	}
	s.mu.Unlock()
	return make()
}

// stockUp makes registry/ and key.pem in a new folder below dir.
func stockUp(dir, name string, sources [][]byte) (string, error) {
	made, err := os.MkdirTemp(dir, "stock-")
	if err != nil {
		return "", err
	}
	run := func(args ...string) error {
		cmd := exec.Command("patch-git", args...)
		cmd.Dir, cmd.Env = made, append(os.Environ(), "PATCH_GIT_HOME="+filepath.Join(made, "home"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("patch-git %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	if err := run("registry", "init", "registry", "--name", name, "--key", "key.pem"); err != nil {
		return "", err
	}
	for i, data := range sources {
		file := fmt.Sprintf("tool%d.py", i)
		if err := os.WriteFile(filepath.Join(made, file), data, 0o644); err != nil {
			return "", err
		}
		if err := run("publish", file, "--to", "registry", "--key", "key.pem"); err != nil {
			return "", err
		}
	}
	return made, nil
}
