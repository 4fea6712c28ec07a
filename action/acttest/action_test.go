//go:build linux

package acttest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"gopkg.in/yaml.v3"
)

// releaseVersion is that of the program which the action downloads here.
const releaseVersion = "9.9.9"

// ghDouble answers `gh attestation verify` as gh does for a release that was
// attested. What it is asked is in the log.
const ghDouble = "#!/bin/sh\necho \"gh $*\" >&2\n[ \"$1 $2\" = 'attestation verify' ] && [ -f \"$3\" ]\n"

// uvDouble stands where there is no uv: no tool of these tests has packages.
const uvDouble = "#!/bin/sh\necho 'uv is not part of these tests' >&2\nexit 1\n"

// makeRelease is this repository's action as it is at a release: the program is
// downloaded and compared.
func (f *forge) makeRelease() string {
	dir := filepath.Join(f.dir, "patch-git")
	data, err := os.ReadFile(program(f.edition))
	if err != nil {
		f.t.Fatal(err)
	}
	env := fmt.Sprintf("VERSION=%s\nSHA256_%s=%x\n", releaseVersion, runtime.GOARCH, sha256.Sum256(data))
	keep(f.t, filepath.Join(dir, "action", "release.env"), []byte(env), 0o644)
	for _, name := range []string{"action.yml", "action/install.sh", "action/uv.txt"} {
		if data, err = os.ReadFile(filepath.Join("..", "..", name)); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			f.t.Fatal(err)
		}
		keep(f.t, filepath.Join(dir, name), data, 0o755)
	}
	return dir
}

var pinned = regexp.MustCompile(`^[^/@]+/[^/@]+@[0-9a-f]{40}$`)

// steps are the steps of a workflow's jobs, or of a composite action.
type steps []struct {
	Uses string            `yaml:"uses"`
	With map[string]string `yaml:"with"`
}

// uses finds the folder of every action that a run can come to. One that is not
// pinned, that nobody plays, or that is given an input which its double does
// not know is an error.
func (f *forge) uses(r *run) (map[string]string, error) {
	found := map[string]string{}
	var w struct {
		Jobs map[string]struct{ Steps steps } `yaml:"jobs"`
	}
	if err := yaml.Unmarshal(r.w.text, &w); err != nil {
		return nil, err
	}
	for _, j := range w.Jobs {
		if err := f.follow(r, j.Steps, found); err != nil {
			return nil, fmt.Errorf("%s: %w", r.w.File, err)
		}
	}
	return found, nil
}

// action is what is asked of an action.
type action struct {
	Inputs map[string]yaml.Node  `yaml:"inputs"`
	Runs   struct{ Steps steps } `yaml:"runs"`
}

func (f *forge) follow(r *run, all steps, found map[string]string) error {
	for _, s := range all {
		if s.Uses == "" {
			continue
		}
		var data []byte
		var err error
		next := false
		if local, ok := strings.CutPrefix(s.Uses, "./"); ok {
			// Of the default branch, also where a fork's workflow checks that out.
			at := r.at
			if r.foreign {
				at = "refs/heads/main"
			}
			text, e := tryGit(f.bare(registryRepo), "show", at+":"+strings.TrimPrefix(filepath.Join(local, "action.yml"), "/"))
			data, err, next = []byte(text), e, true
		} else {
			if !pinned.MatchString(s.Uses) {
				return fmt.Errorf("%s is not pinned by a commit", s.Uses)
			}
			name, _, _ := strings.Cut(s.Uses, "@")
			dir := filepath.Join("testdata", "actions", filepath.Base(name))
			if name == "patch-cat/patch-git" {
				dir, next = f.release, true
			} else if !strings.HasPrefix(name, "actions/") {
				return fmt.Errorf("nobody plays %s", s.Uses)
			}
			if dir, err = filepath.Abs(dir); err != nil {
				return err
			}
			_, before := found[s.Uses]
			next = next && !before
			found[s.Uses] = dir
			data, err = os.ReadFile(filepath.Join(dir, "action.yml"))
		}
		if err != nil {
			return fmt.Errorf("nobody plays %s: %w", s.Uses, err)
		}
		var a action
		if err := yaml.Unmarshal(data, &a); err != nil {
			return fmt.Errorf("%s: %w", s.Uses, err)
		}
		for input := range s.With {
			if _, ok := a.Inputs[input]; !ok {
				return fmt.Errorf("%s has no input %s here", s.Uses, input)
			}
		}
		if next {
			if err := f.follow(r, a.Runs.Steps, found); err != nil {
				return err
			}
		}
	}
	return nil
}
