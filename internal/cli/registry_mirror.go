package cli

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/site"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) registryMirror() *cobra.Command {
	var pages bool
	c := &cobra.Command{
		Use:   "mirror owner/name|path|URL folder",
		Short: "Copy a published tree into a folder for any static host, verified",
		Long: `Copy the published tree of a registry into the folder's v1/, and verify all of it
on the way, as 'log verify' does: the log, every record, every release. Nothing gets
into the folder before the whole tree is found sound, and the signed head comes last,
so that the folder can be served while it is brought up to date. What is there already
is verified again and not fetched again; what was damaged there, or is gone, is
replaced. With --pages only pages of this program's own are replaced or removed.

A head older than the one in the folder is refused, and so are another log and
another signer. For a trusted registry its pinned identity counts and its mirrors are
asked in turn; of a path or URL that is not trusted, the identity in its own
registry.json, which the folder then keeps to.

Where the folder is sent on to an object store file by file, send head.sigstore.json
after all others.

The exit code is 0 where the folder has the newest head, 4 where something is not what
was signed, 7 where it could not be read.`,
		Example: `  patch-git registry mirror patch-cat/patch-git /srv/www/tools
  patch-git registry mirror git+https://github.com/patch-cat/patch-git ./mirror --pages
  patch-git registry add https://mirror.example.com/tools`,
		Args: exactly("owner/name|path|URL", "folder"), ValidArgsFunction: a.completeRegistryOrPath,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			m, err := client.Mirror(c.Context(), args[0], a.location(args[0]), a.path(args[1]), pages)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.document(struct {
					Schema   int               `json:"schema"`
					Registry spec.RegistryName `json:"registry"`
					Location string            `json:"location"`
					Identity string            `json:"identity"` // "pinned", or "tree": its own word
					Folder   string            `json:"folder"`
					New      bool              `json:"new"`
					Seq      int64             `json:"seq"`
					Time     string            `json:"time"`
					Releases int64             `json:"releases"`
					Files    int64             `json:"files"` // written
					Bytes    int64             `json:"bytes"`
					Repaired int               `json:"repaired"`
					Pages    *site.Result      `json:"pages,omitempty"`
					Seconds  float64           `json:"seconds"`
				}{
					1, m.Registry, m.Location, identityOf(m.Inspected), m.Dir, m.Copied.New, m.Copied.Head.Seq, m.Copied.Head.Time,
					m.Counts.Releases, m.Copied.Files, m.Copied.Bytes, m.Repaired, m.Pages, math.Round(m.Took.Seconds()*1000) / 1000,
				})
			}
			a.out.printf("%s %s at head %d of %s\n  releases  %d, all verified\n  written   %d files, %d bytes\n", a.out.green("mirrored"),
				a.out.bold(string(m.Registry)), m.Copied.Head.Seq, m.Copied.Head.Time, m.Counts.Releases, m.Copied.Files, m.Copied.Bytes)
			if m.Repaired > 0 {
				a.out.printf("  repaired  %d files of the folder were damaged\n", m.Repaired)
			}
			if m.Pages != nil {
				a.out.printf("  pages     %d, %d files written\n", m.Pages.Pages, m.Pages.Written)
			}
			if !m.Pinned {
				a.out.printf("  identity  taken from the tree itself (registry.json); whose tree it is was not checked\n")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&pages, "pages", false, "write the web pages of the registry beside v1/, too")
	return c
}
