package githubtest

import (
	"crypto/rand"
	"strings"
	"sync"
	"time"
)

// Account is a person, an organisation or a bot.
type Account struct {
	Login string
	ID    int64
	Type  string // "" is User
}

// token is who asks. perms is nil of a person's ordinary token; those of a job
// and of a fine-grained token name what they may.
type token struct {
	who   *Account
	job   bool
	repo  *Repo // the only one of a job's
	perms map[string]string
	left  int // of the rate limit
}

// Account makes an account, or gives the one of the login. The number is made
// up where it is 0.
func (s *Server) Account(a Account) Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.account(a)
}

func (s *Server) account(a Account) *Account {
	key := strings.ToLower(a.Login)
	if have := s.accounts[key]; have != nil {
		return have
	}
	if a.ID == 0 {
		a.ID = s.number()
	}
	if a.Type == "" {
		a.Type = "User"
	}
	s.accounts[key] = &a
	return &a
}

// Token is a new token with which a person may all that the person may.
func (s *Server) Token(login string) string { return s.newToken(login, nil, nil) }

// FineToken is a fine-grained token of a person: what the person may, and of
// that only perms, as in FineToken("ada", "contents", "write").
func (s *Server) FineToken(login string, perms ...string) string {
	return s.newToken(login, nil, permissions(perms))
}

// JobToken is the GITHUB_TOKEN of a workflow's job with these permissions, as
// in JobToken("ada/tools", "checks", "write", "contents", "read").
func (s *Server) JobToken(repo string, perms ...string) string {
	return s.newToken("github-actions[bot]", s.repo(repo), permissions(perms))
}

func permissions(list []string) map[string]string {
	out := map[string]string{"metadata": "read"}
	for i := 0; i+1 < len(list); i += 2 {
		out[strings.ReplaceAll(list[i], "-", "_")] = list[i+1]
	}
	return out
}

func (s *Server) newToken(login string, job *Repo, perms map[string]string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "ghp_"
	if job != nil {
		kind = "ghs_"
	}
	secret := kind + rand.Text()
	s.tokens[secret] = &token{who: s.account(Account{Login: login}), job: job != nil, repo: job, perms: perms, left: 5000}
	return secret
}

// Revoke makes a token worthless, as the end of its job does.
func (s *Server) Revoke(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tokens, secret)
}

// Repo is a repository.
type Repo struct {
	s       *Server
	Owner   *Account
	Name    string
	ID      int64
	Dir     string // bare
	Default string
	Private bool
	parent  *Repo
	made    time.Time
	slow    int // requests for which a new fork is hidden
	hidden  int // how often it is not shown yet: a fork that is being made
	roles   map[int64]string
	numbers int
	issues  []*issue // pull requests too
	labels  []*label
	checks  []*check
	runs    []*Run
	told    sync.Map // what git said of objects: see settled
}

type label struct {
	id          int64
	name, color string
}

// issue is an issue or, with pull, a pull request.
type issue struct {
	id               int64
	number           int
	title, body      string
	author           *Account
	state            string
	labels           []string
	comments         []*comment
	created, updated time.Time
	closed           *time.Time
	pull             *pull
}

type comment struct {
	id               int64
	author           *Account
	body             string
	created, updated time.Time
}

type pull struct {
	head        *Repo // nil once it is gone
	headOwner   string
	headRef     string
	headSHA     string
	base        string // branch
	baseSHA     string
	draft       bool
	merged      *time.Time
	mergedBy    *Account
	mergeCommit string
	reviews     []*review
}

type review struct {
	id     int64
	author *Account
	state  string
	commit string
	at     time.Time
}

type check struct {
	id                   int64
	name, head           string
	app                  string // slug
	status, conclusion   string
	details, external    string
	title, summary, text string
	annotations          []Annotation
	started              time.Time
	completed            *time.Time
	suite                int64
}

// AddRepo makes a repository "owner/name". What lies in its folder already, a
// bare git repository, is kept.
func (s *Server) AddRepo(name string) *Repo {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addRepo(name)
}

func (s *Server) addRepo(name string) *Repo {
	owner, short, _ := strings.Cut(name, "/")
	r := &Repo{
		s: s, Owner: s.account(Account{Login: owner}), Name: short, ID: s.number(), Dir: s.folder(name),
		Default: "main", made: s.stamp(), roles: map[int64]string{},
	}
	if err := r.init(); err != nil {
		s.t.Fatalf("githubtest: %v", err)
	}
	s.repos[strings.ToLower(name)] = r
	return r
}

// Repo gives the repository "owner/name"; the test ends where there is none.
func (s *Server) Repo(name string) *Repo { return s.repo(name) }

func (s *Server) repo(name string) *Repo {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[strings.ToLower(name)]
	if r == nil {
		s.t.Fatalf("githubtest: no repository %s", name)
	}
	return r
}

// FullName is owner/name.
func (r *Repo) FullName() string { return r.Owner.Login + "/" + r.Name }

// Let gives a person a role: admin, maintain, write, triage or read.
func (r *Repo) Let(login, role string) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.roles[r.s.account(Account{Login: login}).ID] = role
}

// Delete removes a repository: pull requests from it lose their head.
func (s *Server) Delete(name string) {
	gone := s.repo(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.repos, strings.ToLower(name))
	for _, r := range s.repos {
		for _, i := range r.issues {
			if i.pull != nil && i.pull.head == gone {
				i.pull.head = nil
			}
		}
	}
}

// role is what somebody may in a repository: nobody's is that of the public.
func (r *Repo) role(who *Account) string {
	if who != nil {
		if who.ID == r.Owner.ID {
			return "admin"
		}
		if role := r.roles[who.ID]; role != "" {
			return role
		}
	}
	if r.Private {
		return "none"
	}
	return "read"
}

// ranks are the roles, from least to most.
var ranks = map[string]int{"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}

func (r *Repo) issue(number int) *issue {
	for _, i := range r.issues {
		if i.number == number {
			return i
		}
	}
	return nil
}
