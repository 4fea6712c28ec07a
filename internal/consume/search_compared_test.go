//go:build linux || darwin

package consume

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// TestCompare: an index that was the stated one is not read again, and every other
// file under its name is.
func TestCompare(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	built, err := index.Build(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	segment := spec.DigestOf(built.Segment())
	file := index.SegmentPath(dir)
	turned := append([]byte{built.Segment()[0] ^ 1}, built.Segment()[1:]...)
	for name, attack := range map[string]struct {
		do   func(c *Client) error
		good bool
	}{
		"the twin, nothing at all": {func(*Client) error { return nil }, true},
		"a byte, under the old time": {func(*Client) error {
			info, err := os.Stat(file)
			if err == nil {
				err = os.WriteFile(file, turned, 0o600)
			}
			if err == nil {
				err = os.Chtimes(file, info.ModTime(), info.ModTime())
			}
			return err
		}, false},
		"another file in its place": {func(*Client) error {
			if err := os.WriteFile(file+"x", turned, 0o600); err != nil {
				return err
			}
			return os.Rename(file+"x", file)
		}, false},
		"another file, and what another user remembers": {func(c *Client) error {
			if err := os.WriteFile(file, turned, 0o600); err != nil {
				return err
			}
			other := &Client{Host: &host.Host{Now: c.Host.Now, Paths: paths.Paths{Root: t.TempDir()}}}
			_, name, _ := comparedAs(dir, segment)
			if err := other.compare(dir, spec.DigestOf(turned)); err != nil {
				return err
			}
			to := c.Host.Paths.Compared()
			_, theirs, _ := comparedAs(dir, spec.DigestOf(turned))
			if err := os.MkdirAll(filepath.Join(to, name.Hex()[:2]), 0o700); err != nil {
				return err
			}
			return os.Rename(filepath.Join(other.Host.Paths.Compared(), theirs.Hex()[:2], theirs.Hex()[2:]), filepath.Join(to, name.Hex()[:2], name.Hex()[2:]))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := index.Install(t.Context(), dir, built.Segment()); err != nil {
				t.Fatal(err)
			}
			c := &Client{Host: &host.Host{Now: func() time.Time { return time.Now().Add(time.Minute) }, Paths: paths.Paths{Root: t.TempDir()}}}
			if err := c.compare(dir, segment); err != nil {
				t.Fatal(err)
			}
			_, kept, ok := comparedAs(dir, segment)
			remembered := filepath.Join(c.Host.Paths.Compared(), kept.Hex()[:2], kept.Hex()[2:])
			if _, err := os.Stat(remembered); err != nil || !ok {
				t.Fatal("it is not remembered", err)
			}
			time.Sleep(15 * time.Millisecond) // the clock of the file system goes in steps
			if err := attack.do(c); err != nil {
				t.Fatal(err)
			}
			err := c.compare(dir, segment)
			if attack.good != (err == nil) || err != nil && fault.ReasonOf(err) != "index" {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("too new", func(t *testing.T) {
		c := &Client{Host: &host.Host{Now: time.Now, Paths: paths.Paths{Root: t.TempDir()}}}
		if err := os.WriteFile(file, built.Segment(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := c.compare(dir, segment); err != nil {
			t.Fatal(err)
		}
		if entries, _ := os.ReadDir(c.Host.Paths.Compared()); len(entries) > 1 { // the key
			t.Errorf("a file that may change without another time is remembered: %v", entries)
		}
	})
}
