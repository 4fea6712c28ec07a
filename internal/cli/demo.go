package cli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	patchgit "github.com/patch-cat/patch-git"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/paths"
)

func (a *app) demoCommand() *cobra.Command {
	var keep bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Publish, search, pull, verify, run and refuse, in a temporary folder",
		Long: `Make a registry signed by a new key, publish real tools into it, and use it as
another user: search, pull, verify, run in the sandbox. Then four attacks, each of
which is refused. No network, no account; every step is the real command.`,
		Example: "  patch-git demo --keep",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := os.MkdirTemp("", "patch-git-demo-")
			if err != nil {
				return fault.New(fault.Unavailable, "temp", "making a temporary folder: %w", err)
			}
			if dir, err = filepath.EvalSymlinks(dir); err != nil {
				return err
			}
			d := &demo{app: a, dir: dir, Steps: []demoStep{}}
			err = d.play(c.Context())
			if !keep {
				if rmErr := os.RemoveAll(dir); rmErr != nil && err == nil {
					err = fault.New(fault.Unavailable, "temp", "removing %s: %w", dir, rmErr)
				}
			}
			if a.json {
				doc := map[string]any{"schema": 1, "ok": err == nil, "steps": d.Steps}
				if keep {
					doc["folder"] = dir
				}
				if docErr := a.out.document(doc); docErr != nil {
					return docErr
				}
			} else if keep {
				a.out.printf("\nkept: %s\nplay on as the user: cd %s && export PATCH_GIT_HOME=%s\n", dir, dir, filepath.Join(dir, "user"))
			}
			return err
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "leave the folder behind for playing on")
	return c
}

// demo is one performance. Its actors are users of this machine with state of
// their own; each command goes through Main, as if it had been typed.
type demo struct {
	app   *app
	dir   string
	Steps []demoStep
}

type demoStep struct {
	As      string `json:"as"`
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Stdout  string `json:"stdout,omitempty"`
	Stderr  string `json:"stderr,omitempty"`
}

const (
	maintainer = "maintainer"
	user       = "user"
)

// demoTools are published in this order: tools without packages, so that any
// CPython from 3.9 up will do.
var demoTools = []string{
	"cs/csv_to_json/1.0.0", "cs/csv_to_json/1.1.0", "cs/csv_to_json/1.2.0",
	"ha/hash_file/1.0.0", "te/text_diff/1.0.0", "un/unit_convert/1.0.0",
}

const demoCSV = "city,people,founded\nLisbon,545796,-1200\n\"Porto, Gaia\",231800,417\n"

// play goes through the acts. The exit code of every command is compared with
// what it must be: a demo that cannot fail would show nothing.
func (d *demo) play(ctx context.Context) error {
	tools, err := fs.Sub(patchgit.Tools, "tools")
	if err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(d.dir, "tools"), tools); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.dir, "cities.csv"), []byte(demoCSV), 0o644); err != nil {
		return err
	}
	for _, act := range []func(context.Context) error{d.publish, d.use, d.flippedByte, d.swappedRelease, d.rolledBackHead, d.revokedVersion} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	d.title("Done: every command ended as it had to.")
	return nil
}

func (d *demo) publish(ctx context.Context) error {
	d.title("1. A maintainer makes a registry, signed by a new key, and publishes tools")
	if err := d.run(ctx, maintainer, 0, "registry", "init", "registry", "--name", "demo/tools"); err != nil {
		return err
	}
	if err := d.run(ctx, maintainer, 0, "check", "tools/"+demoTools[0]+"/tool.py"); err != nil {
		return err
	}
	for _, t := range demoTools {
		if err := d.run(ctx, maintainer, 0, "publish", "tools/"+t+"/tool.py", "--to", "registry"); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) use(ctx context.Context) error {
	d.title("2. Another user trusts the registry, finds a tool, pulls, verifies and runs it")
	for _, args := range [][]string{
		{"registry", "add", "registry"},
		{"search", "csv"},
		{"pull", "csv_to_json@1.2.0"},
		{"verify", "csv_to_json@1.2.0"},
		{"run", "csv_to_json", "--csv-text", demoCSV},
		{"pull", "hash_file", "unit_convert"},
		{"run", "hash_file", "--path", "cities.csv", "--yes"}, // who agrees to that here is the demo
		{"runs"},
	} {
		if err := d.run(ctx, user, 0, args...); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) flippedByte(ctx context.Context) error {
	d.title("3. Refused: one byte of a published file is flipped")
	file := filepath.Join(d.published(), "releases/te/text_diff/1.0.0/tool.py")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	flipped := bytes.Clone(data)
	flipped[len(flipped)/2] ^= 1
	return d.whileReplaced(file, flipped, data, func() error {
		if err := d.run(ctx, user, fault.NotVerified.ExitCode(), "pull", "text_diff@1.0.0"); err != nil {
			return err
		}
		return d.run(ctx, user, 0, "list") // nothing was stored
	})
}

func (d *demo) swappedRelease(ctx context.Context) error {
	d.title("4. Refused: csv_to_json 1.0.0, validly signed, is served as text_diff 1.0.0")
	victim, other := filepath.Join(d.published(), "releases/te/text_diff/1.0.0"), filepath.Join(d.published(), "releases/cs/csv_to_json/1.0.0")
	aside := victim + ".aside"
	if err := os.Rename(victim, aside); err != nil {
		return err
	}
	if err := os.CopyFS(victim, os.DirFS(other)); err != nil {
		return err
	}
	if err := d.run(ctx, user, fault.NotVerified.ExitCode(), "pull", "text_diff@1.0.0"); err != nil {
		return err
	}
	if err := d.run(ctx, user, 0, "list"); err != nil { // nothing was stored
		return err
	}
	if err := os.RemoveAll(victim); err != nil {
		return err
	}
	return os.Rename(aside, victim)
}

func (d *demo) rolledBackHead(ctx context.Context) error {
	d.title("5. Refused: after the user has seen a new head, the server goes back to the old tree")
	old := filepath.Join(d.dir, "old-tree")
	if err := os.CopyFS(old, os.DirFS(d.published())); err != nil {
		return err
	}
	if err := d.run(ctx, maintainer, 0, "revoke", "unit_convert@1.0.0", "--in", "registry", "--reason", "a demonstration"); err != nil {
		return err
	}
	if err := d.run(ctx, user, 0, "search", "text"); err != nil { // sees the new head
		return err
	}
	aside := d.published() + ".new"
	if err := os.Rename(d.published(), aside); err != nil {
		return err
	}
	if err := os.Rename(old, d.published()); err != nil {
		return err
	}
	if err := d.run(ctx, user, fault.NotVerified.ExitCode(), "pull", "text_diff@1.0.0"); err != nil {
		return err
	}
	if err := d.run(ctx, user, 0, "list"); err != nil { // nothing was stored
		return err
	}
	if err := os.RemoveAll(d.published()); err != nil {
		return err
	}
	return os.Rename(aside, d.published())
}

func (d *demo) revokedVersion(ctx context.Context) error {
	d.title("6. Refused: an installed version that was revoked does not run any more")
	if err := d.run(ctx, user, fault.Denied.ExitCode(), "run", "unit_convert", "--value", "1", "--from-unit", "mi", "--to-unit", "km"); err != nil {
		return err
	}
	if err := d.run(ctx, user, 0, "pull", "text_diff@1.0.0"); err != nil { // the tree is whole again
		return err
	}
	return d.run(ctx, user, 0, "verify", "text_diff")
}

func (d *demo) published() string { return filepath.Join(d.dir, "registry", "published", "v1") }

// whileReplaced changes a file, plays a scene, and puts it back.
func (d *demo) whileReplaced(file string, attack, honest []byte, scene func() error) error {
	if err := os.WriteFile(file, attack, 0o644); err != nil {
		return err
	}
	if err := scene(); err != nil {
		return err
	}
	return os.WriteFile(file, honest, 0o644)
}

func (d *demo) title(text string) {
	if !d.app.json {
		d.app.out.printf("\n%s\n", d.app.out.bold("# "+text))
	}
}

// run plays one command as an actor and holds its exit code against what it
// must be.
func (d *demo) run(ctx context.Context, as string, want int, args ...string) error {
	var stdout, stderr bytes.Buffer
	h := *d.app.host
	h.Paths = paths.Paths{Root: filepath.Join(d.dir, as)}
	h.Dir, h.Stdin, h.Stdout, h.Stderr = d.dir, strings.NewReader(""), &stdout, &stderr
	h.Terminal = host.Terminal{}
	command := "patch-git " + shellWords(args)
	if !d.app.json {
		d.app.out.printf("%s %s\n", d.app.out.dim(as+" $"), command)
	}
	color := "never"
	if d.app.out.colored {
		color = "always"
	}
	exit := Main(ctx, &h, append([]string{"--color", color}, args...), Faces{})
	d.Steps = append(d.Steps, demoStep{as, command, exit, stdout.String(), stderr.String()})
	if !d.app.json {
		d.app.out.printf("%s%s", stdout.String(), stderr.String())
		if exit != 0 {
			d.app.out.printf("%s\n", d.app.out.dim(fmt.Sprintf("exit code %d", exit)))
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if exit != want {
		return fault.New(fault.Internal, "demo", "%s ended with exit code %d, not %d", command, exit, want)
	}
	return nil
}

// shellWords writes arguments as one would type them.
func shellWords(args []string) string {
	var out []string
	for _, s := range args {
		if s == "" || strings.ContainsAny(s, " \n\t\"'$`\\*?[]{}()<>|&;#~!,") {
			s = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}
