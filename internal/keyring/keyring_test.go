package keyring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	zalando "github.com/zalando/go-keyring"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

const canary = "s3cr3t-canary-5f1e"

// fakeRing is a keyring of a system: it holds values, or hangs, or fails with words
// that quote the value, as some do.
type fakeRing struct {
	mu    sync.Mutex
	items map[string]string
	hang  chan struct{}
	fail  bool
}

func (f *fakeRing) wait() {
	if f.hang != nil {
		<-f.hang
	}
}

func (f *fakeRing) Get(service, user string) (string, error) {
	f.wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := f.items[service+"\x00"+user]
	switch {
	case f.fail:
		return "", errors.New("no access to " + canary)
	case !ok:
		return "", zalando.ErrNotFound
	}
	return v, nil
}

func (f *fakeRing) Set(service, user, value string) error {
	f.wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail {
		return errors.New("cannot keep " + value)
	}
	f.items[service+"\x00"+user] = value
	return nil
}

func (f *fakeRing) Delete(service, user string) error {
	f.wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.items[service+"\x00"+user]; !ok {
		return zalando.ErrNotFound
	}
	delete(f.items, service+"\x00"+user)
	return nil
}

func newFake(t *testing.T) (*system, *fakeRing) {
	ring := &fakeRing{items: map[string]string{}}
	return &system{names: drawer{filepath.Join(t.TempDir(), "secrets"), namesFile}, service: "test", within: 5 * time.Second, ring: ring}, ring
}

// TestConformance: every store keeps the same promises.
func TestConformance(t *testing.T) {
	fake, _ := newFake(t)
	for kind, s := range map[Kind]Store{
		KindMemory: Memory(), KindFile: File(filepath.Join(t.TempDir(), "secrets")), KindSystem: fake,
	} {
		t.Run(string(kind), func(t *testing.T) {
			if s.Kind() != kind {
				t.Errorf("it says that it is %s", s.Kind())
			}
			conform(t, s)
		})
	}
}

func conform(t *testing.T, s Store) {
	ctx := context.Background()
	mail, other := Tool{"acme/tools", "mail"}, Tool{"acme/other", "mail"}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	names := func(tool Tool, want string) {
		t.Helper()
		got, err := s.Names(ctx, tool)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("names of %s: %q %v, want %q", tool, got, err, want)
		}
	}
	if _, err := s.Get(ctx, mail, "API_KEY"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("what was never kept: %v", err)
	}
	names(mail, "")
	must(s.Delete(ctx, mail, "API_KEY"))
	must(s.Set(ctx, mail, "TOKEN", NewSecret("line\nbreak \x01 ünï \"quote\"")))
	must(s.Set(ctx, mail, "API_KEY", NewSecret(canary)))
	must(s.Set(ctx, mail, "API_KEY", NewSecret(canary+"2")))
	names(mail, "API_KEY TOKEN")
	names(other, "")
	if _, err := s.Get(ctx, other, "API_KEY"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a tool of another registry is given the value: %v", err)
	}
	for name, want := range map[string]string{"TOKEN": "line\nbreak \x01 ünï \"quote\"", "API_KEY": canary + "2"} {
		if got, err := s.Get(ctx, mail, name); err != nil || got.Reveal() != want {
			t.Errorf("%s is %q, %v", name, got.Reveal(), err)
		}
	}
	must(s.Delete(ctx, mail, "API_KEY"))
	must(s.Delete(ctx, mail, "API_KEY"))
	names(mail, "TOKEN")
	for what, try := range map[string]func() error{
		"a zero byte":  func() error { return s.Set(ctx, mail, "BAD", NewSecret(canary+"\x00")) },
		"nothing":      func() error { return s.Set(ctx, mail, "BAD", Secret{}) },
		"too long":     func() error { return s.Set(ctx, mail, "BAD", NewSecret(canary+strings.Repeat("x", 1<<20))) },
		"a bad name":   func() error { return s.Set(ctx, mail, "../X", NewSecret(canary)) },
		"no tool":      func() error { return s.Set(ctx, Tool{}, "BAD", NewSecret(canary)) },
		"lower letter": func() error { return s.Delete(ctx, mail, "bad") },
	} {
		if err := try(); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", what, err)
		}
	}
	names(mail, "TOKEN")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := s.Set(ctx, mail, fmt.Sprintf("N%d", i), NewSecret("v")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	names(mail, "N0 N1 N2 N3 N4 N5 N6 N7 TOKEN")
}

// TestSecretIsNotPrinted: no way of printing or encoding shows a value.
func TestSecretIsNotPrinted(t *testing.T) {
	s := NewSecret(canary)
	in := struct {
		A Secret            `json:"a"`
		B map[string]Secret `json:"b"`
		C *Secret           `json:"c"`
		d Secret
		e map[string]Secret
	}{s, map[string]Secret{"k": s}, &s, s, map[string]Secret{"k": s}}
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	all := string(data)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T %v"} {
		all += fmt.Sprintf(verb, s) + fmt.Sprintf(verb, in) + fmt.Sprintf(verb, []Secret{s})
	}
	all += fmt.Sprint(errors.New(s.String()), s, &s)
	if strings.Contains(all, canary) || strings.Contains(all, fmt.Sprintf("%x", canary)) {
		t.Errorf("the secret is printed: %s", all)
	}
	if s.Reveal() != canary {
		t.Error("the secret is lost")
	}
}

// TestSystemNeverHangs: a keyring that waits for its person is given up, one that
// fails is not "there is none", and neither says what it was given.
func TestSystemNeverHangs(t *testing.T) {
	ctx, tool := context.Background(), Tool{"acme/tools", "mail"}
	s, ring := newFake(t)
	ring.hang, s.within = make(chan struct{}), 20*time.Millisecond
	defer close(ring.hang)
	for _, try := range []func() error{
		func() error { return s.Set(ctx, tool, "KEY", NewSecret(canary)) },
		func() error { _, err := s.Get(ctx, tool, "KEY"); return err },
		func() error { return s.Delete(ctx, tool, "KEY") },
	} {
		if err := try(); fault.KindOf(err) != fault.Unavailable || strings.Contains(err.Error(), canary) {
			t.Errorf("a keyring that hangs: %v", err)
		}
	}
	failing, ring := newFake(t)
	ring.fail = true
	if err := failing.Set(ctx, tool, "KEY", NewSecret(canary)); fault.KindOf(err) != fault.Unavailable || strings.Contains(err.Error(), canary) {
		t.Errorf("a keyring that fails: %v", err)
	}
	if _, err := failing.Get(ctx, tool, "KEY"); fault.KindOf(err) != fault.Unavailable || strings.Contains(err.Error(), canary) {
		t.Errorf("a keyring that fails: %v", err)
	}
	// The name is there all the same, so that the value can be deleted.
	if names, _ := failing.Names(ctx, tool); len(names) != 1 {
		t.Errorf("names %q", names)
	}
	data, err := os.ReadFile(failing.names.path())
	if err != nil || strings.Contains(string(data), canary) {
		t.Errorf("the list of names holds the value: %s %v", data, err)
	}
}

// TestFileIsPrivate: the file is of mode 0600, and one that is not, or is no file of
// ours, is refused and stays as it is.
func TestFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes")
	}
	ctx, tool := context.Background(), Tool{"acme/tools", "mail"}
	dir := filepath.Join(t.TempDir(), "secrets")
	s, path := File(dir), filepath.Join(dir, valuesFile)
	if err := s.Set(ctx, tool, "KEY", NewSecret(canary)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info.Mode(), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v", info.Mode(), err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func() error{
		"others may read": func() error { return os.Chmod(path, 0o644) },
		"others write":    func() error { return os.Chmod(path, 0o620) },
		"cut short":       func() error { return os.WriteFile(path, good[:len(good)/2], 0o600) },
		"another edition": func() error {
			return os.WriteFile(path, []byte(strings.Replace(string(good), `"schema": 1`, `"schema": 2`, 1)), 0o600)
		},
		"a link": func() error {
			return errors.Join(os.WriteFile(dir+"/elsewhere", good, 0o600), os.Remove(path), os.Symlink("elsewhere", path))
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		for _, try := range []func() error{
			func() error { _, err := s.Get(ctx, tool, "KEY"); return err },
			func() error { return s.Set(ctx, tool, "KEY", NewSecret("other")) },
			func() error { return s.Delete(ctx, tool, "KEY") },
			func() error { _, err := s.Names(ctx, tool); return err },
		} {
			if err := try(); fault.KindOf(err) != fault.NotVerified || strings.Contains(err.Error(), canary) {
				t.Errorf("%s: %v", what, err)
			}
		}
		// The twin: the same bytes, private again, are believed.
		if err := errors.Join(os.Remove(path), os.WriteFile(path, good, 0o600)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(ctx, tool, "KEY"); err != nil || got.Reveal() != canary {
			t.Errorf("after %s: %v", what, err)
		}
	}
}

// TestOpen: which store it is, is decided by what is there and what was asked for.
func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want Kind
		kind fault.Kind
	}{
		{nil, KindFile, 0},
		{map[string]string{Variable: "file", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}, KindFile, 0},
		{map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}, KindFile, 0},
		{map[string]string{Variable: "vault"}, "", fault.Usage},
	} {
		h := &host.Host{GOOS: "linux", Paths: paths.Paths{Root: t.TempDir()}, Getenv: func(k string) string { return tt.env[k] }}
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere") // the library asks the process itself
		s, err := Open(context.Background(), h)
		if tt.want == "" {
			if fault.KindOf(err) != tt.kind {
				t.Errorf("%v: %v", tt.env, err)
			}
			continue
		}
		if err != nil || s.Kind() != tt.want {
			t.Errorf("%v: %v %v", tt.env, s, err)
		}
	}
	if _, err := OpenKind(&host.Host{}, "vault"); fault.KindOf(err) != fault.NotVerified {
		t.Errorf("an unknown kind: %v", err)
	}
}
