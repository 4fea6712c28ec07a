package skillplan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// bases are the folders that paths begin in.
type bases struct{ skill, repo, dir string }

func (b bases) of(base spec.SkillBase) string {
	switch base {
	case spec.SkillRoot:
		return b.skill
	case spec.RepoRoot:
		return b.repo
	case spec.WorkDir:
		return b.dir
	}
	return ""
}

// maxGitFile bounds the file .git of a worktree or submodule.
const maxGitFile = 4096

// RepoRoot is the folder of the repository that dir lies in, "" where there is none
// [SK-27]. git itself is not run: a repository can make it run programs. A folder
// .git with a HEAD in it is one, and so is a file .git that leads to a folder with
// one, as worktrees and submodules have it.
func RepoRoot(dir string) string {
	for {
		if isRepo(dir) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func isRepo(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		if info.Size() > maxGitFile {
			return false
		}
		data, err := os.ReadFile(git)
		to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
		if err != nil || !ok {
			return false
		}
		if git = strings.TrimSpace(to); !filepath.IsAbs(git) {
			git = filepath.Join(dir, git)
		}
	}
	head, err := os.Stat(filepath.Join(git, "HEAD"))
	return err == nil && head.Mode().IsRegular()
}

// Reasons why a path cannot be used.
var (
	errNoBase  = errors.New("there is no repository around the working directory")
	errEscapes = errors.New("a link leads out of its base")
)

// look opens the base and tells what lies at the path, without leaving the base by
// any link [C-40].
func (b bases) look(base spec.SkillBase, rel string) (is string, info fs.FileInfo, err error) {
	dir := b.of(base)
	if dir == "" {
		return "", nil, errNoBase
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", nil, err
	}
	defer func() { _ = root.Close() }()
	is = filepath.Join(dir, filepath.FromSlash(rel))
	info, err = root.Stat(filepath.FromSlash(rel))
	if err != nil && escapes(dir, rel) {
		err = errEscapes
	}
	return is, info, err
}

// escapes tells whether it is a link that leads out, where os.Root only says that it
// refuses: some part of the way is a link, and its target is not below the base.
func escapes(dir, rel string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	at := real
	for part := range strings.SplitSeq(rel, "/") {
		at = filepath.Join(at, part)
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			if err != nil {
				return false
			}
			continue
		}
		to, err := os.Readlink(at)
		if err != nil {
			return false
		}
		if filepath.IsAbs(to) {
			return true // os.Root follows none of these
		}
		at = filepath.Join(filepath.Dir(at), to)
		if back, err := filepath.Rel(real, at); err != nil || back == ".." || strings.HasPrefix(back, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// files looks for the files that must be there [SK-23].
func (p *Plan) files() {
	for _, f := range p.request.Tool.Skill.Files {
		one := File{Path: f.Path, Base: f.Base}
		rel, err := manifest.SkillPath(f.Path)
		var info fs.FileInfo
		if err == nil {
			one.Is, info, err = p.bases.look(f.Base, rel)
		}
		switch {
		case errors.Is(err, errNoBase):
			p.problem(rulePreconditions, "no_repository", f.Path, fmt.Sprintf("the file %s is to lie in the repository: %s", spec.Quote(f.Path), err))
		case errors.Is(err, errEscapes):
			p.problem(rulePreconditions, "escapes", f.Path, fmt.Sprintf("the file %s: %s", spec.Quote(f.Path), err))
		case errors.Is(err, fs.ErrNotExist):
			p.problem(rulePreconditions, "missing_file", f.Path, fmt.Sprintf("there is no file %s in %s", spec.Quote(f.Path), f.Base))
		case err != nil && info == nil && one.Is == "":
			p.problem(rulePreconditions, "bad_path", f.Path, err.Error())
		case err != nil:
			p.untold(rulePreconditions, "unread_file", f.Path, fmt.Sprintf("nobody could look at the file %s: %s", spec.Quote(f.Path), oneLine(err.Error())))
		case !info.Mode().IsRegular():
			p.problem(rulePreconditions, "no_file", f.Path, fmt.Sprintf("%s is no file", spec.Quote(f.Path)))
		}
		p.Files = append(p.Files, one)
	}
}

// target is a file that the skill is to make.
type target struct {
	base spec.SkillBase
	rel  string
}

// produced puts the inputs into the patterns of outputs. What comes of it must stay
// in its base, whatever the values were [SK-30, C-40].
func (p *Plan) produced() {
	for _, o := range p.request.Tool.Skill.Outputs {
		unset := ""
		text, err := manifest.SkillTokens(o.Pattern, func(name string) (string, error) {
			value, ok := p.values[name]
			if !ok {
				unset = name
				return "x", nil
			}
			var text string
			if json.Unmarshal(value, &text) != nil {
				if value[0] == '{' || value[0] == '[' || string(value) == "null" {
					return "", fmt.Errorf("the value of %s is no text", name)
				}
				text = string(value)
			}
			if text == "" {
				return "", fmt.Errorf("the value of %s is empty", name)
			}
			return text, nil
		})
		if unset != "" {
			p.warn(ruleUnmapped, "unknown_output", o.Pattern, fmt.Sprintf("which file %s is cannot be said, because %s is unset", spec.Quote(o.Pattern), unset))
			p.Outputs = append(p.Outputs, Output{Path: o.Pattern, Base: o.Base})
			continue
		}
		rel := ""
		if err == nil {
			rel, err = manifest.SkillPath(text)
		}
		if err != nil {
			p.problem(ruleSchema, "bad_output", o.Pattern, fmt.Sprintf("the output %s: %s", spec.Quote(o.Pattern), err))
			p.Outputs = append(p.Outputs, Output{Path: o.Pattern, Base: o.Base})
			continue
		}
		is, info, err := p.bases.look(o.Base, rel)
		switch {
		case errors.Is(err, errNoBase):
			p.problem(rulePreconditions, "no_repository", o.Pattern, fmt.Sprintf("the output %s is to lie in the repository: %s", spec.Quote(o.Pattern), err))
		case errors.Is(err, errEscapes):
			p.problem(rulePreconditions, "escapes", o.Pattern, fmt.Sprintf("the output %s: %s", spec.Quote(rel), err))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			p.untold(rulePreconditions, "unread_output", o.Pattern, fmt.Sprintf("nobody could look at the output %s: %s", spec.Quote(rel), oneLine(err.Error())))
		}
		p.Outputs = append(p.Outputs, Output{Path: rel, Base: o.Base, Is: is, Exists: info != nil})
		p.outputs = append(p.outputs, target{o.Base, rel})
	}
}

// Missing are the outputs that are not there after the skill ran, or are no files;
// that is a warning and no failure [SK-55].
func (p *Plan) Missing() []string {
	var out []string
	for _, o := range p.outputs {
		if _, info, err := p.bases.look(o.base, o.rel); err != nil || !info.Mode().IsRegular() {
			out = append(out, p.Strike(o.rel))
		}
	}
	return out
}
