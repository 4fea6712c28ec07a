//go:build unix

package person_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/person"
	"github.com/patch-cat/patch-git/spec"
)

// desk is a machine with a desktop whose programs are scripts that write down what
// they are given.
type desk struct {
	*host.Host
	store *approval.Store
	dir   string
	entry approval.Entry
}

func newDesk(t *testing.T, goos string, programs map[string]string) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir()}
	for name, script := range programs {
		text := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$@\" \"words:$PATCH_GIT_WORDS\" > %s/%s.args\nenv > %[1]s/%[2]s.env\n%[3]s\n", d.dir, name, script)
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"PATH": "relative:" + d.dir + ":/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:x", "SECRET": "hush"}
	d.Host = &host.Host{GOOS: goos, Now: time.Now, Getenv: func(n string) string { return env[n] }}
	d.store = approval.Open(paths.Paths{Root: t.TempDir()}, time.Now)
	var err error
	if d.entry, err = d.store.Hold(t.Context(), approval.Action{
		Tool:   spec.Ref{Name: "send_mail", Version: "1.0.0", Digest: spec.DigestOf([]byte("release"))},
		Source: spec.DigestOf([]byte("source")), Session: "s1", Arguments: json.RawMessage(`{"to":"$(touch x); bob"}`),
		Reasons: []approval.Reason{{Kind: approval.KindConfirm, Text: "it asks each time"}},
	}); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// rung rings and waits for what becomes of it.
func (d *desk) rung(t *testing.T) error {
	t.Helper()
	b, said := person.NewBell(d.Host, d.store), make(chan error, 1)
	t.Cleanup(b.Close)
	b.Ring(d.entry, func(err error) { said <- err })
	select {
	case err := <-said:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("the bell does not end")
		return nil
	}
}

// TestBell: the person is told the name of the tool, and where they want to look
// the page opens, whose link nobody was shown before.
func TestBell(t *testing.T) {
	d := newDesk(t, "linux", map[string]string{"notify-send": "echo look", "xdg-open": ""})
	if err := d.rung(t); err != nil {
		t.Fatal(err)
	}
	told := d.read(t, "notify-send.args")
	if !strings.Contains(told, "\n--\npatch-git\nsend_mail@1.0.0 waits for your word. ") || strings.Contains(told, "bob") || strings.Contains(told, "http") {
		t.Errorf("the person is told\n%s", told)
	}
	if env := d.read(t, "notify-send.env"); strings.Contains(env, "hush") || !strings.Contains(env, "DBUS_SESSION_BUS_ADDRESS=unix:x") {
		t.Errorf("the program sees\n%s", env)
	}
	link, _, _ := strings.Cut(d.read(t, "xdg-open.args"), "\n")
	res, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(link, "http://127.0.0.1:") {
		t.Errorf("%s: %d", link, res.StatusCode)
	}
}

// TestBellNotNow: a person who does not look has no page opened, and said nothing.
func TestBellNotNow(t *testing.T) {
	d := newDesk(t, "linux", map[string]string{"notify-send": "", "xdg-open": ""})
	if err := d.rung(t); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(d.dir, "xdg-open.args")); err == nil {
		t.Error("the page was opened unasked")
	}
	if e, err := d.store.Get(d.entry.ID); err != nil || e.State != approval.Pending {
		t.Errorf("%v, %v", e.State, err)
	}
}

// TestBellOnce: one notification at a time, and none a moment after it.
func TestBellOnce(t *testing.T) {
	d := newDesk(t, "linux", map[string]string{"notify-send": "sleep 0.2", "xdg-open": ""})
	b, said := person.NewBell(d.Host, d.store), make(chan error, 10)
	for range 5 {
		b.Ring(d.entry, func(err error) { said <- err })
	}
	<-said
	b.Ring(d.entry, func(err error) { said <- err })
	b.Close()
	b.Ring(d.entry, func(err error) { said <- err })
	if len(said) != 0 {
		t.Errorf("it rang %d times more", len(said))
	}
}

// TestBellElsewhere: how other desktops are spoken to.
func TestBellElsewhere(t *testing.T) {
	d := newDesk(t, "darwin", map[string]string{"osascript": "echo button returned:Look", "open": ""})
	if err := d.rung(t); err != nil {
		t.Fatal(err)
	}
	if told := d.read(t, "osascript.args"); !strings.Contains(told, "end run\nsend_mail@1.0.0 waits") {
		t.Errorf("osascript is given\n%s", told)
	}
	if link := d.read(t, "open.args"); !strings.HasPrefix(link, "http://127.0.0.1:") {
		t.Errorf("open is given %s", link)
	}
	d = newDesk(t, "windows", map[string]string{"powershell.exe": "echo Yes", "rundll32.exe": ""})
	if err := d.rung(t); err != nil {
		t.Fatal(err)
	}
	if told := d.read(t, "powershell.exe.args"); !strings.Contains(told, "words:send_mail@1.0.0 waits") {
		t.Errorf("powershell is given\n%s", told)
	}
	if link := d.read(t, "rundll32.exe.args"); !strings.HasPrefix(link, "url.dll,FileProtocolHandler\nhttp://127.0.0.1:") {
		t.Errorf("rundll32 is given %s", link)
	}
}

// TestNoDesktop says so, and stops nothing.
func TestNoDesktop(t *testing.T) {
	for name, programs := range map[string]map[string]string{
		"no notifications": {"xdg-open": ""}, "one that fails": {"notify-send": "exit 1", "xdg-open": ""},
	} {
		d := newDesk(t, "linux", programs)
		if name == "no notifications" {
			get := d.Getenv
			d.Getenv = func(n string) string {
				if n == "PATH" {
					return d.dir
				}
				return get(n)
			}
		}
		if err := d.rung(t); fault.ReasonOf(err) != "no_desktop" || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
}
