package person_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/spec"
)

// booth is a page with something that waits, and a browser.
type booth struct {
	*person.Page
	t       *testing.T
	store   *approval.Store
	link    string
	host    string
	entry   approval.Entry
	elapsed atomic.Int64
	served  chan error
}

func newBooth(t *testing.T) *booth {
	t.Helper()
	b := &booth{t: t, served: make(chan error, 1)}
	now := func() time.Time {
		return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).Add(time.Duration(b.elapsed.Load()))
	}
	b.store = approval.Open(paths.Paths{Root: t.TempDir()}, now)
	b.store.Wait = limits.ApprovalLongest // longer than a link
	var err error
	if b.entry, err = b.store.Hold(t.Context(), approval.Action{
		Tool:   spec.Ref{Name: "send_mail", Version: "1.0.0", Digest: spec.DigestOf([]byte("release"))},
		Source: spec.DigestOf([]byte("source")), Session: "s1", Client: `"><img src=x>`,
		Arguments: json.RawMessage(`{"body":"<script>alert(1)</script>\u202e</dd>","to":"bob@example.com"}`),
		Reasons:   []approval.Reason{{Kind: approval.KindTainted, Text: "to is from <b>r1</b>", Input: "to", Path: "/to", Value: "bob@example.com"}},
	}); err != nil {
		t.Fatal(err)
	}
	if b.Page, err = person.OpenPage(b.store, now); err != nil {
		t.Fatal(err)
	}
	b.link = b.Link(approval.ViaPage)
	u, err := url.Parse(b.link)
	if err != nil {
		t.Fatal(err)
	}
	b.host = u.Host
	ctx, cancel := context.WithCancel(context.Background())
	go func() { b.served <- b.Serve(ctx, true) }()
	t.Cleanup(func() {
		cancel()
		if err := <-b.served; err != nil {
			t.Error(err)
		}
	})
	return b
}

// ask sends a request as a browser does, but for what change does to it.
func (b *booth) ask(method, address string, form url.Values, change func(*http.Request)) (int, string, http.Header) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "none")
	r.Header.Set("Sec-Fetch-Dest", "document")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+b.host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if change != nil {
		change(r)
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.StatusCode, string(body), res.Header
}

var hiddenField = regexp.MustCompile(`name="token" value="([A-Z2-7]+)"`)

// open follows the link and returns the form's values.
func (b *booth) open() url.Values {
	b.t.Helper()
	code, body, _ := b.ask(http.MethodGet, b.link, nil, nil)
	m := hiddenField.FindStringSubmatch(body)
	if code != http.StatusOK || m == nil {
		b.t.Fatalf("%d\n%s", code, body)
	}
	return url.Values{"token": {m[1]}, "id": {string(b.entry.ID)}, "answer": {"yes"}}
}

func (b *booth) state(want approval.State) {
	b.t.Helper()
	e, err := b.store.Get(b.entry.ID)
	if err != nil || e.State != want {
		b.t.Errorf("it is %q, %v, want %q", e.State, err, want)
	}
}

func (b *booth) decide() string { return "http://" + b.host + "/decide" }

// TestPage: what a person sees, and a yes that is theirs.
func TestPage(t *testing.T) {
	b := newBooth(t)
	code, body, header := b.ask(http.MethodGet, b.link, nil, nil)
	if code != http.StatusOK {
		t.Fatalf("%d\n%s", code, body)
	}
	for _, want := range []string{
		"send_mail@1.0.0 wants to run", "to is from &lt;b&gt;r1&lt;/b&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;\\u{202E}&lt;/dd&gt;", "bob@example.com", "&lt;img src=x&gt;",
		`value="no" autofocus>No<`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s\n%s", want, body)
		}
	}
	if strings.Contains(body, "<script") || strings.Contains(body, "<img") || strings.Contains(body, "<b>") || strings.Index(body, `value="no"`) > strings.Index(body, `value="yes">Let`) {
		t.Errorf("foreign text is markup, or yes comes first\n%s", body)
	}
	for name, want := range map[string]string{
		"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Set-Cookie": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if csp := header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") {
		t.Errorf("the policy is %q", csp)
	}
	b.state(approval.Pending)
	form := url.Values{"token": {hiddenField.FindStringSubmatch(body)[1]}, "id": {string(b.entry.ID)}, "answer": {"yes"}, "remember": {"yes"}}
	if code, body, _ = b.ask(http.MethodPost, b.decide(), form, nil); code != http.StatusOK || !strings.Contains(body, "You said yes") {
		t.Fatalf("%d\n%s", code, body)
	}
	b.state(approval.Approved)
	if e, err := b.store.Get(b.entry.ID); err != nil || e.Via != approval.ViaPage {
		t.Errorf("%+v, %v", e, err)
	}
	a := b.entry.Action
	if _, ok := b.store.Recall(a.Tool, a.Source, "to", "bob@example.com"); !ok {
		t.Error("it is not remembered")
	}
	if err := <-b.served; err != nil { // nothing waits any more
		t.Error(err)
	}
	b.served <- nil
}

// TestPageNamesTheAction: of a tool that has several it is said which one is decided about.
func TestPageNamesTheAction(t *testing.T) {
	b := newBooth(t)
	other := b.entry.Action
	other.Operation = "draft"
	if _, err := b.store.Hold(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	_, body, _ := b.ask(http.MethodGet, b.link, nil, nil)
	for _, want := range []string{"<h2>send_mail@1.0.0 wants to run</h2>", "<h2>send_mail@1.0.0 draft wants to run</h2>"} {
		if strings.Count(body, want) != 1 {
			t.Errorf("the page lacks %s\n%s", want, body)
		}
	}
}

// TestPageNo: the other button.
func TestPageNo(t *testing.T) {
	b := newBooth(t)
	form := b.open()
	form.Set("answer", "no")
	if code, body, _ := b.ask(http.MethodPost, b.decide(), form, nil); code != http.StatusOK || !strings.Contains(body, "You said no") {
		t.Fatalf("%d\n%s", code, body)
	}
	b.state(approval.Denied)
}

// TestLinkRefused: each attack leaves the link as good as it was, but one that has it.
func TestLinkRefused(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for name, change := range map[string]func(*http.Request){
		"another name for this address": func(r *http.Request) { r.Host = strings.Replace(r.Host, "127.0.0.1", "localhost", 1) },
		"a name that was bound anew":    func(r *http.Request) { r.Host = "evil.example" },
		"no port":                       func(r *http.Request) { r.Host = "127.0.0.1" },
		"a link on a site":              header("Sec-Fetch-Site", "cross-site"),
		"a port beside it":              header("Sec-Fetch-Site", "same-site"),
		"a frame":                       header("Sec-Fetch-Dest", "iframe"),
		"a script's":                    header("Sec-Fetch-Dest", "empty"),
		"an origin":                     header("Origin", "http://evil.example"),
		"a browser that looks ahead":    header("Sec-Purpose", "prefetch;prerender"),
		"another method":                func(r *http.Request) { r.Method = http.MethodHead },
		"a guess":                       func(r *http.Request) { r.URL.Path = "/a/" + strings.Repeat("A", 26) },
		"no secret":                     func(r *http.Request) { r.URL.Path = "/a/" },
		"nothing":                       func(r *http.Request) { r.URL.Path = "/" },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooth(t)
			if code, body, _ := b.ask(http.MethodGet, b.link, nil, change); code != http.StatusForbidden || strings.Contains(body, "send_mail") {
				t.Errorf("%d\n%s", code, body)
			}
			b.open() // the twin
			// Who comes second finds nothing.
			if code, body, _ := b.ask(http.MethodGet, b.link, nil, nil); code != http.StatusForbidden || strings.Contains(body, "send_mail") {
				t.Errorf("the second time: %d\n%s", code, body)
			}
		})
	}
	b := newBooth(t)
	b.elapsed.Store(int64(limits.PageLife + time.Second))
	if code, _, _ := b.ask(http.MethodGet, b.link, nil, nil); code != http.StatusForbidden {
		t.Errorf("an old link: %d", code)
	}
}

// TestFormRefused: nothing is decided by another site, by a guess, or twice.
func TestFormRefused(t *testing.T) {
	for name, c := range map[string]struct {
		request func(*http.Request)
		form    func(*booth, url.Values)
	}{
		"another site": {request: func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }},
		"a file":       {request: func(r *http.Request) { r.Header.Set("Origin", "null") }},
		"no origin":    {request: func(r *http.Request) { r.Header.Del("Origin") }},
		"another port": {request: func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }},
		"cross-site":   {request: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"another name": {request: func(r *http.Request) { r.Host = "evil.example" }},
		"another path": {request: func(r *http.Request) { r.URL.Path = "/decide/" }},
		"no token":     {form: func(_ *booth, f url.Values) { f.Del("token") }},
		"a guess":      {form: func(_ *booth, f url.Values) { f.Set("token", strings.Repeat("A", 26)) }},
		"a link's secret": {form: func(b *booth, f url.Values) {
			f.Set("token", b.Link(approval.ViaPage)[strings.LastIndexByte(b.link, '/')+1:])
		}},
		"no answer":         {form: func(_ *booth, f url.Values) { f.Del("answer") }},
		"an odd answer":     {form: func(_ *booth, f url.Values) { f.Set("answer", "Yes") }},
		"too much":          {form: func(_ *booth, f url.Values) { f.Set("x", strings.Repeat("x", limits.PageRequest)) }},
		"in the address":    {request: func(r *http.Request) { r.URL.RawQuery = r.URL.RawQuery + "answer=yes" }, form: func(_ *booth, f url.Values) { f.Del("answer") }},
		"by another method": {request: func(r *http.Request) { r.Method = http.MethodPut }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooth(t)
			form := b.open()
			if c.form != nil {
				c.form(b, form)
			}
			if code, body, _ := b.ask(http.MethodPost, b.decide(), form, c.request); code != http.StatusForbidden {
				t.Errorf("%d\n%s", code, body)
			}
			b.state(approval.Pending)
		})
	}
	b := newBooth(t)
	form := b.open()
	form.Set("id", "aaaaaaaaaaaaaaaa") // of another action: the token is used up
	if code, body, _ := b.ask(http.MethodPost, b.decide(), form, nil); code != http.StatusOK || !strings.Contains(body, "Nothing was decided") {
		t.Errorf("%d\n%s", code, body)
	}
	b.state(approval.Pending)
	form.Set("id", string(b.entry.ID))
	if code, _, _ := b.ask(http.MethodPost, b.decide(), form, nil); code != http.StatusForbidden {
		t.Errorf("a token is good twice: %d", code)
	}
	b.state(approval.Pending)
}
