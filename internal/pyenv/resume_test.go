package pyenv

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// hatch is a server of one file, which answers as it is told and remembers what
// it was asked.
type hatch struct {
	*httptest.Server
	content []byte
	answer  func(w http.ResponseWriter, r *http.Request, content []byte)

	mu    sync.Mutex
	asked []string // "range if-range"
}

func newHatch(t *testing.T, size int) (*hatch, ledger.Wheel) {
	t.Helper()
	h := &hatch{}
	for i := 0; len(h.content) < size; i++ { // no part of it is like another
		h.content = fmt.Appendf(h.content, "%015d\n", i)
	}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.asked = append(h.asked, strings.TrimSpace(r.Header.Get("Range")+" "+r.Header.Get("If-Range")))
		answer := h.answer
		h.mu.Unlock()
		answer(w, r, h.content)
	}))
	t.Cleanup(h.Close)
	return h, ledger.Wheel{Name: "a", Version: "1", File: "a-1-py3-none-any.whl", URL: h.URL + "/a.whl", SHA256: spec.DigestOf(h.content), Size: int64(len(h.content))}
}

// honest serves ranges as a server should.
func honest(tag string) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}

// ignorant serves the whole, whatever was asked.
func ignorant(w http.ResponseWriter, _ *http.Request, content []byte) { _, _ = w.Write(content) }

// ranged answers 206 with a Content-Range and a body of the test's own.
func ranged(field string, body func(content []byte) []byte) func(http.ResponseWriter, *http.Request, []byte) {
	return func(w http.ResponseWriter, r *http.Request, content []byte) {
		if r.Header.Get("Range") == "" {
			_, _ = w.Write(content)
			return
		}
		w.Header().Set("Content-Range", field)
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(body(content))
	}
}

// What was there when the download was broken off is not asked for again,
// whatever the server makes of that, and in the end the file is right.
func TestResume(t *testing.T) {
	const size, had = 160_000, 100_000
	rest := func(content []byte) []byte { return content[had:] }
	good := fmt.Sprintf("bytes=%d-", had)
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request, []byte)
		spoilt bool // what is there is not the beginning of the file
		tag    string
		asked  []string
	}{
		"range":                {answer: honest(""), asked: []string{good}},
		"range with its tag":   {answer: honest(`"v1"`), tag: `"v1"`, asked: []string{good + ` "v1"`}},
		"another file now":     {answer: honest(`"v2"`), tag: `"v1"`, spoilt: true, asked: []string{good + ` "v1"`}},
		"length unknown":       {answer: ranged(fmt.Sprintf("bytes %d-%d/*", had, size-1), rest), asked: []string{good}},
		"no ranges":            {answer: ignorant, asked: []string{good}},
		"spoilt":               {answer: honest(""), spoilt: true, asked: []string{good, ""}},
		"lies about the place": {answer: ranged(fmt.Sprintf("bytes %d-%d/%d", had, size-1, size), func(c []byte) []byte { return c[:size-had] }), asked: []string{good, ""}},
		"another part":         {answer: ranged(fmt.Sprintf("bytes 0-%d/%d", size-1, size), func(c []byte) []byte { return c }), asked: []string{good, ""}},
		"another length":       {answer: ranged(fmt.Sprintf("bytes %d-%d/%d", had, size-1, size), func(c []byte) []byte { return c[:10] }), asked: []string{good, ""}},
		"no such part": {answer: func(w http.ResponseWriter, r *http.Request, c []byte) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			_, _ = w.Write(c)
		}, asked: []string{good, ""}},
		"weak tag": {answer: honest(""), tag: `W/"v1"`, asked: []string{good}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, wheel := newHatch(t, size)
			h.answer = tt.answer
			f := fetching(t)
			before := bytes.Clone(h.content[:had])
			if tt.spoilt {
				before[5] ^= 1
			}
			stem := filepath.Join(f.dir, wheel.SHA256.Hex())
			if err := os.WriteFile(stem+".part", before, 0o600); err != nil {
				t.Fatal(err)
			}
			if tt.tag != "" {
				if err := os.WriteFile(stem+".etag", []byte(spec.DigestOf([]byte(wheel.URL)).Hex()+"\n"+tt.tag), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := f.take(t, wheel); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(h.asked) != fmt.Sprint(tt.asked) {
				t.Errorf("got requests %q, want %q", h.asked, tt.asked)
			}
			got, err := os.ReadFile(stem + ".whl")
			if err != nil || !bytes.Equal(got, h.content) {
				t.Errorf("got %d bytes, %v, want the file", len(got), err)
			}
			if f.done != wheel.Size {
				t.Errorf("got %d bytes reported, want %d", f.done, wheel.Size)
			}
			left, _ := filepath.Glob(filepath.Join(f.dir, "*.[pe]*"))
			if len(left) != 0 {
				t.Errorf("got %v left behind", left)
			}
		})
	}
}

// Two sources cannot spoil each other: what a bad one sent is thrown away when
// the whole is wrong, and only then is the good one asked for all of it.
func TestResumeOtherSource(t *testing.T) {
	good, wheel := newHatch(t, 64_000)
	good.answer = honest(`"v1"`)
	bad, _ := newHatch(t, 64_000)
	bad.answer = func(w http.ResponseWriter, _ *http.Request, content []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Header().Set("ETag", `"v1"`) // the same tag, and another file
		_, _ = w.Write(bytes.Repeat([]byte("x"), 1000))
	}
	f := fetching(t)
	f.mirrors = []string{bad.URL}
	if err := f.take(t, wheel); err != nil {
		t.Fatal(err)
	}
	if want := []string{"bytes=1000-", ""}; fmt.Sprint(good.asked) != fmt.Sprint(want) {
		t.Errorf("got requests %q, want %q", good.asked, want)
	}
	// Where nobody has the right bytes, that is the answer, and nothing stays.
	bad.answer = ignorant
	other := wheel
	other.SHA256 = spec.DigestOf([]byte("another"))
	if err := f.take(t, other); fault.ReasonOf(err) != "wheel_digest" {
		t.Errorf("got %v, want wheel_digest", err)
	}
	if left, _ := filepath.Glob(filepath.Join(f.dir, "*.part")); len(left) != 0 {
		t.Errorf("got %v left behind", left)
	}
}

// A download that was broken off stays as far as it came, for the next time.
func TestResumeAfterCancel(t *testing.T) {
	h, wheel := newHatch(t, 640_000)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.answer = func(w http.ResponseWriter, r *http.Request, content []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content[:320_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	f := fetching(t)
	f.told = func(p Progress) {
		if p.Done >= 300_000 {
			cancel()
		}
	}
	if _, err := f.one(ctx, wheel); fault.KindOf(err) != fault.Interrupted {
		t.Errorf("got %v, want it interrupted", err)
	}
	info, err := os.Stat(filepath.Join(f.dir, wheel.SHA256.Hex()+".part"))
	if err != nil || info.Size() < 300_000 {
		t.Fatalf("got %v, %v, want what has come kept", info, err)
	}
	h.answer, f.told = honest(""), nil
	if err := f.take(t, wheel); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("bytes=%d-", info.Size()); h.asked[1] != want {
		t.Errorf("got request %q, want %q", h.asked[1], want)
	}
}

// Killed while bytes come, again and again, a download comes to its end, and
// goes on each time where it was.
func TestResumeKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h, wheel := newHatch(t, 4*limits.MiB)
	h.mu.Lock() // who asks is another process
	h.answer = honest("")
	h.mu.Unlock()
	dir := t.TempDir()
	kills := 0
	for ; ; kills++ {
		if kills > 100 {
			t.Fatal("the download never came to its end")
		}
		text, err := json.Marshal(victim{Root: dir, Step: 4, Closure: ledger.Closure{Targets: map[string][]ledger.Wheel{"": {wheel}}}})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), victimVariable+"="+string(text))
		out, err := cmd.CombinedOutput()
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the victim said %v: %s", err, out)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, wheel.SHA256.Hex()+".whl"))
	if err != nil || !bytes.Equal(got, h.content) {
		t.Errorf("got %d bytes, %v, want the file", len(got), err)
	}
	at := 0
	for i, ask := range h.asked[1:] {
		var from int
		if n, _ := fmt.Sscanf(ask, "bytes=%d-", &from); n != 1 || from <= at {
			t.Errorf("request %d: got %q after %d, want it to go on from further", i+1, ask, at)
		}
		at = from
	}
	if kills < 2 {
		t.Errorf("got %d kills, want some", kills)
	}
}

func FuzzContinues(f *testing.F) {
	f.Add("bytes 5-9/10", int64(5), int64(10))
	f.Add("bytes 5-9/*", int64(5), int64(10))
	f.Add("bytes 0-9/10", int64(5), int64(10))
	f.Fuzz(func(t *testing.T, field string, from, size int64) {
		if !continues(field, from, size) {
			return
		}
		var a, b int64
		var total string
		if n, err := fmt.Sscanf(field, "bytes %d-%d/%s", &a, &b, &total); n != 3 || err != nil || a != from || b != size-1 {
			t.Errorf("%q is taken for %d to the end of %d", field, from, size)
		}
	})
}
