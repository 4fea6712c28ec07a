package githubtest

import (
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Fault is something that goes wrong with requests. The zero Fault fits every
// request once and does nothing to it.
type Fault struct {
	Method string // "" is any
	Path   string // pattern of path.Match, or a prefix that ends with "/"; "" is any
	After  int    // so many that fit pass first
	Times  int    // how often; 0 is once, less is always

	Do    func()        // made before the request is looked at: what somebody else does meanwhile
	Delay time.Duration // before the answer

	Status int // of the answer instead of the true one; 0 is the true one
	Header map[string]string
	Body   string
	Cut    bool // the connection ends in the middle of the answer
	Done   bool // the request is carried out nevertheless

	seen int
}

// Fail makes something go wrong. The oldest fault that fits is taken.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// BadGateway is what a part of GitHub's that is down looks like.
func BadGateway() Fault {
	return Fault{Status: http.StatusBadGateway, Body: `<html><head><title>502 Bad Gateway</title></head></html>`, Header: map[string]string{"Content-Type": "text/html"}}
}

// Cut breaks the connection in the middle of the answer; the request is carried
// out if done is set.
func Cut(done bool) Fault { return Fault{Cut: true, Done: done} }

// SecondaryLimit is the answer to too many requests in a short time; after, in
// seconds, is left out where it is negative.
func SecondaryLimit(after int) Fault {
	f := Fault{
		Status: http.StatusForbidden, Header: map[string]string{},
		Body: `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`,
	}
	if after >= 0 {
		f.Header["Retry-After"] = strconv.Itoa(after)
	}
	return f
}

// PrimaryLimit is the answer where the hour's requests are used up until reset.
func PrimaryLimit(reset time.Time) Fault {
	return Fault{
		Status: http.StatusForbidden,
		Header: map[string]string{"X-RateLimit-Limit": "1000", "X-RateLimit-Remaining": "0", "X-RateLimit-Used": "1000", "X-RateLimit-Reset": strconv.FormatInt(reset.Unix(), 10)},
		Body:   `{"message":"API rate limit exceeded for installation ID 1.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api"}`,
	}
}

// On gives a fault the requests that it is for.
func (f Fault) On(method, pattern string) Fault {
	f.Method, f.Path = method, pattern
	return f
}

func (f *Fault) fits(r *http.Request) bool {
	if f.Method != "" && f.Method != r.Method {
		return false
	}
	if strings.HasSuffix(f.Path, "/") {
		return strings.HasPrefix(r.URL.Path, f.Path)
	}
	ok, err := path.Match(f.Path, r.URL.Path)
	return f.Path == "" || err == nil && ok
}

// fault takes the fault for a request, nil where there is none.
func (s *Server) fault(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if !f.fits(r) {
			continue
		}
		f.seen++
		if f.seen <= f.After {
			continue
		}
		if f.Times >= 0 && f.seen >= f.After+max(f.Times, 1) {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		}
		taken := *f
		taken.Done = f.Done || !f.fails()
		return &taken
	}
	return nil
}

// fails tells whether the answer is another than the true one.
func (f *Fault) fails() bool { return f.Status != 0 || f.Cut }

func (f *Fault) before() {
	if f.Do != nil {
		f.Do()
	}
	if f.Delay > 0 {
		time.Sleep(f.Delay)
	}
}

func (f *Fault) answer(w http.ResponseWriter, s *Server) {
	if f.Cut {
		h, ok := w.(http.Hijacker)
		if !ok {
			s.t.Errorf("githubtest: a connection can only be cut where there is one; use Start")
			return
		}
		conn, _, err := h.Hijack()
		if err != nil {
			s.t.Errorf("githubtest: %v", err)
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"))
		_ = conn.Close()
		return
	}
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for k, v := range f.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
}
