package githubtest

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func lower(s string) string { return strings.ToLower(s) }

func (s *Server) getViewer(c *call) reply {
	switch {
	case c.tok == nil:
		return refuse(http.StatusUnauthorized, "Requires authentication")
	case c.tok.job:
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return reply{status: http.StatusOK, body: s.publicUser(c.who)}
}

func (s *Server) getUser(c *call) reply {
	a := s.accounts[lower(c.r.PathValue("login"))]
	if a == nil {
		return notFound()
	}
	return reply{status: http.StatusOK, body: s.publicUser(a)}
}

func (s *Server) getRepo(c *call) reply {
	return reply{status: http.StatusOK, body: s.fullRepo(c, c.repo)}
}

func (s *Server) getPermission(c *call) reply {
	if !c.is("write") {
		return refuse(http.StatusForbidden, "Must have push access to view collaborator permission.")
	}
	a := s.accounts[lower(c.r.PathValue("login"))]
	if a == nil {
		return refuse(http.StatusNotFound, c.r.PathValue("login")+" is not a user")
	}
	role := c.repo.role(a)
	old := role // what there was before there were maintain and triage
	switch role {
	case "maintain":
		old = "write"
	case "triage":
		old = "read"
	}
	u := s.user(a)
	rank := ranks[role]
	u["permissions"] = obj{"admin": rank >= 5, "maintain": rank >= 4, "push": rank >= 3, "triage": rank >= 2, "pull": rank >= 1}
	u["role_name"] = role
	return reply{status: http.StatusOK, body: obj{"permission": old, "role_name": role, "user": u}}
}

// SlowForks hides each new fork from the next so many requests about it, as
// GitHub does while it copies.
func (r *Repo) SlowForks(requests int) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.slow = requests
}

// Fork makes the fork that a person has of a repository, as the page would.
func (r *Repo) Fork(login string) *Repo {
	r.s.t.Helper()
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	f, err := r.fork(r.s.account(Account{Login: login}), r.Name)
	if err != nil {
		r.s.t.Fatalf("githubtest: %v", err)
	}
	return f
}

// fork shares the objects of its origin, as on GitHub.
func (r *Repo) fork(who *Account, name string) (*Repo, error) {
	s := r.s
	for n := 1; s.repos[lower(who.Login+"/"+name)] != nil; n++ {
		name = r.Name + "-" + strconv.Itoa(n)
	}
	f := s.addRepo(who.Login + "/" + name)
	f.parent, f.Default, f.Private, f.hidden = r, r.Default, r.Private, r.slow
	objects, err := filepath.Abs(filepath.Join(r.Dir, "objects"))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(f.Dir, "objects", "info", "alternates"), []byte(objects+"\n"), 0o644); err != nil {
		return nil, err
	}
	if tip := r.tip(r.Default); tip != "" {
		if _, err := f.git("update-ref", "refs/heads/"+r.Default, tip); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (s *Server) fork(c *call) reply {
	if c.tok.job {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	var f *Repo
	for _, r := range s.repos {
		if r.parent == c.repo && r.Owner == c.who {
			f = r // GitHub answers with the one that is there
		}
	}
	if f == nil {
		if c.repo.Owner == c.who {
			return refuse(http.StatusForbidden, "You cannot fork this repository at this time.")
		}
		name := c.repo.Name
		if c.has("name") {
			name = c.str("name")
		}
		var err error
		if f, err = c.repo.fork(c.who, name); err != nil {
			return s.broken(err)
		}
	}
	return reply{status: http.StatusAccepted, body: s.fullRepo(c, f)}
}

func (s *Server) mergeUpstream(c *call) reply {
	if c.repo.parent == nil {
		return refuse(http.StatusUnprocessableEntity, "This repository is not a fork")
	}
	branch := c.str("branch")
	theirs, ours := c.repo.parent.tip(branch), c.repo.tip(branch)
	if theirs == "" || ours == "" {
		return refuse(http.StatusUnprocessableEntity, "The branch could not be synced")
	}
	out := obj{"message": "Successfully fetched and fast-forwarded from upstream " + c.repo.parent.FullName() + ":" + branch + ".", "merge_type": "fast-forward", "base_branch": c.repo.parent.Owner.Login + ":" + branch}
	if theirs == ours {
		out["merge_type"] = "none"
		return reply{status: http.StatusOK, body: out}
	}
	if _, err := c.repo.git("merge-base", "--is-ancestor", ours, theirs); err != nil {
		return refuse(http.StatusConflict, "There are merge conflicts")
	}
	if _, err := c.repo.git("update-ref", "refs/heads/"+branch, theirs); err != nil {
		return s.broken(err)
	}
	return reply{status: http.StatusOK, body: out}
}

// broken is a failure of the double itself.
func (s *Server) broken(err error) reply {
	s.t.Errorf("githubtest: %v", err)
	return refuse(http.StatusInternalServerError, "Server Error")
}
