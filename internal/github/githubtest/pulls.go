package githubtest

import (
	"net/http"
	"slices"
	"strings"
)

// pullOf finds the pull request of the path, with the head it has now.
func (c *call) pullOf() (*issue, reply, bool) {
	i := c.repo.issue(int(c.number("number")))
	if i == nil || i.pull == nil {
		return nil, notFound(), false
	}
	if err := c.repo.sync(i); err != nil {
		return nil, c.s.broken(err), false
	}
	return i, reply{}, true
}

func (s *Server) getPull(c *call) reply {
	i, no, ok := c.pullOf()
	if !ok {
		return no
	}
	return s.wholePull(c, i, http.StatusOK)
}

func (s *Server) wholePull(c *call, i *issue, status int) reply {
	out, err := s.fullPull(c.repo, i)
	if err != nil {
		return s.broken(err)
	}
	return reply{status: status, body: out}
}

func (s *Server) listPulls(c *call) reply {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	owner, branch, byHead := strings.Cut(q.Get("head"), ":")
	var all []*issue
	for _, i := range c.repo.issues {
		if i.pull == nil {
			continue
		}
		if err := c.repo.sync(i); err != nil {
			return s.broken(err)
		}
		switch {
		case state != "all" && i.state != state:
		case q.Get("base") != "" && i.pull.base != q.Get("base"):
		case byHead && (!strings.EqualFold(owner, i.pull.headOwner) || branch != i.pull.headRef):
		default:
			all = append(all, i)
		}
	}
	by := q.Get("sort")
	down := q.Get("direction") == "desc" || q.Get("direction") == "" && (by == "" || by == "created")
	sortIssues(all, by, down)
	return page(c, all, func(some []*issue) any {
		return many(some, func(i *issue) any { return s.simplePull(c.repo, i) })
	})
}

func sortIssues(all []*issue, by string, down bool) {
	slices.SortStableFunc(all, func(a, b *issue) int {
		n := a.created.Compare(b.created)
		if by == "updated" {
			n = a.updated.Compare(b.updated)
		}
		if n == 0 {
			n = a.number - b.number
		}
		if down {
			return -n
		}
		return n
	})
}

func (s *Server) listPullsOfCommit(c *call) reply {
	sha := c.r.PathValue("ref")
	if c.repo.kind(sha) != "commit" {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	}
	var all []*issue
	for _, i := range c.repo.issues {
		if i.pull != nil && (i.pull.mergeCommit == sha || i.pull.headSHA == sha) {
			all = append(all, i)
		}
	}
	return page(c, all, func(some []*issue) any {
		return many(some, func(i *issue) any { return s.simplePull(c.repo, i) })
	})
}

func (s *Server) openPull(c *call) reply {
	owner, branch, fromFork := strings.Cut(c.str("head"), ":")
	head := c.repo
	if !fromFork {
		owner, branch = c.repo.Owner.Login, c.str("head")
	} else if !strings.EqualFold(owner, c.repo.Owner.Login) {
		head = nil
		for _, r := range s.repos {
			if r.parent == c.repo && strings.EqualFold(r.Owner.Login, owner) {
				head = r
			}
		}
	}
	if head == nil || head.tip(branch) == "" {
		return invalid("PullRequest", "head", "invalid", "")
	}
	if !strings.EqualFold(head.Owner.Login, c.who.Login) && !c.is("write") {
		return refuse(http.StatusForbidden, "must be a collaborator")
	}
	for _, i := range c.repo.issues {
		if i.pull != nil && i.state == "open" && i.pull.head == head && i.pull.headRef == branch && i.pull.base == c.str("base") {
			return invalid("PullRequest", "", "custom", "A pull request already exists for "+owner+":"+branch+".")
		}
	}
	draft, _ := c.asked["draft"].(bool)
	i, problem, err := c.repo.open(c.who, head, branch, c.str("base"), c.str("title"), c.str("body"), draft)
	switch {
	case err != nil:
		return s.broken(err)
	case problem != "":
		return invalid("PullRequest", "base", "custom", problem)
	}
	return s.wholePull(c, i, http.StatusCreated)
}

// open makes a pull request; problem is why GitHub would not.
func (r *Repo) open(who *Account, head *Repo, branch, base, title, body string, draft bool) (i *issue, problem string, err error) {
	if r.tip(base) == "" {
		return nil, "base is no branch", nil
	}
	r.numbers++
	now := r.s.stamp()
	i = &issue{id: r.s.number(), number: r.numbers, title: title, body: body, author: who, state: "open", created: now, updated: now, pull: &pull{
		head: head, headOwner: head.Owner.Login, headRef: branch, base: base, draft: draft,
	}}
	if err := r.sync(i); err != nil {
		return nil, "", err
	}
	n, err := r.count(i.pull)
	if err != nil {
		return nil, "there is no common history", nil //nolint:nilerr // that is what git's refusal means
	}
	if n == 0 {
		return nil, "No commits between " + base + " and " + head.Owner.Login + ":" + branch, nil
	}
	r.issues = append(r.issues, i)
	return i, "", nil
}

func (s *Server) changePull(c *call) reply {
	i, no, ok := c.pullOf()
	if !ok {
		return no
	}
	if i.author != c.who && !c.is("triage") {
		return refuse(http.StatusForbidden, "Must have triage rights to Repository.")
	}
	c.change(i)
	return s.wholePull(c, i, http.StatusOK)
}

// change applies what a body says of title, body and state.
func (c *call) change(i *issue) {
	now := c.s.stamp()
	if c.has("title") {
		i.title = c.str("title")
	}
	if c.has("body") {
		i.body = c.str("body")
	}
	switch {
	case c.str("state") == "closed" && i.state == "open":
		i.state, i.closed = "closed", &now
	case c.str("state") == "open" && (i.pull == nil || i.pull.merged == nil):
		i.state, i.closed = "open", nil
	}
	i.updated = now
}

func (s *Server) listFiles(c *call) reply {
	i, no, ok := c.pullOf()
	if !ok {
		return no
	}
	all, err := c.repo.files(i.pull)
	if err != nil {
		return s.broken(err)
	}
	most := 3000
	if s.cutFiles > 0 {
		most = s.cutFiles
	}
	all = all[:min(len(all), most)]
	return page(c, all, func(some []file) any {
		return many(some, func(f file) any { return s.entryOf(c.repo, i.pull, f) })
	})
}

func (s *Server) merge(c *call) reply {
	i, no, ok := c.pullOf()
	if !ok {
		return no
	}
	p := i.pull
	if i.state != "open" || p.draft {
		return refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	if c.has("sha") && c.str("sha") != p.headSHA {
		return refuse(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	if c.str("merge_method") != "squash" {
		s.t.Errorf("githubtest: the double merges by squash alone, and was asked for %q", c.str("merge_method"))
		return refuse(http.StatusMethodNotAllowed, "Merge commits are not allowed on this repository.")
	}
	tip := c.repo.tip(p.base)
	tree, err := c.repo.git("merge-tree", "--write-tree", tip, p.headSHA)
	if err != nil {
		return refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	title, message := c.str("commit_title"), c.str("commit_message")
	if title == "" {
		title = i.title
	}
	if !c.has("commit_message") { // GitHub's own: what the commits say
		from, to, err := c.repo.span(p)
		if err == nil {
			message, err = c.repo.git("log", "--format=* %B", from+".."+to)
		}
		if err != nil {
			return s.broken(err)
		}
	}
	sha, err := c.repo.addCommit(c.who, tree, strings.TrimSpace(title+"\n\n"+message)+"\n", tip)
	if err != nil {
		return s.broken(err)
	}
	if _, err := c.repo.git("update-ref", "refs/heads/"+p.base, sha, tip); err != nil {
		return refuse(http.StatusMethodNotAllowed, "Base branch was modified. Review and try the merge again.")
	}
	now := s.stamp()
	p.baseSHA, p.merged, p.mergedBy, p.mergeCommit = tip, &now, c.who, sha
	i.state, i.closed, i.updated = "closed", &now, now
	return reply{status: http.StatusOK, body: obj{"sha": sha, "merged": true, "message": "Pull Request successfully merged"}}
}

func (s *Server) listReviews(c *call) reply {
	i, no, ok := c.pullOf()
	if !ok {
		return no
	}
	return page(c, i.pull.reviews, func(some []*review) any {
		return many(some, func(v *review) any { return s.review(c.repo, i, v) })
	})
}
