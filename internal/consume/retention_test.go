package consume

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

// A server removes what the configuration keeps no longer, at most a day late, and
// nothing where the configuration keeps all or cannot be read.
func TestRetention(t *testing.T) {
	for name, tt := range map[string]struct {
		config string
		age    time.Duration
		left   int
	}{
		"old":           {`{"schema":1,"mcp":{"keep_runs_days":30}}`, 40 * 24 * time.Hour, 1},
		"a day late":    {`{"schema":1,"mcp":{"keep_runs_days":30}}`, 30*24*time.Hour + 12*time.Hour, 2},
		"kept always":   {`{"schema":1,"mcp":{}}`, 4000 * 24 * time.Hour, 2},
		"no config":     {"", 4000 * 24 * time.Hour, 2},
		"broken config": {`{"schema":1,"mcp":{"keep_runs_days":"30"}}`, 40 * 24 * time.Hour, 2},
	} {
		now := time.Now()
		p := paths.Paths{Root: t.TempDir()}
		j := audit.Open(p, func() time.Time { return now }, leaks)
		for range 2 { // the last stays in any case
			rec := audit.Record{Tool: audit.Tool{Name: "word_count"}, Status: audit.Succeeded, Output: json.RawMessage(`1`)}
			run, err := j.Begin(t.Context(), rec)
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Finish(rec, nil, nil); err != nil {
				t.Fatal(err)
			}
			now = now.Add(time.Second)
		}
		if tt.config != "" {
			if err := os.WriteFile(p.Config(), []byte(tt.config), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		now = now.Add(tt.age)
		var said []string
		c := &Client{
			Host: &host.Host{Paths: p, Now: func() time.Time { return now }}, Journal: j,
			Warn: func(s string) { said = append(said, s) },
		}
		c.prune(t.Context())
		list, broken, err := j.List(audit.Filter{})
		if len(list) != tt.left || len(broken)+len(said) > 0 || err != nil {
			t.Errorf("%s: %d left, want %d; %v %v %v", name, len(list), tt.left, broken, said, err)
		}
	}
}
