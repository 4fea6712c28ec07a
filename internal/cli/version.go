package cli

import (
	"runtime"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  patch-git version --json", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.out.document(map[string]any{
					"schema": 1, "version": Version, "go": runtime.Version(), "os": a.host.GOOS, "arch": a.host.GOARCH,
				})
			}
			a.out.printf("patch-git %s\n", Version)
			return nil
		},
	}
}
