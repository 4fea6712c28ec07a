package githubtest

import "fmt"

// simplePull is how a pull request stands in a list.
func (s *Server) simplePull(r *Repo, i *issue) obj {
	p := i.pull
	u := fmt.Sprintf("%s/pulls/%d", s.repoURL(r), i.number)
	about := fmt.Sprintf("%s/issues/%d", s.repoURL(r), i.number)
	web := fmt.Sprintf("%s%s/pull/%d", s.base, r.FullName(), i.number)
	link := func(u string) obj { return obj{"href": u} }
	mergeSHA := any(nil)
	if p.merged != nil {
		mergeSHA = p.mergeCommit
	}
	return obj{
		"url": u, "id": i.id, "node_id": node("PR", i.id), "html_url": web, "diff_url": web + ".diff", "patch_url": web + ".patch",
		"issue_url": about, "commits_url": u + "/commits", "review_comments_url": u + "/comments",
		"review_comment_url": s.repoURL(r) + "/pulls/comments{/number}", "comments_url": about + "/comments", "statuses_url": s.repoURL(r) + "/statuses/" + p.headSHA,
		"number": i.number, "state": i.state, "locked": false, "title": i.title, "user": s.simpleUser(i.author), "body": orNull(i.body),
		"labels": many(i.labels, func(l string) any { return s.label(r, l) }), "milestone": nil, "active_lock_reason": nil,
		"created_at": at(i.created), "updated_at": at(i.updated), "closed_at": maybeAt(i.closed), "merged_at": maybeAt(p.merged), "merge_commit_sha": mergeSHA,
		"assignee": nil, "assignees": []any{}, "requested_reviewers": []any{}, "requested_teams": []any{},
		"head": s.side(p.head, p.headOwner, p.headRef, p.headSHA), "base": s.side(r, r.Owner.Login, p.base, p.baseSHA),
		"_links": obj{
			"self": link(u), "html": link(web), "issue": link(about), "comments": link(about + "/comments"), "review_comments": link(u + "/comments"),
			"review_comment": link(s.repoURL(r) + "/pulls/comments{/number}"), "commits": link(u + "/commits"), "statuses": link(s.repoURL(r) + "/statuses/" + p.headSHA),
		},
		"author_association": association(r, i.author), "auto_merge": nil, "draft": p.draft,
	}
}

// side is one end of a pull request; that of a fork that is gone has no
// repository.
func (s *Server) side(r *Repo, owner, branch, sha string) obj {
	out := obj{"label": owner + ":" + branch, "ref": branch, "sha": sha, "user": s.simpleUser(s.accounts[lower(owner)]), "repo": nil}
	if r != nil {
		out["repo"] = s.simpleRepo(r)
	}
	return out
}

// fullPull is the answer about one pull request.
func (s *Server) fullPull(r *Repo, i *issue) (obj, error) {
	out := s.simplePull(r, i)
	files, err := r.files(i.pull)
	if err != nil {
		return nil, err
	}
	added, removed := 0, 0
	for _, f := range files {
		added, removed = added+f.added, removed+f.removed
	}
	commits, err := r.count(i.pull)
	if err != nil {
		return nil, err
	}
	out["merged"], out["merged_by"] = i.pull.merged != nil, s.simpleUser(i.pull.mergedBy)
	out["mergeable"], out["rebaseable"], out["mergeable_state"] = nil, nil, "unknown"
	out["comments"], out["review_comments"], out["maintainer_can_modify"] = len(i.comments), 0, i.pull.head != r
	out["commits"], out["additions"], out["deletions"], out["changed_files"] = commits, added, removed, len(files)
	return out, nil
}

// entryOf is one file of a pull request.
func (s *Server) entryOf(r *Repo, p *pull, f file) obj {
	web := s.base + r.FullName()
	out := obj{
		"sha": f.sha, "filename": f.path, "status": f.status, "additions": f.added, "deletions": f.removed, "changes": f.added + f.removed,
		"blob_url": web + "/blob/" + p.headSHA + "/" + f.path, "raw_url": web + "/raw/" + p.headSHA + "/" + f.path,
		"contents_url": s.repoURL(r) + "/contents/" + f.path + "?ref=" + p.headSHA,
	}
	if f.previous != "" {
		out["previous_filename"] = f.previous
	}
	return out
}

func (s *Server) review(r *Repo, i *issue, v *review) obj {
	web := fmt.Sprintf("%s%s/pull/%d#pullrequestreview-%d", s.base, r.FullName(), i.number, v.id)
	u := fmt.Sprintf("%s/pulls/%d", s.repoURL(r), i.number)
	return obj{
		"id": v.id, "node_id": node("PRR", v.id), "user": s.simpleUser(v.author), "body": "", "state": v.state, "html_url": web, "pull_request_url": u,
		"author_association": association(r, v.author), "submitted_at": at(v.at), "commit_id": v.commit,
		"_links": obj{"html": obj{"href": web}, "pull_request": obj{"href": u}},
	}
}

func (s *Server) checkRun(r *Repo, k *check) obj {
	u := fmt.Sprintf("%s/check-runs/%d", s.repoURL(r), k.id)
	return obj{
		"id": k.id, "node_id": node("CR", k.id), "head_sha": k.head, "external_id": k.external, "url": u, "html_url": fmt.Sprintf("%s%s/runs/%d", s.base, r.FullName(), k.id),
		"details_url": orNull(k.details), "status": k.status, "conclusion": orNull(k.conclusion), "started_at": at(k.started), "completed_at": maybeAt(k.completed),
		"output": obj{"title": orNull(k.title), "summary": orNull(k.summary), "text": orNull(k.text), "annotations_count": len(k.annotations), "annotations_url": u + "/annotations"},
		"name":   k.name, "check_suite": obj{"id": k.suite}, "app": s.app(k.app), "pull_requests": []any{},
	}
}

// app is a GitHub App; that of Actions has a number that everybody knows.
func (s *Server) app(slug string) obj {
	id, owner := int64(15368), s.account(Account{Login: "github", ID: 9919, Type: "Organization"})
	if slug != "github-actions" {
		id = 90000 + int64(len(slug))
	}
	return obj{
		"id": id, "slug": slug, "node_id": node("A", id), "owner": s.user(owner), "name": slug, "description": "", "external_url": "https://github.test/" + slug,
		"html_url": s.base + "apps/" + slug, "created_at": "2018-07-30T09:30:17Z", "updated_at": "2018-07-30T09:30:17Z",
		"permissions": obj{"checks": "write", "metadata": "read"}, "events": []any{},
	}
}

func (s *Server) run(r *Repo, n *Run) obj {
	u := fmt.Sprintf("%s/actions/runs/%d", s.repoURL(r), n.ID)
	suite := s.repoURL(r) + fmt.Sprint("/check-suites/", n.ID+1)
	actor := s.user(r.Owner)
	return obj{
		"id": n.ID, "name": n.File, "node_id": node("WFR", n.ID), "check_suite_id": n.ID + 1, "check_suite_node_id": node("CS", n.ID+1),
		"head_branch": orNull(n.Branch), "head_sha": n.Head, "path": ".github/workflows/" + n.File, "run_number": n.ID, "run_attempt": n.Attempt,
		"referenced_workflows": []any{}, "event": n.Event, "status": orNull(n.Status), "conclusion": orNull(n.Conclusion), "workflow_id": 77, "url": u,
		"html_url": fmt.Sprintf("%s%s/actions/runs/%d", s.base, r.FullName(), n.ID), "pull_requests": []any{}, "created_at": at(n.Created), "updated_at": at(n.Created),
		"actor": actor, "triggering_actor": actor, "run_started_at": at(n.Created), "jobs_url": u + "/jobs", "logs_url": u + "/logs", "check_suite_url": suite,
		"artifacts_url": u + "/artifacts", "cancel_url": u + "/cancel", "rerun_url": u + "/rerun", "previous_attempt_url": nil,
		"workflow_url": s.repoURL(r) + "/actions/workflows/77", "head_commit": nil, "repository": s.minimalRepo(r), "head_repository": s.minimalRepo(r),
		"display_title": n.File,
	}
}
