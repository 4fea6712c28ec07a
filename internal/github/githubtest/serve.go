package githubtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// call is one request, once it is known whose it is and what it is about.
type call struct {
	s     *Server
	rt    *route
	r     *http.Request
	tok   *token // nil of nobody
	who   *Account
	repo  *Repo // nil where the path names none
	asked map[string]any
	list  []string // where the body is no object
	raw   []byte
}

// reply is an answer before it is written.
type reply struct {
	status int
	body   any // nil: none
	plain  []byte
	header map[string]string
}

// refuse is an answer that says no, in GitHub's words where they are known.
func refuse(status int, message string, errors ...map[string]any) reply {
	body := map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)}
	if len(errors) > 0 {
		body["errors"] = errors
	}
	return reply{status: status, body: body}
}

func notFound() reply { return refuse(http.StatusNotFound, "Not Found") }

func invalid(resource, fieldName, code, message string) reply {
	e := map[string]any{"resource": resource, "field": fieldName, "code": code}
	if message != "" {
		e["message"] = message
	}
	return refuse(http.StatusUnprocessableEntity, "Validation Failed", e)
}

// ServeHTTP answers a request as GitHub does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.EscapedPath(); strings.Contains(p, "//") || strings.Contains(p, "/../") || strings.Contains(p, "/./") {
		s.t.Errorf("githubtest: %s %s: the path is not clean", r.Method, p)
		write(w, notFound())
		return
	}
	s.mux.ServeHTTP(w, r)
}

// serve answers by a route: faults first, then whose token it is, then whether
// the request is one, then whether it may.
func (s *Server) serve(rt *route, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		s.t.Errorf("githubtest: %s %s: %v", r.Method, r.URL.Path, err)
		return
	}
	fault := s.fault(r)
	if fault != nil {
		fault.before()
		if !fault.Done {
			s.note(r, body, "", fault.Status)
			fault.answer(w, s)
			return
		}
	}
	s.mu.Lock()
	c := &call{s: s, rt: rt, r: r, raw: body}
	out := c.answer()
	login := ""
	if c.who != nil {
		login = c.who.Login
	}
	s.limits(w.Header(), c.tok)
	s.mu.Unlock()
	if fault != nil && fault.fails() { // it was done, and nobody hears of it
		s.note(r, body, login, 0)
		fault.answer(w, s)
		return
	}
	s.note(r, body, login, out.status)
	write(w, out)
}

func (s *Server) note(r *http.Request, body []byte, login string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: string(body), Login: login, Status: status})
}

// limits are the headers that every answer has
// (docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
func (s *Server) limits(h http.Header, tok *token) {
	left, most := 60, 60
	if tok != nil {
		tok.left--
		left, most = tok.left, 5000
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(most))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Used", strconv.Itoa(most-left))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(s.now().Unix()+3600, 10))
	h.Set("X-RateLimit-Resource", "core")
	h.Set("X-GitHub-Media-Type", "github.v3; format=json")
	h.Set("X-GitHub-Api-Version-Selected", "2022-11-28")
	h.Set("Date", s.now().UTC().Format(http.TimeFormat))
}

func write(w http.ResponseWriter, out reply) {
	for k, v := range out.header {
		w.Header().Set(k, v)
	}
	if out.plain != nil {
		w.Header().Set("Content-Type", "application/vnd.github.raw; charset=utf-8")
		w.WriteHeader(out.status)
		_, _ = w.Write(out.plain) // the client may be gone
		return
	}
	if out.body == nil {
		w.WriteHeader(out.status)
		return
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(out.body); err != nil {
		panic(err) // maps of strings, numbers and the like
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(out.status)
	_, _ = w.Write(buf.Bytes())
}

// answer finds out who asks, and lets the route answer if that may.
func (c *call) answer() reply {
	s := c.s
	if auth := c.r.Header.Get("Authorization"); auth != "" {
		_, secret, _ := strings.Cut(auth, " ")
		if c.tok = s.tokens[secret]; c.tok == nil {
			return refuse(http.StatusUnauthorized, "Bad credentials")
		}
		c.who = c.tok.who
	}
	if bad := c.rt.malformed(c.r, c.raw); bad != "" {
		s.t.Errorf("githubtest: %s %s: GitHub refuses this (%s): %s", c.r.Method, c.r.URL.Path, c.rt.doc, bad)
		return refuse(http.StatusUnprocessableEntity, "Invalid request.\n\n"+bad)
	}
	if len(c.raw) > 0 && c.rt.body[0].name != "" {
		if err := json.Unmarshal(c.raw, &c.asked); err != nil {
			return refuse(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	if c.rt.body != nil && c.rt.body[0].name == "" {
		if err := json.Unmarshal(c.raw, &c.list); err != nil {
			return refuse(http.StatusBadRequest, "Problems parsing JSON")
		}
	}
	if owner := c.r.PathValue("owner"); owner != "" {
		c.repo = s.repos[strings.ToLower(owner+"/"+c.r.PathValue("repo"))]
		if c.repo == nil {
			return notFound()
		}
		if c.repo.hidden > 0 {
			c.repo.hidden--
			return notFound()
		}
	}
	if no, ok := c.allowed(); !ok {
		return no
	}
	return c.rt.do(c)
}

// allowed decides whether the token is good enough, as far as the route alone
// tells.
func (c *call) allowed() (reply, bool) {
	n := c.rt.need
	writes := n.level == "write" || c.r.Method != http.MethodGet
	if c.repo != nil && ranks[c.role()] == 0 {
		return notFound(), false
	}
	if c.tok == nil {
		if writes {
			return refuse(http.StatusUnauthorized, "Requires authentication"), false
		}
		return reply{}, true
	}
	if c.tok.perms != nil && c.repo != nil && (writes || c.repo.Private) {
		ok := !c.tok.job || c.tok.repo == c.repo
		has := false
		for _, scope := range n.scopes {
			has = has || c.tok.perms[scope] == "write" || c.tok.perms[scope] == n.level
		}
		if !ok || !has {
			return c.lacks(), false
		}
	}
	if n.app && !c.tok.job {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App."), false
	}
	if c.repo != nil && !c.tok.job && ranks[c.role()] < ranks[n.role] {
		return refuse(http.StatusForbidden, "Must have "+n.role+" rights to Repository."), false
	}
	return reply{}, true
}

// lacks is the refusal for want of a permission
// (docs.github.com/rest/overview/permissions-required-for-github-apps).
func (c *call) lacks() reply {
	kind := "personal access token"
	if c.tok.job {
		kind = "integration"
	}
	out := refuse(http.StatusForbidden, "Resource not accessible by "+kind)
	var accepted []string
	for _, scope := range c.rt.need.scopes {
		accepted = append(accepted, scope+"="+c.rt.need.level)
	}
	out.header = map[string]string{"X-Accepted-GitHub-Permissions": strings.Join(accepted, "; ")}
	return out
}

// role is what the caller may in the repository; a job's token may what its
// permissions say there, and elsewhere what everybody may.
func (c *call) role() string {
	if c.tok != nil && c.tok.job {
		if c.tok.repo == c.repo {
			return "write"
		}
		return c.repo.role(nil)
	}
	return c.repo.role(c.who)
}

// is tells whether the caller has at least a role.
func (c *call) is(role string) bool { return ranks[c.role()] >= ranks[role] }

func (c *call) str(name string) string {
	s, _ := c.asked[name].(string)
	return s
}

func (c *call) has(name string) bool { _, ok := c.asked[name]; return ok }

func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// page answers with one page of a list, and links to the others
// (docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api).
func page[E any](c *call, all []E, wrap func([]E) any) reply {
	q := c.r.URL.Query()
	size, at := 30, 1
	if n, err := strconv.Atoi(q.Get("per_page")); err == nil {
		size = n
	}
	if n, err := strconv.Atoi(q.Get("page")); err == nil {
		at = n
	}
	last := max((len(all)+size-1)/size, 1)
	from := min((at-1)*size, len(all))
	out := reply{status: http.StatusOK, body: wrap(all[from:min(from+size, len(all))])}
	var links []string
	link := func(n int, rel string) {
		q.Set("page", strconv.Itoa(n))
		q.Set("per_page", strconv.Itoa(size))
		u := url.URL{Path: strings.TrimPrefix(c.r.URL.Path, "/"), RawQuery: q.Encode()}
		links = append(links, fmt.Sprintf("<%s%s>; rel=%q", c.s.base, u.String(), rel))
	}
	if at > 1 {
		link(at-1, "prev")
	}
	if at < last {
		link(at+1, "next")
		link(last, "last")
	}
	if at > 1 {
		link(1, "first")
	}
	if links != nil {
		out.header = map[string]string{"Link": strings.Join(links, ", ")}
	}
	return out
}

// many makes the answers of a list.
func many[E any](all []E, one func(E) any) any {
	out := make([]any, 0, len(all))
	for _, e := range all {
		out = append(out, one(e))
	}
	return out
}
