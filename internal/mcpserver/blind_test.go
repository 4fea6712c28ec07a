package mcpserver

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/mcpserver/mcptest"
	"github.com/patch-cat/patch-git/internal/paths"
)

// TestBlind: the first list of a large toolbox has a tool that somebody edited while
// no server ran, until the look at the files that follows; that of a small one, and
// what a person is shown, never has it. What index, folders and pins tell of, none has.
func TestBlind(t *testing.T) {
	edit := func(p paths.Paths) error {
		f, err := os.OpenFile(p.Tool(mcptest.Name(1)), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.WriteString("# mine\n"); err != nil {
			return err
		}
		return f.Close()
	}
	for what, c := range map[string]struct {
		most         int
		again        bool
		happens      func(paths.Paths) error
		first, later int // tools that hosts are told
	}{
		"nothing":                     {2, false, func(paths.Paths) error { return nil }, 3, 3},
		"edited, of many":             {2, false, edit, 3, 2},
		"edited, of few":              {3, false, edit, 2, 2},
		"edited, of many, to persons": {2, true, edit, 2, 2},
		"removed": {2, false, func(p paths.Paths) error {
			return os.RemoveAll(filepath.Join(p.Receipts(), string(mcptest.Name(1))))
		}, 2, 2},
		"another version": {2, false, func(p paths.Paths) error {
			dir := filepath.Join(p.Receipts(), string(mcptest.Name(1)))
			if err := os.Rename(filepath.Join(dir, "1.0.0"), filepath.Join(dir, "1.0.1")); err != nil {
				return err
			}
			return os.Remove(p.Index()) // it is made again of the folders
		}, 2, 2},
		"not trusted any more": {2, false, func(p paths.Paths) error { return os.RemoveAll(p.Registries()) }, 0, 0},
	} {
		t.Run(what, func(t *testing.T) {
			p := paths.Paths{Root: filepath.Join(t.TempDir(), "state")}
			if err := mcptest.Many(t.Context(), p.Root, 3); err != nil {
				t.Fatal(err)
			}
			server := func() *stock {
				client, err := consume.New(&host.Host{Paths: p, Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				s := newStock(client, slog.New(slog.DiscardHandler))
				s.most = c.most
				return s
			}
			if _, err := server().refresh(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			if err := c.happens(p); err != nil {
				t.Fatal(err)
			}
			s := server()
			if _, err := s.refresh(t.Context(), c.again); err != nil || len(s.state.Load().listed) != c.first {
				t.Errorf("%d tools are listed at first, %v", len(s.state.Load().listed), err)
			}
			changed, err := s.refresh(t.Context(), false)
			if n := len(s.state.Load().listed); err != nil || n != c.later || changed.tools != (c.first != c.later) {
				t.Errorf("then %d, told of: %v, %v", n, changed, err)
			}
		})
	}
}
