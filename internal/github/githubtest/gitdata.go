package githubtest

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// wantsRaw tells whether a request asks for the bytes themselves.
func wantsRaw(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.HasPrefix(accept, "application/vnd.github.") && strings.Contains(accept, "raw")
}

func (s *Server) getBlob(c *call) reply {
	sha := c.r.PathValue("sha")
	data, err := c.repo.blob(sha)
	if err != nil {
		return notFound()
	}
	if wantsRaw(c.r) {
		if data == nil {
			data = []byte{}
		}
		return reply{status: http.StatusOK, plain: data}
	}
	return reply{status: http.StatusOK, body: obj{
		"sha": sha, "node_id": "B_" + sha, "size": len(data), "url": s.repoURL(c.repo) + "/git/blobs/" + sha,
		"content": base64.StdEncoding.EncodeToString(data), "encoding": "base64",
	}}
}

func (s *Server) makeBlob(c *call) reply {
	data := []byte(c.str("content"))
	if c.str("encoding") == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(strings.ReplaceAll(c.str("content"), "\n", "")); err != nil {
			return invalid("Blob", "content", "invalid", "content is not valid Base64")
		}
	}
	sha, err := c.repo.addBlob(data)
	if err != nil {
		return s.broken(err)
	}
	return reply{status: http.StatusCreated, body: obj{"sha": sha, "url": s.repoURL(c.repo) + "/git/blobs/" + sha}}
}

func (s *Server) getTree(c *call) reply {
	sha := c.r.PathValue("sha")
	tree, err := c.repo.git("rev-parse", "--verify", "-q", sha+"^{tree}")
	if err != nil {
		return notFound()
	}
	return s.tree(c, tree, c.r.URL.Query().Get("recursive") != "", http.StatusOK)
}

func (s *Server) tree(c *call, sha string, recursive bool, status int) reply {
	all, err := c.repo.list(sha, recursive)
	if err != nil {
		return s.broken(err)
	}
	cut := s.cutTrees > 0 && len(all) > s.cutTrees
	if cut {
		all = all[:s.cutTrees]
	}
	return reply{status: status, body: obj{
		"sha": sha, "url": s.repoURL(c.repo) + "/git/trees/" + sha, "truncated": cut,
		"tree": many(all, func(l line) any {
			one := obj{"path": l.path, "mode": l.mode, "type": l.kind, "sha": l.sha}
			if l.kind == "blob" {
				one["size"] = l.size
			}
			if l.kind != "commit" {
				one["url"] = s.repoURL(c.repo) + "/git/" + l.kind + "s/" + l.sha
			}
			return one
		}),
	}}
}

func (s *Server) makeTree(c *call) reply {
	base := c.str("base_tree")
	if base != "" && c.repo.kind(base) != "tree" {
		return refuse(http.StatusUnprocessableEntity, "base_tree is not a valid tree oid")
	}
	list, _ := c.asked["tree"].([]any)
	var entries []line
	for _, v := range list {
		e, _ := v.(obj)
		path, _ := e["path"].(string)
		if strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") || strings.Contains(path, "//") {
			return refuse(http.StatusUnprocessableEntity, "tree.path contains a malformed path component")
		}
		one := line{path: path}
		one.mode, _ = e["mode"].(string)
		content, hasContent := e["content"].(string)
		sha, hasSHA := e["sha"].(string)
		_, there := e["sha"]
		switch {
		case hasContent:
			var err error
			if one.sha, err = c.repo.addBlob([]byte(content)); err != nil {
				return s.broken(err)
			}
		case hasSHA:
			if one.mode != "160000" && c.repo.kind(sha) == "" {
				return refuse(http.StatusUnprocessableEntity, "tree.sha "+sha+" is not a valid blob")
			}
			one.sha = sha
		case !there:
			return refuse(http.StatusUnprocessableEntity, "Must supply either tree.sha or tree.content")
		}
		entries = append(entries, one)
	}
	sha, err := c.repo.addTree(base, entries)
	if err != nil {
		return s.broken(err)
	}
	return s.tree(c, sha, false, http.StatusCreated)
}

func (s *Server) getCommit(c *call) reply {
	sha := c.r.PathValue("sha")
	if c.repo.kind(sha) != "commit" {
		return notFound()
	}
	return s.commit(c, sha, http.StatusOK)
}

// commit reads a commit with the format of git's log.
func (s *Server) commit(c *call, sha string, status int) reply {
	out, err := c.repo.settled([]string{"show", "-s", "--format=%T%n%P%n%an%n%ae%n%at%n%cn%n%ce%n%ct%n%B"}, sha)
	out = strings.TrimSuffix(out, "\n")
	if err != nil {
		return s.broken(err)
	}
	f := strings.SplitN(out, "\n", 9)
	u := s.repoURL(c.repo) + "/git/commits/"
	parents := []any{}
	for p := range strings.FieldsSeq(f[1]) {
		parents = append(parents, obj{"sha": p, "url": u + p, "html_url": s.base + c.repo.FullName() + "/commit/" + p})
	}
	return reply{status: status, body: obj{
		"sha": sha, "node_id": "C_" + sha, "url": u + sha, "html_url": s.base + c.repo.FullName() + "/commit/" + sha,
		"author":    obj{"name": f[2], "email": f[3], "date": fromUnix(f[4])},
		"committer": obj{"name": f[5], "email": f[6], "date": fromUnix(f[7])},
		"tree":      obj{"sha": f[0], "url": s.repoURL(c.repo) + "/git/trees/" + f[0]}, "message": strings.TrimSuffix(f[8], "\n"), "parents": parents,
		"verification": obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil},
	}}
}

// getWhole reads a commit with the accounts that its addresses belong to.
func (s *Server) getWhole(c *call) reply {
	sha, err := c.repo.git("rev-parse", "--verify", "-q", c.r.PathValue("ref")+"^{commit}")
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.r.PathValue("ref"))
	}
	r := s.commit(c, sha, http.StatusOK)
	in, ok := r.body.(obj)
	if !ok {
		return r
	}
	u := s.repoURL(c.repo)
	return reply{status: http.StatusOK, body: obj{
		"sha": sha, "node_id": in["node_id"], "url": u + "/commits/" + sha, "html_url": in["html_url"], "comments_url": u + "/commits/" + sha + "/comments",
		"commit": obj{
			"url": in["url"], "author": in["author"], "committer": in["committer"], "message": in["message"], "tree": in["tree"],
			"comment_count": 0, "verification": in["verification"],
		},
		"author": s.simpleUser(s.byMail(in["author"])), "committer": s.simpleUser(s.byMail(in["committer"])), "parents": in["parents"],
	}}
}

// byMail is the account that a person's address belongs to, nil where none does.
func (s *Server) byMail(person any) *Account {
	p, _ := person.(obj)
	mail, _ := p["email"].(string)
	for _, a := range s.accounts {
		if mail == mailOf(a) {
			return a
		}
	}
	return nil
}

func (s *Server) makeCommit(c *call) reply {
	if c.repo.kind(c.str("tree")) != "tree" {
		return refuse(http.StatusUnprocessableEntity, "Tree SHA does not exist")
	}
	var parents []string
	list, _ := c.asked["parents"].([]any)
	for _, v := range list {
		p, _ := v.(string)
		if c.repo.kind(p) != "commit" {
			return refuse(http.StatusUnprocessableEntity, "Parent SHA does not exist or is not a commit object")
		}
		parents = append(parents, p)
	}
	sha, err := c.repo.addCommit(c.who, c.str("tree"), c.str("message"), parents...)
	if err != nil {
		return s.broken(err)
	}
	return s.commit(c, sha, http.StatusCreated)
}

func (s *Server) getRef(c *call) reply {
	if c.repo.tip(c.repo.Default) == "" {
		return refuse(http.StatusConflict, "Git Repository is empty.")
	}
	ref := "refs/" + c.r.PathValue("ref")
	sha, err := c.repo.git("rev-parse", "--verify", "-q", ref)
	if err != nil {
		return notFound()
	}
	return s.ref(c, ref, sha, http.StatusOK)
}

func (s *Server) ref(c *call, ref, sha string, status int) reply {
	return reply{status: status, body: obj{
		"ref": ref, "node_id": "REF_" + ref, "url": s.repoURL(c.repo) + "/git/" + ref,
		"object": obj{"type": "commit", "sha": sha, "url": s.repoURL(c.repo) + "/git/commits/" + sha},
	}}
}

func (s *Server) makeRef(c *call) reply {
	ref, sha := c.str("ref"), c.str("sha")
	if _, err := c.repo.git("check-ref-format", ref); err != nil || !strings.HasPrefix(ref, "refs/") || strings.Count(ref, "/") < 2 {
		return refuse(http.StatusUnprocessableEntity, "Reference name must start with 'refs/heads/' or 'refs/tags/'")
	}
	if c.repo.kind(sha) != "commit" {
		return refuse(http.StatusUnprocessableEntity, "Object does not exist")
	}
	if _, err := c.repo.git("rev-parse", "--verify", "-q", ref); err == nil {
		return refuse(http.StatusUnprocessableEntity, "Reference already exists")
	}
	if _, err := c.repo.git("update-ref", ref, sha); err != nil {
		return s.broken(err)
	}
	return s.ref(c, ref, sha, http.StatusCreated)
}

func (s *Server) moveRef(c *call) reply {
	ref, sha := "refs/"+c.r.PathValue("ref"), c.str("sha")
	old, err := c.repo.git("rev-parse", "--verify", "-q", ref)
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, "Reference does not exist")
	}
	if c.repo.kind(sha) != "commit" {
		return refuse(http.StatusUnprocessableEntity, "Object does not exist")
	}
	if force, _ := c.asked["force"].(bool); !force {
		if _, err := c.repo.git("merge-base", "--is-ancestor", old, sha); err != nil {
			return refuse(http.StatusUnprocessableEntity, "Update is not a fast forward")
		}
	}
	if _, err := c.repo.git("update-ref", ref, sha); err != nil {
		return s.broken(err)
	}
	return s.ref(c, ref, sha, http.StatusOK)
}
