package githubtest

import (
	"fmt"
	"maps"
	"strings"
	"time"
)

// The answers, each with every field that its schema requires
// (testdata/shapes.txt; the test holds all answers against it).

type obj = map[string]any

func at(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func maybeAt(t *time.Time) any {
	if t == nil {
		return nil
	}
	return at(*t)
}

// orNull is null for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func node(kind string, id int64) string { return fmt.Sprintf("%s_%d", kind, id) }

// simpleUser is how an account stands in other answers; null of one that is gone.
func (s *Server) simpleUser(a *Account) any {
	if a == nil {
		return nil
	}
	return s.user(a)
}

func (s *Server) user(a *Account) obj {
	u := s.base + "users/" + a.Login
	return obj{
		"login": a.Login, "id": a.ID, "node_id": node("U", a.ID), "avatar_url": s.base + "avatars/" + a.Login, "gravatar_id": "",
		"url": u, "html_url": s.base + a.Login, "followers_url": u + "/followers", "following_url": u + "/following{/other_user}",
		"gists_url": u + "/gists{/gist_id}", "starred_url": u + "/starred{/owner}{/repo}", "subscriptions_url": u + "/subscriptions",
		"organizations_url": u + "/orgs", "repos_url": u + "/repos", "events_url": u + "/events{/privacy}",
		"received_events_url": u + "/received_events", "type": a.Type, "user_view_type": "public", "site_admin": false,
	}
}

// publicUser is the answer about one account.
func (s *Server) publicUser(a *Account) obj {
	u := s.user(a)
	for _, name := range []string{"company", "location", "email", "hireable", "bio", "twitter_username"} {
		u[name] = nil
	}
	u["name"], u["blog"] = a.Login, ""
	u["public_repos"], u["public_gists"], u["followers"], u["following"] = 0, 0, 0, 0
	u["created_at"], u["updated_at"] = "2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"
	return u
}

// addresses are the fields of a repository that lead on, with their templates.
var addresses = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
	"commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
	"contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
	"forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
	"merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
	"trees_url": "/git/trees{/sha}",
}

func (s *Server) repoURL(r *Repo) string { return s.base + "repos/" + r.FullName() }

// minimalRepo is how a repository stands in a run.
func (s *Server) minimalRepo(r *Repo) obj {
	u := s.repoURL(r)
	out := obj{
		"id": r.ID, "node_id": node("R", r.ID), "name": r.Name, "full_name": r.FullName(), "owner": s.user(r.Owner), "private": r.Private,
		"html_url": s.base + r.FullName(), "description": nil, "fork": r.parent != nil, "url": u,
	}
	for name, tail := range addresses {
		out[name] = u + tail
	}
	return out
}

// simpleRepo is how a repository stands in a pull request.
func (s *Server) simpleRepo(r *Repo) obj {
	out := s.minimalRepo(r)
	web := s.base + r.FullName()
	visibility := "public"
	if r.Private {
		visibility = "private"
	}
	maps.Copy(out, obj{
		"git_url": strings.Replace(web, "http:", "git:", 1) + ".git", "ssh_url": "git@github.test:" + r.FullName() + ".git",
		"clone_url": web + ".git", "svn_url": web, "mirror_url": nil, "homepage": nil, "language": nil,
		"forks_count": 0, "forks": 0, "stargazers_count": 0, "watchers_count": 0, "watchers": 0, "size": 1, "open_issues_count": 0, "open_issues": 0,
		"default_branch": r.Default, "is_template": false, "topics": []any{}, "has_issues": true, "has_projects": true, "has_wiki": false,
		"has_pages": false, "has_downloads": true, "has_discussions": false, "archived": false, "disabled": false, "visibility": visibility,
		"pushed_at": at(r.made), "created_at": at(r.made), "updated_at": at(r.made), "license": nil, "allow_forking": true, "web_commit_signoff_required": false,
	})
	return out
}

// fullRepo is the answer about one repository, with what the caller may.
func (s *Server) fullRepo(c *call, r *Repo) obj {
	out := s.simpleRepo(r)
	out["subscribers_count"], out["network_count"] = 0, 0
	if c.tok != nil {
		rank := ranks[c.role()]
		if r != c.repo {
			rank = ranks[r.role(c.who)]
		}
		// A job's token that may not write contents may not push.
		push := rank >= ranks["write"] && (c.tok.perms == nil || c.tok.perms["contents"] == "write")
		out["permissions"] = obj{"admin": rank >= 5, "maintain": rank >= 4, "push": push, "triage": rank >= 2, "pull": rank >= 1}
	}
	if r.parent != nil {
		out["parent"], out["source"] = s.simpleRepo(r.parent), s.simpleRepo(r.parent)
	}
	return out
}

func (s *Server) label(r *Repo, name string) obj {
	l := r.label(name)
	return obj{
		"id": l.id, "node_id": node("LA", l.id), "url": s.repoURL(r) + "/labels/" + name, "name": l.name,
		"description": "", "color": l.color, "default": false,
	}
}

// association is what the author of a text is to the repository.
func association(r *Repo, who *Account) string {
	switch {
	case who == nil:
		return "NONE"
	case who.ID == r.Owner.ID:
		return "OWNER"
	case r.roles[who.ID] != "":
		return "COLLABORATOR"
	}
	return "NONE"
}

func (s *Server) comment(r *Repo, i *issue, m *comment) obj {
	u := fmt.Sprintf("%s/issues/comments/%d", s.repoURL(r), m.id)
	return obj{
		"id": m.id, "node_id": node("IC", m.id), "url": u, "html_url": fmt.Sprintf("%s%s/issues/%d#issuecomment-%d", s.base, r.FullName(), i.number, m.id),
		"body": m.body, "user": s.simpleUser(m.author), "created_at": at(m.created), "updated_at": at(m.updated),
		"issue_url": fmt.Sprintf("%s/issues/%d", s.repoURL(r), i.number), "author_association": association(r, m.author), "performed_via_github_app": nil,
	}
}

func (s *Server) issue(r *Repo, i *issue) obj {
	u := fmt.Sprintf("%s/issues/%d", s.repoURL(r), i.number)
	kind := "issues"
	if i.pull != nil {
		kind = "pull"
	}
	out := obj{
		"id": i.id, "node_id": node("I", i.id), "url": u, "repository_url": s.repoURL(r), "labels_url": u + "/labels{/name}",
		"comments_url": u + "/comments", "events_url": u + "/events", "html_url": fmt.Sprintf("%s%s/%s/%d", s.base, r.FullName(), kind, i.number),
		"number": i.number, "state": i.state, "state_reason": nil, "title": i.title, "body": orNull(i.body), "user": s.simpleUser(i.author),
		"labels": many(i.labels, func(l string) any { return s.label(r, l) }), "assignee": nil, "assignees": []any{}, "milestone": nil, "locked": false,
		"active_lock_reason": nil, "comments": len(i.comments), "closed_at": maybeAt(i.closed), "created_at": at(i.created), "updated_at": at(i.updated),
		"author_association": association(r, i.author), "performed_via_github_app": nil,
	}
	if i.pull != nil {
		web := s.base + fmt.Sprintf("%s/pull/%d", r.FullName(), i.number)
		out["pull_request"] = obj{"url": fmt.Sprintf("%s/pulls/%d", s.repoURL(r), i.number), "html_url": web, "diff_url": web + ".diff", "patch_url": web + ".patch", "merged_at": maybeAt(i.pull.merged)}
	}
	return out
}
