package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/keyring"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// deployFlags are the flags of an installation that a manifest describes.
type deployFlags struct {
	env, net []string
	values   map[string]string
}

func (d *deployFlags) flagsOf(c *cobra.Command) {
	c.Flags().StringArrayVar(&d.env, "env", nil, "`NAME=VALUE` for a tool that asks for it; not for secrets")
	c.Flags().StringArrayVar(&d.net, "allow-net", nil, "let the tool reach `HOST[:PORT]`, beyond the internet")
}

// parse reads --env. A message repeats the name alone: what follows may be a secret
// that should not stand there.
func (d *deployFlags) parse() (map[string]string, error) {
	out := map[string]string{}
	for _, e := range d.env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			return nil, usage("--env is NAME=VALUE")
		}
		if _, twice := out[name]; twice {
			return nil, usage("--env gives %s twice", spec.Quote(name))
		}
		out[name] = value
	}
	return out, nil
}

// asker asks for values at the terminal; nil where there is none.
func (a *app) asker() consume.Asker {
	if a.host.Terminal.Open == nil {
		return nil
	}
	tty, err := a.host.Terminal.Open()
	if err != nil {
		return nil
	}
	_ = tty.Close()
	return func(ctx context.Context, q consume.Asked) (string, error) {
		a.out.endProgress()
		text := safe(q.Prompt)
		if q.Problem != "" {
			text = q.Name + ": " + oneLine(safe(q.Problem)) + "\n" + text
		}
		if q.ObtainURL != "" {
			text += "\n  to be had at " + oneLine(safe(q.ObtainURL))
		}
		text += "\n" + q.Name
		if q.Secret {
			text += " (is not shown)"
		}
		if !q.Required {
			text += " (Enter skips it)"
		}
		text += ": "
		if q.Secret {
			return a.hidden(ctx, q.Name, text)
		}
		return a.line(ctx, text)
	}
}

// hidden reads a line that is not shown. Where the terminal cannot hide it, nobody is
// asked: a secret on a screen is none.
func (a *app) hidden(ctx context.Context, name, question string) (string, error) {
	if a.host.Terminal.Hidden == nil {
		return "", fault.New(fault.Unavailable, "terminal", "%s is a secret, and this terminal cannot hide what is typed", name)
	}
	answer, err := a.host.Terminal.Hidden(question, ctx.Done())
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", fault.New(fault.Unavailable, "terminal", "%s cannot be asked for: %w", name, err)
	}
	return answer, nil
}

// line reads a line from the terminal device.
func (a *app) line(ctx context.Context, question string) (string, error) {
	tty, err := a.host.Terminal.Open()
	if err != nil {
		return "", fault.New(fault.Unavailable, "terminal", "nobody can be asked: %w", err)
	}
	defer tty.Close()
	fmt.Fprint(tty, question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(tty).ReadString('\n')
		answer <- strings.TrimRight(line, "\r\n")
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line := <-answer:
		return line, nil
	}
}

// agreeTo asks whether what a plan tells of may be done. Whose stderr goes elsewhere
// reads the plan at the terminal: nobody agrees to what they did not see.
func (a *app) agreeTo(ctx context.Context, p *consume.Plan, refusal *fault.Error) error {
	question := "Install " + p.Ref.At() + "?"
	if !a.host.Terminal.Stderr || a.quiet {
		question = planText(p) + "\n" + question
	}
	return a.confirm(ctx, question, refusal)
}

// showOnce shows a plan, once for each command and tool.
func (a *app) showOnce() func(*consume.Plan) {
	shown := false
	return func(p *consume.Plan) {
		if shown {
			return
		}
		shown = true
		if a.wantsJSON() {
			a.out.endProgress()
			_ = writeJSON(a.host.Stderr, planDocumentOf(p))
			return
		}
		a.out.say("%s", planText(p))
	}
}

// worksOr is the error of a tool that does not work, which a person at the terminal is
// offered to take back at once.
func (a *app) worksOr(ctx context.Context, client *consume.Client, p *consume.Pulled) error {
	broken := p.Deployment.NotWorking(p.Receipt.Ref())
	if broken == nil || a.host.Terminal.Open == nil {
		return broken
	}
	refusal, ok := errors.AsType[*fault.Error](broken)
	if !ok {
		return broken
	}
	if err := a.confirm(ctx, refusal.Message+"\nTake its access back and remove it?", refusal); err != nil {
		return err
	}
	if err := a.revokeOwn(ctx, client, p.Receipt.Name, consume.RevokeOptions{}); err != nil {
		return err
	}
	return fault.New(refusal.Kind, refusal.Reason, "%s did not work and was removed", p.Receipt.Ref().At())
}

// deploymentDocument is what became of an install manifest, in the JSON answer. It has
// names, and no value.
type deploymentDocument struct {
	Method  string            `json:"method"`
	Source  string            `json:"source"`
	Dir     string            `json:"dir,omitempty"`
	Files   int               `json:"files,omitempty"`
	Bytes   int64             `json:"bytes,omitempty"`
	Values  []string          `json:"values,omitempty"`
	Secrets map[string]string `json:"secrets,omitempty"` // the kind of store that each is in
	Skipped []string          `json:"skipped,omitempty"`
	Smoke   toolbox.Smoked    `json:"smoke"`
	Notes   []string          `json:"notes,omitempty"`
}

func deploymentOf(d *consume.Deployment) *deploymentDocument {
	if d == nil {
		return nil
	}
	p := d.Prefix
	return &deploymentDocument{p.Method, p.Source, p.Dir, p.Files, p.Bytes, d.Values, d.Secrets, d.Skipped, d.Smoke, p.Notes}
}

// printDeployment says what became of it.
func (a *app) printDeployment(d *consume.Deployment) {
	if d == nil {
		return
	}
	a.out.printf("  acquired  %s\n", oneLine(safe(d.Prefix.Source)))
	if d.Prefix.Dir != "" {
		a.out.printf("  in        %s\n", safe(d.Prefix.Dir))
	}
	for _, n := range d.Prefix.Notes {
		a.out.printf("  note      %s\n", oneLine(safe(n)))
	}
	for _, name := range d.Values {
		a.out.printf("  value     %s\n", name)
	}
	for _, name := range sortedKeys(d.Secrets) {
		a.out.printf("  secret    %s, in %s\n", name, keyring.Kind(d.Secrets[name]).Words())
	}
	for _, name := range d.Skipped {
		a.out.printf("  skipped   %s\n", name)
	}
	a.out.printf("  works     %s\n", smokeText(d.Smoke))
}

// smokeText says whether a tool was seen to work.
func smokeText(s toolbox.Smoked) string {
	why := oneLine(safe(strings.Join(s.Why, "; ")))
	switch s.State {
	case toolbox.SmokePassed:
		return "yes, by its smoke test"
	case toolbox.SmokeFailed:
		return "no: " + why
	case toolbox.SmokeUntold:
		return "could not be found out: " + why
	}
	return "was not tried"
}

// stateOf is what became of the current version of an installed install manifest; ok is
// false for other tools, and where it cannot be read, which 'verify' tells of.
func (a *app) stateOf(name spec.Name) (d toolbox.Deployed, ok bool) {
	client, err := a.client()
	if err != nil {
		return d, false
	}
	receipt, err := client.Box.Find(spec.Ref{Name: name})
	if err != nil {
		return d, false
	}
	d, ok, err = client.Box.Deployed(receipt)
	return d, ok && err == nil
}

// examineSecrets says where secrets of tools would be kept now.
func (a *app) examineSecrets(ctx context.Context) examined {
	store, err := keyring.Open(ctx, a.host)
	if err != nil {
		return examined{"secrets", false, err.Error(), fault.HintsOf(err)}
	}
	return examined{"secrets", true, "would be kept in " + store.Kind().Words(), nil}
}
