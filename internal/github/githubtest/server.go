package githubtest

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"sync"
	"time"
)

// T is what the double needs of a test; a testing.TB is one.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	Cleanup(func())
	TempDir() string
}

// Options say how a double is made.
type Options struct {
	T   T
	Dir string           // repositories lie in Dir/owner/name.git; "" is a folder of the test's own
	Now func() time.Time // nil is the real clock
}

// Server is a GitHub. It is an [http.Handler]; [Server.Start] puts it on this
// machine's loopback address.
type Server struct {
	t   T
	dir string
	now func() time.Time
	mux *http.ServeMux

	mu       sync.Mutex
	base     string // of addresses in answers, with a slash at the end
	next     int64  // number of whatever is made next
	accounts map[string]*Account
	tokens   map[string]*token
	repos    map[string]*Repo // by "owner/name" in lower case
	faults   []*Fault
	logins   map[string]*login // by client id
	requests []Request
	cutTrees int // entries of a tree that are listed; 0 is all
	cutFiles int // files of a pull request that are listed
}

// Request is one that was made, for tests that count or look.
type Request struct {
	Method, Path, Query string
	Body                string
	Login               string // of the token; "" of nobody's
	Status              int    // of the answer; 0 where the connection was cut
}

// New makes an empty GitHub. Without a git program the test is skipped.
func New(o Options) *Server {
	o.T.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		o.T.Skip("the double of GitHub needs a git program:", err)
	}
	if o.Dir == "" {
		o.Dir = o.T.TempDir()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		t: o.T, dir: o.Dir, now: o.Now, base: "http://github.test/", next: 1000,
		accounts: map[string]*Account{}, tokens: map[string]*token{}, repos: map[string]*Repo{}, logins: map[string]*login{},
	}
	s.account(Account{Login: "github-actions[bot]", ID: 41898282, Type: "Bot"})
	s.mux = s.routes()
	return s
}

// Start answers on loopback until the test ends, and returns the address, with
// a slash at the end. It is also the site of the device flow.
func (s *Server) Start() string {
	srv := httptest.NewServer(s)
	s.t.Cleanup(srv.Close)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = srv.URL + "/"
	return s.base
}

// Requests are those that were made so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) number() int64 {
	s.next++
	return s.next
}

// stamp is the time as GitHub writes it.
func (s *Server) stamp() time.Time { return s.now().UTC().Truncate(time.Second) }

// CutTrees lets trees be listed only so far, as GitHub does with large ones; 0
// lists them whole.
func (s *Server) CutTrees(entries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutTrees = entries
}

// CutFiles lets the files of pull requests be listed only so far, as GitHub
// does beyond 3000; 0 stands for those.
func (s *Server) CutFiles(files int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cutFiles = files
}
