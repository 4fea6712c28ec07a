package person

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
)

// Page is a web page on the loopback address on which a person decides. Whoever has
// a link to it that was not used yet sees everything that waits, once; every answer
// carries a token that is good for one decision. There are no cookies, which other
// programs on this address would be sent too, and no scripts.
type Page struct {
	store *approval.Store
	now   func() time.Time
	lis   net.Listener
	host  string // 127.0.0.1:PORT, the only name that it answers to
	// others tells whether who asks from an address is another user of this machine.
	others func(from, page string) bool

	mu    sync.Mutex
	links map[[sha256.Size]byte]ticket // by the digest of their secret
	done  chan struct{}                // closed when nothing waits any more
}

// ticket is what a secret opens, once.
type ticket struct {
	via    approval.Via
	until  time.Time
	decide bool // the token of a form; else a link
}

// OpenPage listens on a port of the loopback address that the system chooses.
func OpenPage(store *approval.Store, now func() time.Time) (*Page, error) {
	lis, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // it returns at once
	if err != nil {
		return nil, fault.New(fault.Unavailable, "no_port", "listen on the loopback address: %w", err)
	}
	return &Page{
		store: store, now: now, lis: lis, host: lis.Addr().String(), others: otherUsers, links: map[[sha256.Size]byte]ticket{}, done: make(chan struct{}),
	}, nil
}

// Close stops listening.
func (p *Page) Close() error { return p.lis.Close() }

// Link makes a new link, which opens the page once within limits.PageLife. It is a
// secret: it belongs on a terminal or in a notification, and never in the result of
// a tool, a log or a file. via is how the person came by it, and what a decision on
// the page will be recorded with.
func (p *Page) Link(via approval.Via) string {
	return "http://" + p.host + "/a/" + p.ticket(via, false)
}

func (p *Page) ticket(via approval.Via, decide bool) string {
	secret := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	for k, t := range p.links { // those of long ago
		if now.After(t.until) {
			delete(p.links, k)
		}
	}
	p.links[sha256.Sum256([]byte(secret))] = ticket{via, now.Add(limits.PageLife), decide}
	return secret
}

// use takes a secret, which is good once. Looking for its digest tells nobody by the
// time it takes how much of a guess was right.
func (p *Page) use(secret string, decide bool) (ticket, bool) {
	key := sha256.Sum256([]byte(secret))
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.links[key]
	if !ok || t.decide != decide {
		return ticket{}, false
	}
	delete(p.links, key)
	return t, !p.now().After(t.until)
}

// Serve answers until ctx ends or limits.PageLife is over, and where once is said
// until nothing waits any more after a decision.
func (p *Page) Serve(ctx context.Context, once bool) error {
	s := &http.Server{
		Handler: p, ReadTimeout: limits.PageTime, WriteTimeout: limits.PageTime, IdleTimeout: limits.PageTime, MaxHeaderBytes: limits.PageRequest,
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(p.lis) }()
	var done <-chan struct{}
	var over <-chan time.Time
	if once {
		done = p.done
		t := time.NewTimer(limits.PageLife)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-ctx.Done():
	case <-done:
	case <-over:
	case err := <-ended:
		if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fault.New(fault.Unavailable, "page", "the page ended: %w", err)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // for the answer that is on its way
	defer cancel()
	if s.Shutdown(last) != nil {
		return s.Close()
	}
	return nil
}

// ServeHTTP answers two requests: a link, and a form of the page that it opened.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy":      "default-src 'none'; style-src '" + styleDigest() + "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Frame-Options":              "DENY",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "same-origin", // "no-referrer" would make the origin of a form "null"
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
		"Content-Type":                 "text/html; charset=utf-8",
	} {
		h.Set(name, value)
	}
	if !p.ours(r) {
		refuse(w, "This page is opened by its link alone.")
		return
	}
	if p.others(r.RemoteAddr, p.host) {
		refuse(w, "This page answers programs of its own user alone. Decide at a terminal: patch-git approve")
		return
	}
	secret, isLink := strings.CutPrefix(r.URL.Path, "/a/")
	switch {
	case isLink && r.Method == http.MethodGet:
		t, ok := p.use(secret, false)
		if !ok {
			refuse(w, "This link was used already, or is too old. Ask for another one: patch-git approve --page")
			return
		}
		p.show(w, t.via, "")
	case r.URL.Path == "/decide" && r.Method == http.MethodPost:
		p.decide(w, r)
	default:
		refuse(w, "There is nothing here.")
	}
}

// ours tells whether a browser of this machine asks by the address that was opened,
// from no other site, not in a frame, and not ahead of its person. A browser says
// where a request comes from; what is no browser says nothing, and needs the secret
// all the same.
func (p *Page) ours(r *http.Request) bool {
	get := r.Header.Get
	if r.Host != p.host || get("Sec-Purpose") != "" || get("Purpose") != "" || get("X-Moz") != "" {
		return false
	}
	if dest := get("Sec-Fetch-Dest"); dest != "" && dest != "document" {
		return false
	}
	site := get("Sec-Fetch-Site")
	if r.Method == http.MethodPost {
		return get("Origin") == "http://"+p.host && (site == "" || site == "same-origin")
	}
	return (site == "" || site == "none" || site == "same-origin") && get("Origin") == ""
}

// decide takes the answer of a form, and shows what else waits.
func (p *Page) decide(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, limits.PageRequest)
	if err := r.ParseForm(); err != nil {
		refuse(w, "The form cannot be read.")
		return
	}
	form := r.PostForm
	t, ok := p.use(form.Get("token"), true)
	answer := form.Get("answer")
	if !ok || answer != "yes" && answer != "no" {
		refuse(w, "This form was used already, or is too old. Ask for another link: patch-git approve --page")
		return
	}
	id, err := approval.ParseID(form.Get("id"))
	if err == nil {
		_, err = p.store.Decide(r.Context(), id, answer == "yes", t.via, answer == "yes" && form.Get("remember") == "yes")
	}
	said := map[string]string{"yes": "You said yes: it can run once now. Tell the AI host to go on.", "no": "You said no."}[answer]
	if err != nil {
		said = "Nothing was decided: " + err.Error()
	}
	if left := p.show(w, t.via, said); !left {
		p.mu.Lock()
		defer p.mu.Unlock()
		select {
		case <-p.done:
		default:
			close(p.done)
		}
	}
}
