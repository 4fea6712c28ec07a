package githubtest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// git runs the git program in a repository, without what the machine or its
// user has configured.
func git(dir string, in []byte, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"-c", "safe.directory=*", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_DIR=" + dir,
		"GIT_AUTHOR_NAME=GitHub", "GIT_AUTHOR_EMAIL=noreply@github.test", "GIT_COMMITTER_NAME=GitHub", "GIT_COMMITTER_EMAIL=noreply@github.test",
	}, env...)
	cmd.Stdin = bytes.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

func (r *Repo) git(args ...string) (string, error) {
	out, err := git(r.Dir, nil, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// settled is what git says of objects, by their full ids. Objects never change, so
// each is asked about once: whoever follows a pull request asks over and over, and
// starting git is most of what a test of that costs. That git could not tell is not
// kept, for the object may come.
func (r *Repo) settled(args []string, ids ...string) (string, error) {
	args = append(slices.Clone(args), ids...)
	key := strings.Join(args, "\x00")
	if out, ok := r.told.Load(key); ok {
		return out.(string), nil
	}
	out, err := git(r.Dir, nil, nil, args...)
	if err == nil && !slices.ContainsFunc(ids, func(id string) bool { return !fullID(strings.TrimPrefix(id, "^")) }) {
		r.told.Store(key, out)
	}
	return out, err
}

// fullID tells whether a name is that of one object and can be of no other.
func fullID(id string) bool { return len(id) == 40 && strings.Trim(id, "0123456789abcdef") == "" }

func (s *Server) folder(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(name)+".git")
}

// init makes the bare repository where there is none.
func (r *Repo) init() error {
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); err == nil {
		return nil
	}
	_, err := r.git("init", "-q", "--bare", "-b", r.Default, r.Dir)
	return err
}

// tip is the commit of a branch, "" where there is none.
func (r *Repo) tip(branch string) string {
	// Most branches are a file of their own; the others git finds.
	if data, err := os.ReadFile(filepath.Join(r.Dir, "refs", "heads", filepath.FromSlash(branch))); err == nil && len(data) == 41 {
		return string(data[:40])
	}
	sha, err := r.git("rev-parse", "--verify", "-q", "refs/heads/"+branch+"^{commit}")
	if err != nil {
		return ""
	}
	return sha
}

// kind is what an object is, "" where there is none.
func (r *Repo) kind(sha string) string {
	kind, err := r.settled([]string{"cat-file", "-t"}, sha)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(kind, "\n")
}

func (r *Repo) blob(sha string) ([]byte, error) {
	out, err := r.settled([]string{"cat-file", "blob"}, sha)
	return []byte(out), err
}

func (r *Repo) addBlob(data []byte) (string, error) {
	out, err := git(r.Dir, data, nil, "hash-object", "-w", "--stdin")
	return strings.TrimSpace(out), err
}

// line is one entry of a tree.
type line struct {
	mode, kind, sha, path string
	size                  int64
}

func (r *Repo) list(sha string, recursive bool) ([]line, error) {
	args := []string{"ls-tree", "-l", "-z"}
	if recursive {
		args = append(args, "-r", "-t")
	}
	out, err := r.settled(args, sha)
	if err != nil {
		return nil, err
	}
	var all []line
	for one := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		head, path, ok := strings.Cut(one, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 4 {
			continue // an empty tree
		}
		l := line{mode: f[0], kind: f[1], sha: f[2], path: path, size: -1}
		if f[3] != "-" {
			if l.size, err = strconv.ParseInt(f[3], 10, 64); err != nil {
				return nil, err
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// addTree puts entries on top of a tree ("" is an empty one). One without an
// object is taken away.
func (r *Repo) addTree(base string, entries []line) (string, error) {
	index := filepath.Join(r.Dir, "githubtest-index")
	defer func() { _ = os.Remove(index) }() // where git wrote none
	env := []string{"GIT_INDEX_FILE=" + index}
	from := []string{"read-tree", "--empty"}
	if base != "" {
		from = []string{"read-tree", base}
	}
	if _, err := git(r.Dir, nil, env, from...); err != nil {
		return "", err
	}
	var in bytes.Buffer
	for _, e := range entries {
		if e.sha == "" {
			e.mode, e.sha = "0", strings.Repeat("0", 40)
		}
		fmt.Fprintf(&in, "%s %s\t%s\x00", e.mode, e.sha, e.path)
	}
	if _, err := git(r.Dir, in.Bytes(), env, "update-index", "-z", "--replace", "--add", "--index-info"); err != nil {
		return "", err
	}
	out, err := git(r.Dir, nil, env, "write-tree", "--missing-ok")
	return strings.TrimSpace(out), err
}

// addCommit makes a commit by an account.
func (r *Repo) addCommit(who *Account, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	at := strconv.FormatInt(r.s.stamp().Unix(), 10) + " +0000"
	env := []string{"GIT_AUTHOR_NAME=" + who.Login, "GIT_AUTHOR_EMAIL=" + mailOf(who), "GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at}
	out, err := git(r.Dir, []byte(message), env, args...)
	return strings.TrimSpace(out), err
}

// mailOf is the address by which a commit is an account's.
func mailOf(a *Account) string {
	return strconv.FormatInt(a.ID, 10) + "+" + a.Login + "@users.noreply.github.test"
}

// Push commits files to a branch (nil data removes a file), as git would by
// a push, and returns the commit. The branch begins empty where it is new and
// from is "".
func (r *Repo) Push(branch, from, message string, files map[string][]byte) string {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	sha, err := r.push(branch, from, message, files)
	if err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	return sha
}

func (r *Repo) push(branch, from, message string, files map[string][]byte) (string, error) {
	var entries []pushed
	for path, data := range files {
		entries = append(entries, pushed{path: path, mode: "100644", data: data, gone: data == nil})
	}
	return r.pushEntries(branch, from, message, entries)
}

// pushed is one entry of a push.
type pushed struct {
	path, mode string
	data       []byte // of a submodule the commit
	gone       bool
}

// pushEntries makes the whole commit with one process of git's.
func (r *Repo) pushEntries(branch, from, message string, entries []pushed) (string, error) {
	if from == "" {
		from = r.tip(branch)
	}
	slices.SortFunc(entries, func(a, b pushed) int { return strings.Compare(a.path, b.path) })
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter %s <%s> %d +0000\ndata %d\n%s\n",
		branch, r.Owner.Login, mailOf(r.Owner), r.s.stamp().Unix(), len(message), message)
	if from != "" {
		fmt.Fprintf(&in, "from %s\n", from)
	}
	for _, e := range entries {
		switch {
		case e.gone:
			fmt.Fprintf(&in, "D %s\n", e.path)
		case e.mode == "160000":
			fmt.Fprintf(&in, "M 160000 %s %s\n", e.data, e.path)
		default:
			fmt.Fprintf(&in, "M %s inline %s\ndata %d\n%s\n", e.mode, e.path, len(e.data), e.data)
		}
	}
	if _, err := git(r.Dir, in.Bytes(), nil, "fast-import", "--quiet", "--force", "--date-format=raw"); err != nil {
		return "", err
	}
	return r.tip(branch), nil
}

// PushMode commits one entry of any mode to a branch: a link (120000, data is
// where it leads), a submodule (160000, data is a commit), an executable file
// (100755).
func (r *Repo) PushMode(branch, from, path, mode string, data []byte) string {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	sha, err := r.pushEntries(branch, from, "mode "+mode, []pushed{{path: path, mode: mode, data: data}})
	if err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	return sha
}

// Branch makes a branch, or moves it, to a commit that the repository has.
func (r *Repo) Branch(name, sha string) {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if _, err := r.git("update-ref", "refs/heads/"+name, sha); err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
}

// Tip is the commit of a branch, "" where there is none.
func (r *Repo) Tip(branch string) string { return r.tip(branch) }

// File is a file of a commit or branch; the test ends where there is none.
func (r *Repo) File(at, path string) []byte {
	r.s.t.Helper()
	out, err := git(r.Dir, nil, nil, "cat-file", "blob", at+":"+path)
	if err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	return []byte(out)
}

// Message is that of a commit.
func (r *Repo) Message(sha string) string {
	r.s.t.Helper()
	out, err := r.git("show", "-s", "--format=%B", sha)
	if err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	return strings.TrimSpace(out)
}
