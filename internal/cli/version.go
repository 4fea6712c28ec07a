package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/standalone"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Example: "  patch-git version --json", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				doc := map[string]any{
					"schema": 1, "version": Version, "go": runtime.Version(), "os": a.host.GOOS, "arch": a.host.GOARCH, "flavour": "slim",
				}
				if e := standalone.Embedded(a.host.GOOS, a.host.GOARCH); e != nil {
					doc["flavour"], doc["python"] = "full", e.Version
				}
				return a.out.document(doc)
			}
			a.out.printf("patch-git %s\n", Version)
			return nil
		},
	}
}
