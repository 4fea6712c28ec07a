package site

import (
	"cmp"
	"strings"

	"github.com/patch-cat/patch-git/internal/aihost"
	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/spec"
)

// action is one thing that a tool can be asked to do.
type action struct{ Name, Effects, Summary string }

// otherContract is what a manifest of another format than Patch says of actions and
// of setting the tool up.
func (p *toolPage) otherContract(c *spec.Tool, in room) {
	for _, o := range c.Operations[:min(len(c.Operations), in.rows)] {
		p.Actions = append(p.Actions, action{
			sanitize.Fit(o.Name, in.width), sanitize.Fit(string(cmp.Or(o.Effects, "unsaid")), in.width), sanitize.Fit(o.Summary, in.width),
		})
	}
	p.MoreActions = len(c.Operations) - len(p.Actions)
	add := func(what, text string) {
		if text = strings.TrimSpace(text); text != "" && len(p.Facts) < 2*in.rows {
			p.Facts = append(p.Facts, fact{What: what, Text: sanitize.Fit(text, in.width)})
		}
	}
	switch {
	case c.Deployment != nil:
		d := c.Deployment
		add("Kind", d.Kind)
		add("Installs", artifact(&d.Install))
		add("Runs", strings.Join(d.Command, " "))
		add("Talks to", d.EndpointURL)
		add("Is tried by", cmp.Or(strings.Join(d.Smoke.Command, " "), d.Smoke.URL, d.Smoke.Tool, d.Smoke.Action))
		add("Taken back by", cmp.Or(strings.Join(d.KillSwitch.Command, " "), d.KillSwitch.URL, d.KillSwitch.Instructions))
		for _, e := range d.Env {
			add("Asks for "+sanitize.Fit(e.Name, in.width/4), e.Prompt)
		}
		for _, s := range d.Scopes {
			add("May "+sanitize.Fit(strings.Join(s.Actions, ", ")+" "+s.Resource, in.width/2), s.Rationale)
		}
	case c.Skill != nil:
		for _, one := range c.Skill.Commands {
			add("Needs the program", one.Cmd)
		}
		for _, e := range append(append([]spec.SkillEnv{}, c.Skill.EnvRequired...), c.Skill.EnvOptional...) {
			add("Reads "+sanitize.Fit(e.Name, in.width/4), cmp.Or(e.Description, "a variable"))
		}
		add("Asks its host for", strings.Join(c.Skill.AllowedTools, ", "))
		add("Works with", c.Skill.Compatibility)
	case c.Arcade != nil:
		add("Through Arcade as", c.Arcade.FQN)
		add("Toolkit", c.Arcade.Toolkit.Name+" "+c.Arcade.Toolkit.Version)
		if u := c.Arcade.Auth; u != nil {
			add("Your account", cmp.Or(u.ProviderID, u.ProviderType, u.Word, u.ID)+" "+strings.Join(u.Scopes, ", "))
		}
		add("Secrets", strings.Join(c.Arcade.Secrets, ", "))
	}
}

// artifact says what is acquired, in one line.
func artifact(a *spec.Artifact) string {
	switch a.Method {
	case "pip", "npm":
		return a.Package + " " + a.VersionSpec + ", by " + a.Method
	case "git":
		return a.URL + " at " + a.Ref
	case "url":
		return a.URL
	case "container":
		return a.Image
	}
	return a.Method
}

// otherUses are the commands for tools that are not run by themselves. Nothing that
// a stranger wrote is in them but names, which have an alphabet.
func otherUses(format spec.Format, name, ref string, c *spec.Tool) []use {
	pull := "patch-git pull " + ref
	switch format {
	case spec.FormatInstall:
		uses := []use{{"shell", "Shell", "Fetch it, verify who accepted it, and set it up. It shows what it installs and asks before it does.", pull + callOf(name, c), "", true}}
		if c == nil || len(c.Operations) == 0 {
			return uses
		}
		return append(uses, hostUses("Set it up, and have the host start patch-git, which serves its actions with your other tools by MCP. The second line is needed once.", pull, "patch-git setup ", aihost.IDs())...)
	case spec.FormatSkill:
		uses := []use{{"shell", "Shell", "Fetch it, verify who accepted it, and see what it would do here.", pull + "\npatch-git skill run-plan " + name, "", true}}
		return append(uses, hostUses("Fetch it, and put it where the host looks for skills.", pull, "patch-git skill install "+name+" --to ", aihost.SkillHosts())...)
	case spec.FormatArcade:
		uses := []use{{"shell", "Shell", "Fetch it, verify who accepted it, and run it through Arcade with a key of yours.", pull + "\npatch-git arcade login\npatch-git run " + name, "", true}}
		return append(uses, hostUses("Fetch it, and have the host start patch-git, which calls it through Arcade with a key of yours. All but the first line are needed once.", pull, "patch-git arcade login\npatch-git setup ", aihost.IDs())...)
	}
	return []use{{"shell", "Shell", "Fetch it and verify who accepted it.", pull, "", true}}
}

// hostUses are the same lines for each of some hosts, whose name ends the last.
func hostUses(about, pull, line string, hosts []aihost.ID) []use {
	var out []use
	for _, id := range hosts {
		out = append(out, use{string(id), aihost.Title(id), about, pull + "\n" + line + string(id), "", false})
	}
	return out
}

// callOf is the line that calls the first action, where its name can stand in a
// command.
func callOf(name string, c *spec.Tool) string {
	if c == nil || len(c.Operations) == 0 || strings.Trim(c.Operations[0].Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return ""
	}
	return "\npatch-git call " + name + " " + c.Operations[0].Name
}

// coloured takes a main file apart for the eye: Python by its syntax, any other text
// by its lines alone.
func coloured(main, source string) []line {
	if main == spec.FormatPatch.MainFile() {
		return python(source)
	}
	var out []line
	for text := range strings.SplitSeq(strings.TrimSuffix(source, "\n"), "\n") {
		l := line{N: len(out) + 1}
		if text != "" {
			l.Parts = []part{{Text: text}}
		}
		out = append(out, l)
	}
	return out
}
