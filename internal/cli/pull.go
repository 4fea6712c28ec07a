package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

func (a *app) pullCommand() *cobra.Command {
	var in string
	var yes bool
	var despite []string
	var d deployFlags
	c := &cobra.Command{
		Use: "pull name[@version]...", Aliases: []string{"install"},
		Short: "Fetch, verify and install tools",
		Long: `Fetch a tool, verify its signature, its place in the registry's log and every
file, hold it against the rules of this program, and install it. Nothing is stored
before. --despite-findings takes what the rules refuse, or what nobody here could
check; its value is the digest of that very release.

An install manifest shows first what it will fetch, run and do in your name, asks for
the values that the tool needs, installs it into a folder of its own and tries it. A
secret is typed at the terminal and never given by --env. See docs/install.md.`,
		Example: `  patch-git pull csv_to_json
  patch-git pull csv_to_json@1.2.0 extract_pdf_table
  patch-git pull http_get --yes        agree to what it asks for`,
		Args: atLeastOne, ValidArgsFunction: a.completeListed,
		RunE: func(c *cobra.Command, args []string) error {
			client, err := a.client()
			if err != nil {
				return err
			}
			name, err := registryFlag(in)
			if err != nil {
				return err
			}
			allowed, err := digests(despite)
			if err != nil {
				return err
			}
			if d.values, err = d.parse(); err != nil {
				return err
			}
			var done []pullDocument
			var works error
			for _, arg := range args {
				ref, err := parseRef(arg)
				if err != nil {
					return err
				}
				o := consume.PullOptions{Registry: name, Agree: yes, Widen: yes, Despite: allowed, Env: d.values, Net: d.net}
				p, err := a.pull(c.Context(), client, ref, o)
				if err != nil {
					return err
				}
				done = append(done, a.pulled(p))
				if works = a.worksOr(c.Context(), client, p); works != nil {
					break
				}
			}
			if a.json {
				return cmp.Or(a.out.document(map[string]any{"schema": 1, "pulled": done}), works)
			}
			return works
		},
	}
	a.registryFlagOf(c, &in)
	a.maxAgeFlag(c)
	c.Flags().BoolVarP(&yes, "yes", "y", false, "agree to what the tools ask for")
	d.flagsOf(c)
	c.Flags().StringArrayVar(&despite, "despite-findings", nil, "install the release of this `digest` although the rules refuse it")
	return c
}

// digests reads what --despite-findings names.
func digests(texts []string) ([]spec.Digest, error) {
	var out []spec.Digest
	for _, t := range texts {
		d, err := spec.ParseDigest(t)
		if err != nil {
			return nil, usage("--despite-findings: %w", err)
		}
		out = append(out, d)
	}
	return out, nil
}

// pull installs one tool. What a person at a terminal may answer is asked there.
func (a *app) pull(ctx context.Context, client *consume.Client, ref spec.Ref, o consume.PullOptions) (*consume.Pulled, error) {
	o.Ask, o.Show = a.asker(), a.showOnce()
	p, err := client.Pull(ctx, ref, o)
	if proposed, ok := errors.AsType[*consume.Proposed](err); ok {
		refusal, _ := errors.AsType[*fault.Error](err)
		o.Show(proposed.Plan)
		if err := a.agreeTo(ctx, proposed.Plan, refusal); err != nil {
			return nil, err
		}
		ref, o.Agree, o.Widen = proposed.Plan.Ref, true, true // the very release that was shown
		p, err = client.Pull(ctx, ref, o)
	}
	if refusal, ok := errors.AsType[*fault.Error](err); ok && refusal.Reason == consume.ReasonWidened {
		if err := a.confirm(ctx, refusal.Message+". Install it?", refusal); err != nil {
			return nil, err
		}
		o.Widen = true
		p, err = client.Pull(ctx, ref, o)
	}
	refused, ok := errors.AsType[*consume.Refused](err)
	if !ok {
		return p, err
	}
	refusal, _ := errors.AsType[*fault.Error](err)
	if refusal.Kind != fault.Findings {
		// Nobody could tell, so there is nothing to weigh; a Python can help.
		installed, err := a.offerPython(ctx, refusal)
		if err != nil || !installed {
			return nil, cmp.Or[error](err, refusal)
		}
		return client.Pull(ctx, refused.Ref, o)
	}
	a.sayFindings(refused.Findings)
	question := fmt.Sprintf("%s has the digest %s. Install it in spite of that?", refused.Ref.At(), refused.Ref.Digest)
	if err := a.confirm(ctx, question, refusal); err != nil {
		return nil, err
	}
	o.Despite = append(o.Despite, refused.Ref.Digest)
	return client.Pull(ctx, refused.Ref, o)
}

// sayFindings tells on stderr what the rules found, where the error does not tell
// all of it. With --json each is a line.
func (a *app) sayFindings(found []spec.Finding) {
	if len(found) < 2 && a.host.Terminal.Open == nil {
		return
	}
	for _, f := range found {
		if a.wantsJSON() {
			a.warn(f.String())
			continue
		}
		a.out.say("%s", oneLine(safe(f.String())))
	}
}

// pullDocument is one installed tool in the JSON answer.
type pullDocument struct {
	Name        spec.Name         `json:"name"`
	Version     spec.Version      `json:"version"`
	Release     spec.Digest       `json:"release"`
	Registry    spec.RegistryName `json:"registry"`
	Permissions spec.Permissions  `json:"permissions"`
	Before      spec.Version      `json:"before,omitempty"` // installed until now
	Added       []string          `json:"added,omitempty"`  // what that one could not do
	Consented   bool              `json:"consented"`
	Environment string            `json:"environment,omitempty"`
	Yanked      string            `json:"yanked,omitempty"`
	Despite     bool              `json:"despite_findings,omitempty"` // the rules refuse it, a person did not
	Findings    []spec.Finding    `json:"findings,omitempty"`         // what was let pass, by the registry or that person

	Deployment *deploymentDocument `json:"deployment,omitempty"` // of an install manifest
}

func (a *app) pulled(p *consume.Pulled) pullDocument {
	r := p.Receipt
	if p.Yanked != "" {
		a.warn(r.Ref().At() + " was yanked: " + p.Yanked)
	}
	if !a.json {
		a.out.printf("%s %s from %s\n", a.out.green("installed"), a.out.bold(r.Ref().At()), r.Registry)
		a.out.printf("  verified  %s\n", r.Release)
		for _, f := range p.Found {
			how := "waived"
			if f.Blocks() {
				how = "despite"
			}
			a.out.printf("  %-9s %s\n", how, oneLine(safe(f.String())))
		}
		a.out.printf("  may use   %s\n", strings.Join(permissionWords(p.Permissions), ", "))
		if len(p.Added) > 0 {
			a.out.printf("  new       %s (%s asked for less)\n", safe(strings.Join(p.Added, ", ")), p.Before)
		}
		if p.Environment != "" {
			a.out.printf("  packages  %s\n", p.Environment)
		}
		a.printDeployment(p.Deployment)
		a.sayNext(p)
	}
	return pullDocument{
		r.Name, r.Version, r.Release, r.Registry, p.Permissions, p.Before, p.Added, p.Consented, p.Environment, p.Yanked, p.Despite, p.Found,
		deploymentOf(p.Deployment),
	}
}

// sayNext says what a person does with it now: agrees, or uses it in the way of its
// format.
func (a *app) sayNext(p *consume.Pulled) {
	if ways := consume.Ways(p.Tool); len(ways) > 0 {
		a.out.say("%s: '%s'", ways[0].What, ways[0].Command)
		if p.Tool.Format != spec.FormatArcade {
			return
		}
	}
	which := "the first run"
	if !consume.NeedsConsent(p.Permissions) {
		which = "the first run that names a file"
	}
	if (consume.NeedsConsent(p.Permissions) || consume.MayHaveFiles(p.Permissions)) && !p.Consented {
		a.out.say("%s asks whether you agree to that; 'patch-git pull %s --yes' agrees now", which, p.Receipt.Ref().At())
	}
}
