package cli

import (
	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/spec"
)

func (a *app) registryList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List trusted registries", Example: "  patch-git registry list", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			pins, err := client.Box.Pins()
			if err != nil {
				return err
			}
			type row struct {
				Name     spec.RegistryName `json:"name"`
				Location string            `json:"location"`
				Mirrors  []string          `json:"mirrors,omitempty"`
				signer
				Seq  int64  `json:"seq"`
				Time string `json:"time,omitempty"`
			}
			rows := []row{}
			for _, p := range pins {
				r := row{p.Name, p.Location, p.Mirrors, signerOf(p.Trust, p.TrustedRoot), 0, ""}
				if h, ok, err := p.LastHead(); err == nil && ok {
					r.Seq, r.Time = h.Seen().Seq, h.Seen().Time
				}
				rows = append(rows, r)
			}
			if a.json {
				return a.out.document(map[string]any{"schema": 1, "registries": rows})
			}
			if len(rows) == 0 {
				a.out.say("no registry is added; 'patch-git registry add' adds one")
			}
			var lines [][]string
			for _, r := range rows {
				lines = append(lines, []string{a.out.bold(string(r.Name)), safe(r.Location), safe(r.short()), "head of " + r.Time})
			}
			a.out.table(lines)
			return nil
		},
	}
}
