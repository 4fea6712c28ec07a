package githubtest

import (
	"crypto/rand"
	"net/http"
	"strings"
)

// login is a device flow of one application
// (docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow).
type login struct {
	who     string
	answers []string // errors, one for each question, before the token
	code    string   // of the device; "" before it was asked for
}

// Login lets a person log in to an application by a code. answers are the
// errors that the program gets before, one for each question: slow_down,
// authorization_pending, expired_token, access_denied.
func (s *Server) Login(clientID, person string, answers ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logins[clientID] = &login{who: person, answers: answers}
}

// form reads what both requests are: a form that asks for JSON.
func (s *Server) form(r *http.Request, fields ...string) (*login, bool) {
	if err := r.ParseForm(); err != nil || r.Header.Get("Accept") != "application/json" || r.Header.Get("User-Agent") == "" || r.URL.RawQuery != "" ||
		!strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		s.t.Errorf("githubtest: %s is no form that asks for JSON", r.URL.Path)
		return nil, false
	}
	for _, f := range fields {
		if r.PostForm.Get(f) == "" {
			s.t.Errorf("githubtest: %s lacks %s", r.URL.Path, f)
			return nil, false
		}
	}
	l := s.logins[r.PostForm.Get("client_id")]
	return l, l != nil
}

func (s *Server) deviceCode(w http.ResponseWriter, r *http.Request) {
	if f := s.fault(r); f != nil && f.fails() {
		f.answer(w, s)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.form(r, "client_id")
	if !ok {
		write(w, notFound())
		return
	}
	l.code = rand.Text()
	write(w, reply{status: http.StatusOK, body: obj{
		"device_code": l.code, "user_code": "WDJB-MJHT", "verification_uri": s.base + "login/device", "expires_in": 900, "interval": 5,
	}})
}

func (s *Server) deviceToken(w http.ResponseWriter, r *http.Request) {
	if f := s.fault(r); f != nil && f.fails() {
		f.answer(w, s)
		return
	}
	s.mu.Lock()
	l, ok := s.form(r, "client_id", "device_code", "grant_type")
	no := ""
	switch {
	case !ok:
		no = "incorrect_client_credentials"
	case r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:device_code":
		no = "unsupported_grant_type"
	case r.PostForm.Get("device_code") != l.code:
		no = "incorrect_device_code"
	case len(l.answers) > 0:
		no, l.answers = l.answers[0], l.answers[1:]
	}
	s.mu.Unlock()
	if no != "" {
		body := obj{"error": no, "error_description": "The person has not agreed.", "error_uri": "https://docs.github.com/developers"}
		if no == "slow_down" {
			body["interval"] = 10
		}
		write(w, reply{status: http.StatusOK, body: body}) // GitHub answers 200 to these too
		return
	}
	write(w, reply{status: http.StatusOK, body: obj{"access_token": s.Token(l.who), "token_type": "bearer", "scope": "public_repo"}})
}
