package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/contribute"
)

// uploadedFlag adds the bound on upload times to a command that resolves
// packages, and returns what puts it into a workshop once flags are parsed.
func uploadedFlag(c *cobra.Command) func(*contribute.Workshop) error {
	var text string
	c.Flags().StringVar(&text, "uploaded-before", "", "resolve packages out of what was uploaded before this time (2026-11-20 or RFC 3339; default: now), or any")
	return func(w *contribute.Workshop) error {
		switch text {
		case "":
			return nil
		case "any":
			w.AnyAge = true
			return nil
		}
		for _, layout := range []string{time.RFC3339, time.DateOnly} {
			if t, err := time.Parse(layout, text); err == nil {
				w.UploadedBefore = t
				return nil
			}
		}
		return usage("--uploaded-before %q is no time such as 2026-11-20 or 2026-11-20T12:00:00Z", text)
	}
}

// platformRows say where a tool with packages runs.
func platformRows(platforms, unsupported []string) [][]string {
	rows := [][]string{{"  packages for", safe(strings.Join(platforms, ", "))}}
	if len(unsupported) > 0 {
		rows = append(rows, []string{"  not for", safe(strings.Join(unsupported, ", "))})
	}
	return rows
}
