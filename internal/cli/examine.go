package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/index"
	"github.com/patch-cat/patch-git/internal/consume"
)

// examineCommand is for this program alone, which starts itself with it in the
// sandbox to look through a search index that came from a registry.
func (a *app) examineCommand() *cobra.Command {
	return &cobra.Command{
		Use: consume.ExamineCommand + " folder", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := index.Examine(c.Context(), args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintln(a.host.Stdout, consume.Examined)
			return err
		},
	}
}
