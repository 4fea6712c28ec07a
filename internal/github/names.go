package github

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// go-github puts names into addresses as they are: "../../user" as the name of
// a repository would ask another question than was meant. Everything that
// becomes a part of a path is checked here first.

// check refuses an owner or a name that GitHub cannot have.
func (r Repo) check() error {
	if !plain(r.Owner, 39, "-_") || !plain(r.Name, 100, "-_.") || r.Name == "." || r.Name == ".." {
		return fault.New(fault.Usage, "repository", "%s is no repository of GitHub's", spec.Quote(r.String()))
	}
	return nil
}

// ParseRepo reads owner/name.
func ParseRepo(s string) (Repo, error) {
	owner, name, _ := strings.Cut(s, "/")
	r := Repo{Owner: owner, Name: name}
	return r, r.check()
}

// checkLogin refuses a login that GitHub cannot have. Those of bots end with
// "[bot]"; that of a company's managed users has an underscore.
func checkLogin(login string) error {
	if !plain(strings.TrimSuffix(login, "[bot]"), 39, "-_") {
		return fault.New(fault.Usage, "login", "%s is no login of GitHub's", spec.Quote(login))
	}
	return nil
}

// checkSHA refuses what is not the name of a git object, written out.
func checkSHA(sha string) error {
	if len(sha) != 40 && len(sha) != 64 || strings.Trim(sha, "0123456789abcdef") != "" {
		return fault.New(fault.Usage, "sha", "%s is no SHA of a git object", spec.Quote(sha))
	}
	return nil
}

// checkBranch refuses what git does not take as a branch, and a little more:
// only letters, digits and -_./ are known to mean the same everywhere.
func checkBranch(branch string) error {
	ok := plain(branch, 200, "-_./")
	for part := range strings.SplitSeq(branch, "/") {
		ok = ok && part != "" && part[0] != '.' && part[0] != '-' && !strings.HasSuffix(part, ".lock") && !strings.HasSuffix(part, ".") && !strings.Contains(part, "..")
	}
	if !ok {
		return fault.New(fault.Usage, "branch", "%s is no branch", spec.Quote(branch))
	}
	return nil
}

// checkWorkflow refuses what is not the name of a workflow's file.
func checkWorkflow(file string) error {
	if !plain(file, 100, "-_.") || file[0] == '.' || !strings.HasSuffix(file, ".yml") && !strings.HasSuffix(file, ".yaml") {
		return fault.New(fault.Usage, "workflow", "%s is no file of a workflow", spec.Quote(file))
	}
	return nil
}

// plain is a text of 1 to most characters, each an ASCII letter, a digit, or
// one of extra.
func plain(s string, most int, extra string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(extra, r) {
			return false
		}
	}
	return s != "" && len(s) <= most
}
