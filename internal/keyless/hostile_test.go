package keyless_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"github.com/digitorus/timestamp"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sigtest"
	"github.com/patch-cat/patch-git/verify"
)

const (
	fulcioPath  = "/api/v2/signingCert"
	stampPath   = "/api/v1/timestamp"
	rekorPath   = "/api/v2/log/entries"
	rekorV1Path = "/api/v1/log/entries"
)

// meddler stands between the signer and one service.
type meddler struct {
	path  string
	query func(honest []byte) []byte // what the service is asked instead
	reply func(honest []byte) []byte // what the signer reads instead
	seen  []byte                     // the last honest answer
}

func (m *meddler) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != m.path {
		return http.DefaultTransport.RoundTrip(r)
	}
	query, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if m.query != nil {
		query = m.query(query)
	}
	r = r.Clone(r.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(query)), int64(len(query))
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if m.seen, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	b := m.seen
	if m.reply != nil {
		b = m.reply(b)
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
	return resp, nil
}

func always(answer string) func([]byte) []byte {
	return func([]byte) []byte { return []byte(answer) }
}

// padded is an honest answer and then 10 MB that say nothing.
func padded(b []byte) []byte {
	return append(bytes.Clone(b), bytes.Repeat([]byte(" "), 10<<20)...)
}

func replaced(from, to string) func([]byte) []byte {
	return func(b []byte) []byte {
		if !bytes.Contains(b, []byte(from)) {
			panic("the answer has no " + from)
		}
		return bytes.Replace(b, []byte(from), []byte(to), 1)
	}
}

// stampQuery asks for another timestamp.
func stampQuery(change func(*timestamp.Request)) func([]byte) []byte {
	return func(b []byte) []byte {
		q, err := timestamp.ParseRequest(b)
		if err != nil {
			panic(err)
		}
		change(q)
		if b, err = q.Marshal(); err != nil {
			panic(err)
		}
		return b
	}
}

// entryV1 changes the one entry that a log of version 1 answers with.
func entryV1(change func(entry, proof map[string]any)) func([]byte) []byte {
	return func(b []byte) []byte {
		var doc map[string]map[string]any
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber() // the indexes are large
		if err := d.Decode(&doc); err != nil {
			panic(err)
		}
		for _, e := range doc {
			change(e, e["verification"].(map[string]any)["inclusionProof"].(map[string]any))
		}
		b, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		return b
	}
}

func fulcioSays(certificate string) func([]byte) []byte {
	text, err := json.Marshal(certificate)
	if err != nil {
		panic(err)
	}
	return always(`{"signedCertificateEmbeddedSct":{"chain":{"certificates":[` + string(text) + `]}}}`)
}

// hostility is one answer of a service that is none to what it was asked.
type hostility struct {
	path         string
	query, reply func([]byte) []byte
	replay       bool // what it said to somebody else before
	kind         fault.Kind
	reason       verify.Reason
	requests     int // to this service; one that is out of order is asked again
}

func nonsense(path string, reply func([]byte) []byte) hostility {
	return hostility{path: path, reply: reply, kind: fault.Unavailable, reason: "signing_service", requests: 4}
}

func untrue(path string, reason verify.Reason, reply func([]byte) []byte) hostility {
	return hostility{path: path, reply: reply, kind: fault.NotVerified, reason: reason, requests: 1}
}

func astray(path string, reason verify.Reason, query func([]byte) []byte) hostility {
	return hostility{path: path, query: query, kind: fault.NotVerified, reason: reason, requests: 1}
}

func replay(path string, reason verify.Reason) hostility {
	return hostility{path: path, replay: true, kind: fault.NotVerified, reason: reason, requests: 1}
}

var hostilities = map[string]hostility{
	"fulcio: nothing":                     nonsense(fulcioPath, always("")),
	"fulcio: no JSON":                     nonsense(fulcioPath, always("\x1b[2J<html>")),
	"fulcio: no certificate":              nonsense(fulcioPath, always(`{"signedCertificateEmbeddedSct":{"chain":{"certificates":[]}}}`)),
	"fulcio: null":                        nonsense(fulcioPath, always(`null`)),
	"fulcio: not PEM":                     nonsense(fulcioPath, fulcioSays("\x1b[2J")),
	"fulcio: PEM of something else":       nonsense(fulcioPath, replaced("BEGIN CERTIFICATE", "BEGIN PUBLIC KEY")),
	"fulcio: PEM of no certificate":       nonsense(fulcioPath, fulcioSays("-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n")),
	"fulcio: 10 MB":                       nonsense(fulcioPath, padded),
	"fulcio: a certificate of before":     replay(fulcioPath, verify.ReasonCertificate),
	"fulcio: the proof apart":             untrue(fulcioPath, verify.ReasonCertificate, replaced("EmbeddedSct", "DetachedSct")),
	"tsa: nothing":                        nonsense(stampPath, always("")),
	"tsa: garbage":                        nonsense(stampPath, always("\x1b[2J<html>")),
	"tsa: a no":                           nonsense(stampPath, always("\x30\x05\x30\x03\x02\x01\x02")),
	"tsa: a yes without a timestamp":      nonsense(stampPath, always("\x30\x05\x30\x03\x02\x01\x00")),
	"tsa: cut short":                      nonsense(stampPath, func(b []byte) []byte { return b[:len(b)-20] }),
	"tsa: a broken signature":             nonsense(stampPath, func(b []byte) []byte { b = bytes.Clone(b); b[len(b)-1] ^= 1; return b }),
	"tsa: 10 MB":                          nonsense(stampPath, always(strings.Repeat("\x30", 10<<20))),
	"tsa: a timestamp of before":          replay(stampPath, verify.ReasonTime),
	"tsa: about something else":           astray(stampPath, verify.ReasonTime, stampQuery(func(q *timestamp.Request) { q.HashedMessage[0] ^= 1 })),
	"tsa: with another nonce":             astray(stampPath, verify.ReasonTime, stampQuery(func(q *timestamp.Request) { q.Nonce.Add(q.Nonce, big.NewInt(1)) })),
	"tsa: without a nonce":                astray(stampPath, verify.ReasonTime, stampQuery(func(q *timestamp.Request) { q.Nonce = nil })),
	"rekor: nothing":                      nonsense(rekorPath, always("")),
	"rekor: no JSON":                      nonsense(rekorPath, always("\x1b[2J<html>")),
	"rekor: another document":             nonsense(rekorPath, always(`[{"logIndex":"1"}]`)),
	"rekor: 10 MB":                        nonsense(rekorPath, padded),
	"rekor: an empty document":            untrue(rekorPath, verify.ReasonLog, always(`{}`)),
	"rekor: an entry of before":           replay(rekorPath, verify.ReasonLog),
	"rekor v1: nothing":                   nonsense(rekorV1Path, always("")),
	"rekor v1: no JSON":                   nonsense(rekorV1Path, always("\x1b[2J<html>")),
	"rekor v1: no entry":                  nonsense(rekorV1Path, always("{}")),
	"rekor v1: null":                      nonsense(rekorV1Path, always("null")),
	"rekor v1: an empty entry":            nonsense(rekorV1Path, always(`{"24296fb2":{}}`)),
	"rekor v1: two entries":               nonsense(rekorV1Path, replaced(`{"`, `{"24296fb2":{},"`)),
	"rekor v1: 10 MB":                     nonsense(rekorV1Path, padded),
	"rekor v1: half a byte":               nonsense(rekorV1Path, entryV1(func(e, _ map[string]any) { e["logID"] = e["logID"].(string)[1:] })),
	"rekor v1: a root that is not hex":    nonsense(rekorV1Path, entryV1(func(_, p map[string]any) { p["rootHash"] = "\x1b[2J" })),
	"rekor v1: a hash that is not hex":    nonsense(rekorV1Path, entryV1(func(_, p map[string]any) { p["hashes"] = []any{"xy"} })),
	"rekor v1: a body that is not base64": nonsense(rekorV1Path, entryV1(func(e, _ map[string]any) { e["body"] = "?" })),
	"rekor v1: a body that is not JSON":   nonsense(rekorV1Path, entryV1(func(e, _ map[string]any) { e["body"] = "AAAA" })),
	"rekor v1: no checkpoint":             nonsense(rekorV1Path, entryV1(func(_, p map[string]any) { delete(p, "checkpoint") })),
	"rekor v1: no promise":                nonsense(rekorV1Path, entryV1(func(e, _ map[string]any) { delete(e["verification"].(map[string]any), "signedEntryTimestamp") })),
	"rekor v1: an entry of before":        replay(rekorV1Path, verify.ReasonLog),
	"rekor v1: another kind of entry": untrue(rekorV1Path, verify.ReasonLog, entryV1(func(e, _ map[string]any) {
		e["body"] = base64.StdEncoding.EncodeToString([]byte(`{"kind":"\u001b[2J","apiVersion":"0.0.1"}`))
	})),
	"rekor v1: another time":          untrue(rekorV1Path, verify.ReasonLog, entryV1(func(e, _ map[string]any) { e["integratedTime"] = 1 })),
	"rekor v1: the index of the tree": untrue(rekorV1Path, verify.ReasonLog, entryV1(func(e, p map[string]any) { e["logIndex"] = p["logIndex"] })),
	"rekor v1: the index of the log":  untrue(rekorV1Path, verify.ReasonLog, entryV1(func(e, p map[string]any) { p["logIndex"] = e["logIndex"] })),
}

// TestHostileAnswers: a service that answers something else than it was asked
// makes no bundle, and those that are asked after it are not asked at all. Each
// has a twin: the same job with nobody in between.
func TestHostileAnswers(t *testing.T) {
	order := []string{sigtest.ServiceToken, sigtest.ServiceFulcio, sigtest.ServiceTSA, sigtest.ServiceRekor}
	at := map[string]int{fulcioPath: 1, stampPath: 2, rekorPath: 3, rekorV1Path: 3}
	for name, h := range hostilities {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, sigtest.GitHub("acme", "tools"))
			m := &meddler{path: h.path}
			j.opts.HTTP = &http.Client{Transport: m}
			if h.path == rekorV1Path {
				j.opts.Config = j.server.SigningConfigV1
			}
			b, err := j.workflow(t).Sign(t.Context(), statement())
			if err != nil {
				t.Fatalf("before: %v", err)
			}
			j.accepts(b)
			before := map[string]int{}
			for _, s := range order {
				before[s] = j.server.Requests(s)
			}

			m.query, m.reply = h.query, h.reply
			if h.replay {
				m.reply = always(string(m.seen))
			}
			b, err = j.workflow(t).Sign(t.Context(), statement())
			if b != nil || fault.KindOf(err) != h.kind || fault.ReasonOf(err) != string(h.reason) {
				t.Errorf("got %d bytes, %v (%v, %q), want %v, %q", len(b), err, fault.KindOf(err), fault.ReasonOf(err), h.kind, h.reason)
			}
			if err != nil && (len(err.Error()) > 1000 || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r > '~' && r != '…' })) {
				t.Errorf("the message echoes foreign text: %q", err)
			}
			for i, s := range order {
				want := h.requests
				if i > at[h.path] {
					want = 0
				}
				if got := j.server.Requests(s) - before[s]; got != want {
					t.Errorf("%s was asked %d times, not %d", s, got, want)
				}
			}

			m.query, m.reply = nil, nil
			if b, err = j.workflow(t).Sign(t.Context(), statement()); err != nil {
				t.Fatalf("its twin: %v", err)
			}
			j.accepts(b)
		})
	}
}

// TestConflict: a log that has the entry already gets one of another key.
func TestConflict(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	for i, config := range [][]byte{j.server.SigningConfig, j.server.SigningConfigV1} {
		j.opts.Config = config
		j.server.FailNext(sigtest.ServiceRekor, 1, http.StatusConflict)
		b, err := j.workflow(t).Sign(t.Context(), statement())
		if err != nil {
			t.Fatal(err)
		}
		j.accepts(b)
		if got, want := j.server.Requests(sigtest.ServiceFulcio), 2*(i+1); got != want {
			t.Errorf("there were %d certificates, not %d", got, want)
		}
	}
}

// TestRedirect: nobody but the service that was configured gets the token.
func TestRedirect(t *testing.T) {
	j := newJob(t, sigtest.GitHub("acme", "tools"))
	hosts := map[string]int{}
	j.opts.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		hosts[r.URL.Host]++
		return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"http://evil.test/"}}, Body: http.NoBody, Request: r}, nil
	})}
	if b, err := j.workflow(t).Sign(t.Context(), statement()); b != nil || fault.KindOf(err) != fault.Unavailable {
		t.Errorf("got %d bytes, %v", len(b), err)
	}
	if len(hosts) != 1 || hosts["evil.test"] != 0 {
		t.Errorf("asked were %v", hosts)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
