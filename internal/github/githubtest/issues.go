package githubtest

import (
	"net/http"
	"slices"
	"strings"
)

func (c *call) issueOf() (*issue, reply, bool) {
	if i := c.repo.issue(int(c.number("number"))); i != nil {
		return i, reply{}, true
	}
	return nil, notFound(), false
}

func (s *Server) listIssues(c *call) reply {
	q := c.r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	var all []*issue
	for _, i := range c.repo.issues {
		ok := state == "all" || i.state == state
		for l := range strings.SplitSeq(q.Get("labels"), ",") {
			ok = ok && (l == "" || slices.Contains(i.labels, l))
		}
		if creator := q.Get("creator"); creator != "" && (i.author == nil || i.author.Login != creator) {
			ok = false
		}
		if ok {
			all = append(all, i)
		}
	}
	sortIssues(all, q.Get("sort"), q.Get("direction") != "asc")
	return page(c, all, func(some []*issue) any {
		return many(some, func(i *issue) any { return s.issue(c.repo, i) })
	})
}

func (s *Server) openIssue(c *call) reply {
	c.repo.numbers++
	now := s.stamp()
	i := &issue{id: s.number(), number: c.repo.numbers, title: c.str("title"), body: c.str("body"), author: c.who, state: "open", created: now, updated: now}
	if list, ok := c.asked["labels"].([]any); ok && c.is("triage") { // of others they are dropped
		for _, l := range list {
			i.add(c.repo, l.(string))
		}
	}
	c.repo.issues = append(c.repo.issues, i)
	return reply{status: http.StatusCreated, body: s.issue(c.repo, i)}
}

func (s *Server) changeIssue(c *call) reply {
	i, no, ok := c.issueOf()
	if !ok {
		return no
	}
	if i.author != c.who && !c.is("triage") {
		return refuse(http.StatusForbidden, "Must have triage rights to Repository.")
	}
	c.change(i)
	if list, ok := c.asked["labels"].([]any); ok && c.is("triage") {
		i.labels = nil
		for _, l := range list {
			i.add(c.repo, l.(string))
		}
	}
	return reply{status: http.StatusOK, body: s.issue(c.repo, i)}
}

func (s *Server) listComments(c *call) reply {
	i, no, ok := c.issueOf()
	if !ok {
		return no
	}
	return page(c, i.comments, func(some []*comment) any {
		return many(some, func(m *comment) any { return s.comment(c.repo, i, m) })
	})
}

func (s *Server) addComment(c *call) reply {
	i, no, ok := c.issueOf()
	if !ok {
		return no
	}
	m := i.say(s, c.who, c.str("body"))
	return reply{status: http.StatusCreated, body: s.comment(c.repo, i, m)}
}

func (i *issue) say(s *Server, who *Account, body string) *comment {
	now := s.stamp()
	m := &comment{id: s.number(), author: who, body: body, created: now, updated: now}
	i.comments, i.updated = append(i.comments, m), now
	return m
}

func (s *Server) changeComment(c *call) reply {
	for _, i := range c.repo.issues {
		for _, m := range i.comments {
			if m.id != c.number("id") {
				continue
			}
			if m.author != c.who && !c.is("write") {
				return refuse(http.StatusForbidden, "Must have write rights to Repository.")
			}
			m.body, m.updated = c.str("body"), s.stamp()
			return reply{status: http.StatusOK, body: s.comment(c.repo, i, m)}
		}
	}
	return notFound()
}

func (s *Server) listLabels(c *call) reply {
	i, no, ok := c.issueOf()
	if !ok {
		return no
	}
	return page(c, i.labels, func(some []string) any {
		return many(some, func(l string) any { return s.label(c.repo, l) })
	})
}

func (s *Server) addLabels(c *call) reply {
	i, no, ok := c.issueOf()
	if !ok {
		return no
	}
	for _, l := range c.list {
		i.add(c.repo, l)
	}
	return reply{status: http.StatusOK, body: many(i.labels, func(l string) any { return s.label(c.repo, l) })}
}

// add gives an issue a label, and the repository too where it lacks it.
func (i *issue) add(r *Repo, name string) {
	name = r.addLabel(name, "ededed").name
	if !slices.Contains(i.labels, name) {
		i.labels = append(i.labels, name)
		i.updated = r.s.stamp()
	}
}

func (s *Server) removeLabel(c *call) reply {
	i, no, ok := c.issueOf()
	if !ok {
		return no
	}
	at := slices.IndexFunc(i.labels, func(l string) bool { return strings.EqualFold(l, c.r.PathValue("name")) })
	if at < 0 {
		return refuse(http.StatusNotFound, "Label does not exist")
	}
	i.labels = slices.Delete(i.labels, at, at+1)
	return reply{status: http.StatusOK, body: many(i.labels, func(l string) any { return s.label(c.repo, l) })}
}

// label finds a label of the repository; names are compared without case.
func (r *Repo) label(name string) *label {
	for _, l := range r.labels {
		if strings.EqualFold(l.name, name) {
			return l
		}
	}
	return nil
}

func (r *Repo) addLabel(name, color string) *label {
	l := r.label(name)
	if l == nil {
		l = &label{id: r.s.number(), name: name, color: color}
		r.labels = append(r.labels, l)
	}
	return l
}

func (s *Server) getLabel(c *call) reply {
	l := c.repo.label(c.r.PathValue("name"))
	if l == nil {
		return notFound()
	}
	return reply{status: http.StatusOK, body: s.label(c.repo, l.name)}
}

func (s *Server) makeLabel(c *call) reply {
	if c.repo.label(c.str("name")) != nil {
		return invalid("Label", "name", "already_exists", "")
	}
	l := c.repo.addLabel(c.str("name"), c.str("color"))
	return reply{status: http.StatusCreated, body: s.label(c.repo, l.name)}
}
