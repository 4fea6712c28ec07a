package githubtest

import (
	"net/http"
	"time"
)

func (s *Server) listChecks(c *call) reply {
	sha := c.r.PathValue("ref")
	if c.repo.kind(sha) != "commit" {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	}
	q := c.r.URL.Query()
	var all []*check
	for i, k := range c.repo.checks {
		if k.head != sha || q.Get("check_name") != "" && k.name != q.Get("check_name") || q.Get("status") != "" && k.status != q.Get("status") {
			continue
		}
		if q.Get("filter") != "all" && c.repo.overtaken(i) {
			continue
		}
		all = append(all, k)
	}
	return page(c, all, func(some []*check) any {
		return obj{"total_count": len(all), "check_runs": many(some, func(k *check) any { return s.checkRun(c.repo, k) })}
	})
}

// overtaken tells whether the same suite has a newer run of the name.
func (r *Repo) overtaken(i int) bool {
	for _, k := range r.checks[i+1:] {
		if k.name == r.checks[i].name && k.head == r.checks[i].head && k.suite == r.checks[i].suite {
			return true
		}
	}
	return false
}

func (s *Server) makeCheck(c *call) reply {
	if c.repo.kind(c.str("head_sha")) != "commit" {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.str("head_sha"))
	}
	k := &check{id: s.number(), name: c.str("name"), head: c.str("head_sha"), app: "github-actions", status: "queued", started: s.stamp(), suite: 1}
	if no, ok := k.take(c); !ok {
		return no
	}
	c.repo.checks = append(c.repo.checks, k)
	return reply{status: http.StatusCreated, body: s.checkRun(c.repo, k)}
}

func (s *Server) changeCheck(c *call) reply {
	for _, k := range c.repo.checks {
		if k.id != c.number("id") {
			continue
		}
		if k.app != "github-actions" {
			return refuse(http.StatusForbidden, "Invalid app_id `15368` - check run can only be modified by the GitHub App that created it.")
		}
		if no, ok := k.take(c); !ok {
			return no
		}
		return reply{status: http.StatusOK, body: s.checkRun(c.repo, k)}
	}
	return notFound()
}

// take applies a body; annotations are added to those that are there.
func (k *check) take(c *call) (reply, bool) {
	if c.str("status") == "completed" && c.str("conclusion") == "" {
		c.s.t.Errorf("githubtest: a completed check needs a conclusion")
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\nFor 'anyOf/0', missing required key: conclusion"), false
	}
	for name, to := range map[string]*string{"name": &k.name, "details_url": &k.details, "external_id": &k.external, "status": &k.status, "conclusion": &k.conclusion} {
		if c.has(name) {
			*to = c.str(name)
		}
	}
	if k.conclusion != "" {
		k.status = "completed"
		now := c.s.stamp()
		k.completed = &now
	}
	if t, err := time.Parse(time.RFC3339, c.str("completed_at")); err == nil {
		k.completed = &t
	}
	out, ok := c.asked["output"].(obj)
	if !ok {
		return reply{}, true
	}
	text := func(o obj, name string) string { s, _ := o[name].(string); return s }
	k.title, k.summary, k.text = text(out, "title"), text(out, "summary"), text(out, "text")
	list, _ := out["annotations"].([]any)
	for _, v := range list {
		a, _ := v.(obj)
		line, _ := a["start_line"].(float64)
		k.annotations = append(k.annotations, Annotation{
			Path: text(a, "path"), Line: int(line), Level: text(a, "annotation_level"), Title: text(a, "title"), Message: text(a, "message"),
		})
	}
	return reply{}, true
}
