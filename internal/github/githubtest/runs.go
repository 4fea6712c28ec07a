package githubtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Run is a run of a workflow. File is the name of the workflow's file.
type Run struct {
	ID                 int64
	File               string
	Attempt            int
	Head               string
	Event, Branch      string
	Status, Conclusion string
	Created            time.Time
}

func (s *Server) listRuns(c *call) reply {
	q := c.r.URL.Query()
	file := c.r.PathValue("file")
	known := false
	var all []*Run
	for _, n := range c.repo.runs {
		if n.File != file {
			continue
		}
		known = true
		from, bounded := strings.CutPrefix(q.Get("created"), ">=")
		switch {
		case q.Get("branch") != "" && n.Branch != q.Get("branch"):
		case q.Get("event") != "" && n.Event != q.Get("event"):
		case q.Get("head_sha") != "" && n.Head != q.Get("head_sha"):
		case q.Get("status") != "" && n.Status != q.Get("status") && n.Conclusion != q.Get("status"):
		case bounded && n.Created.UTC().Format("2006-01-02") < from:
		default:
			all = append(all, n)
		}
	}
	if !known {
		return notFound() // GitHub knows a workflow by its file on the default branch
	}
	slices.SortStableFunc(all, func(a, b *Run) int { return b.Created.Compare(a.Created) })
	return page(c, all, func(some []*Run) any {
		return obj{"total_count": len(all), "workflow_runs": many(some, func(n *Run) any { return s.run(c.repo, n) })}
	})
}

func (r *Repo) run(id int64) *Run {
	for _, n := range r.runs {
		if n.ID == id {
			return n
		}
	}
	return nil
}

func (s *Server) getRun(c *call) reply {
	n := c.repo.run(c.number("id"))
	if n == nil {
		return notFound()
	}
	return reply{status: http.StatusOK, body: s.run(c.repo, n)}
}

func (s *Server) rerun(c *call) reply {
	n := c.repo.run(c.number("id"))
	switch {
	case n == nil:
		return notFound()
	case n.Status != "completed":
		return refuse(http.StatusForbidden, "The workflow run cannot be re-run: This workflow is already running")
	case s.now().Sub(n.Created) > 30*24*time.Hour:
		return refuse(http.StatusForbidden, fmt.Sprintf("Unable to re-run this workflow run because it was created over a month ago (%s)", at(n.Created)))
	case n.Attempt >= 50:
		return refuse(http.StatusForbidden, "Unable to re-run this workflow run because it has reached the maximum number of attempts")
	}
	n.Attempt, n.Status, n.Conclusion = n.Attempt+1, "queued", ""
	return reply{status: http.StatusCreated, body: obj{}}
}
