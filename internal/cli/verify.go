package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) verifyCommand() *cobra.Command {
	var o consume.FileOptions
	var registry string
	c := &cobra.Command{
		Use:   "verify [name[@version] | file]...",
		Short: "Verify installed tools, or a file, again and offline",
		Long: `Verify the signature, the log proof and every file of installed tools, and ask
the newest list of revocations that was seen. Without a name, verify all of them. A
tool that was checked by the rules of an older program is held against today's.

A file, such as ./tool.py, is verified by the Sigstore bundle for it: the one
that --bundle names, file.sigstore.json, or evidence.sigstore.json beside it.
What is pinned of the registry says who has to have signed.

The exit code is 0 only where every answer is yes. Nothing is ever asked of a
network; --offline says so where a script wants to be sure.`,
		Example: `  patch-git verify
  patch-git verify csv_to_json@1.2.0
  patch-git verify --offline ./tool.py --bundle tool.sigstore.json`,
		ValidArgsFunction: a.completeInstalled,
		RunE: func(c *cobra.Command, args []string) error {
			if registry != "" {
				n, err := registryFlag(registry)
				if err != nil {
					return err
				}
				o.Registry = n
			}
			o.Bundle = a.pathOr(o.Bundle)
			return a.verify(c.Context(), args, o)
		},
	}
	c.Flags().Bool("offline", true, "ask nothing of a network, which this command never does")
	c.Flags().StringVar(&o.Bundle, "bundle", "", "the Sigstore bundle for a file")
	c.Flags().StringVar(&registry, "registry", "", "the registry that accepted a file, as owner/name")
	_ = c.RegisterFlagCompletionFunc("registry", a.completeRegistries)
	return c
}

// verdict is the answer about one tool or file.
type verdict struct {
	Ref      string      `json:"ref"`
	File     string      `json:"file,omitempty"`
	Verified bool        `json:"verified"`
	Release  spec.Digest `json:"release,omitzero"`
	Registry string      `json:"registry,omitempty"`
	Reason   string      `json:"reason,omitempty"`
	Message  string      `json:"message,omitempty"`

	how string // for people
	err error
}

func (a *app) verify(ctx context.Context, args []string, o consume.FileOptions) error {
	client, err := a.client()
	if err != nil {
		return err
	}
	var names, files []string
	for _, arg := range args {
		if isFile(arg) {
			files = append(files, arg)
		} else {
			names = append(names, arg)
		}
	}
	if len(files) == 0 && (o.Bundle != "" || o.Registry != "") || len(files) > 1 && o.Bundle != "" {
		return usage("--bundle and --registry are about one file").Hint("patch-git verify ./tool.py --bundle tool.sigstore.json")
	}
	var refs []spec.Ref
	if len(names) > 0 || len(files) == 0 {
		if refs, err = a.refsOrAll(names, client.Box.List); err != nil {
			return err
		}
	}
	out := []verdict{}
	for _, ref := range refs {
		out = append(out, verifyTool(ctx, client, ref))
	}
	for _, f := range files {
		out = append(out, a.verifyFile(ctx, client, f, o))
	}
	var first error
	for _, v := range out {
		if first == nil {
			first = v.err
		}
	}
	if a.json {
		if err := a.out.document(map[string]any{"schema": 1, "verified": first == nil, "tools": out}); err != nil {
			return err
		}
		return first
	}
	for _, v := range out {
		if v.err != nil {
			a.out.printf("%s  %s  %s\n", a.out.red("refused "), safe(v.Ref), safe(v.Message))
		} else {
			a.out.printf("%s  %s  %s\n", a.out.green("verified"), v.Ref, v.how)
		}
	}
	if len(out) == 0 {
		a.out.say("nothing is installed")
	}
	return first
}

func verifyTool(ctx context.Context, client *consume.Client, ref spec.Ref) verdict {
	v, receipt, err := client.Check(ctx, ref)
	out := verdict{Ref: ref.At(), Release: receipt.Release, Registry: string(receipt.Registry)}
	if err != nil {
		return out.refused(err)
	}
	if err := client.Recheck(ctx, v, receipt); err != nil {
		return out.refused(err)
	}
	published, index := v.Published()
	out.Ref, out.Verified = v.Ref().At(), true
	out.how = fmt.Sprintf("%s, accepted by %s %s, log entry %d", v.Ref().Digest, v.Registry(), published, index)
	return out
}

func (a *app) verifyFile(ctx context.Context, client *consume.Client, file string, o consume.FileOptions) verdict {
	out := verdict{Ref: file, File: file}
	acc, err := client.CheckFile(ctx, a.path(file), o)
	if err != nil {
		return out.refused(err)
	}
	out.Ref, out.Verified = spec.Ref{Name: acc.Name, Version: acc.Version}.At(), true
	out.Release, out.Registry = acc.Release, string(acc.Registry.Name)
	out.how = fmt.Sprintf("%s, accepted by %s", acc.Release, acc.Registry.Name)
	return out
}

func (v verdict) refused(err error) verdict {
	v.Reason, v.Message, v.err = fault.ReasonOf(err), err.Error(), err
	return v
}
