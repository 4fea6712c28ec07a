package mcpserver

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/config"
	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

// TestFindersBesideEachOther: servers of one toolbox that see other states of it
// make and sweep their indexes in one folder, and none takes away what another is
// just making.
func TestFindersBesideEachOther(t *testing.T) {
	h := &host.Host{Paths: paths.Paths{Root: t.TempDir()}, Now: time.Now}
	var wg sync.WaitGroup
	for server := range 4 {
		wg.Go(func() {
			var f finder
			for round := range 12 {
				name := fmt.Sprintf("tool_%d_%d", server, round)
				e := toolNamed(t, name, func(c *consume.Card) { c.Tool.Description = "Count the zebras." })
				hits, _, err := f.find(t.Context(), h, keptAt(h), newShelf([]*entry{e}, config.MCP{Expose: config.ExposeAll}, nil), "zebras")
				if err != nil || len(hits) != 1 || hits[0].name != name {
					t.Errorf("%s: %v, %v", name, namesOf(hits), err)
				}
			}
		})
	}
	wg.Wait()
}
