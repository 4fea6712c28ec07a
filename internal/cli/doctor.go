package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/patch-cat/patch-git/internal/ahead"
	"github.com/patch-cat/patch-git/internal/aihost"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/pyenv"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/internal/trustroot"
	"github.com/patch-cat/patch-git/spec"
)

// examined is one line of doctor.
type examined struct {
	What   string   `json:"what"`
	OK     bool     `json:"ok"`
	Detail string   `json:"detail,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	driver := ""
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Tell what this machine can do, by trying it",
		Long: `Try every sandbox driver and every Python on this machine, and look at the state
of patch-git. The exit code is 0 where tools can be installed and run. Of the
drivers that work the first in the list is taken, or the one that --sandbox names.`,
		Example: "  patch-git doctor --json\n  patch-git doctor --sandbox bubblewrap",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := oneDriver(driver, c.Flags().Changed("sandbox")); err != nil {
				return err
			}
			options := ahead.Options(a.host.Paths, a.host.Now)
			options.Driver = driver
			drivers := sandbox.Probe(c.Context(), options)
			box, refused := sandbox.Open(c.Context(), options)
			lines := a.examine(c.Context(), drivers, box, refused)
			ok := true
			for _, l := range lines {
				ok = ok && (l.OK || slices.Contains([]string{driverCheck, "python candidate", "journal", trustLine, networkLine, embeddedLine, hostLine}, l.What))
			}
			if a.json {
				if err := a.out.document(map[string]any{"schema": 1, "ok": ok, "checks": lines, "drivers": tried(drivers)}); err != nil {
					return err
				}
			} else {
				var rows [][]string
				for _, l := range lines {
					mark := a.out.green("ok")
					if !l.OK {
						mark = a.out.red("no")
					}
					rows = append(rows, []string{mark, l.What, safe(l.Detail)})
					for _, n := range l.Notes {
						rows = append(rows, []string{"", "", "  " + safe(n)})
					}
				}
				a.out.table(rows)
			}
			if driver != "" && refused != nil {
				return refused
			}
			if !ok {
				return fault.New(fault.Unavailable, "doctor", "this machine cannot install or run tools yet")
			}
			return nil
		},
	}
	c.Flags().StringVar(&driver, "sandbox", "", "try this sandbox driver alone")
	return c
}

// oneDriver refuses a name that no driver has. Who gives an empty one meant
// some driver, and would get any.
func oneDriver(name string, given bool) error {
	if !given || slices.Contains(sandbox.DriverNames(), name) {
		return nil
	}
	return fault.New(fault.Usage, "unknown_driver", "there is no sandbox driver called %s; the drivers are %s",
		spec.Quote(name), strings.Join(sandbox.DriverNames(), ", ")).Hint("patch-git doctor")
}

// triedDriver is one driver for a program to read.
type triedDriver struct {
	Name        string   `json:"name"`
	Works       bool     `json:"works"`
	Reason      string   `json:"reason,omitempty"`
	Hints       []string `json:"hints,omitempty"`
	NotEnforced []string `json:"not_enforced,omitempty"`
	NoUplink    string   `json:"no_filtered_network,omitempty"` // why not
	Group       string   `json:"control_groups,omitempty"`      // where they are made
	NoGroup     string   `json:"no_control_groups,omitempty"`   // why not
}

func tried(reports []sandbox.DriverReport) []triedDriver {
	list := []triedDriver{}
	for _, r := range reports {
		list = append(list, triedDriver(r))
	}
	return list
}

// driverLine is a driver for a person: what it leaves open, or why it does not
// work and what can be done.
func driverLine(r sandbox.DriverReport) examined {
	var notes []string
	for _, n := range r.NotEnforced {
		notes = append(notes, "leaves open: "+n)
	}
	for _, h := range r.Hints {
		notes = append(notes, "hint: "+h)
	}
	return examined{driverCheck, r.Works, r.Name + colon(r.Reason), notes}
}

const driverCheck = "sandbox driver"

func (a *app) examine(ctx context.Context, drivers []sandbox.DriverReport, box *sandbox.Sandbox, refused error) []examined {
	lines := []examined{{What: "version", OK: true, Detail: Version + " on " + a.host.GOOS + "/" + a.host.GOARCH}, a.examineState(), a.examineTrust(), a.examineJournal(ctx)}
	lines = append(lines, a.examineSecrets(ctx))
	for _, r := range drivers {
		lines = append(lines, driverLine(r))
		if r.Works {
			lines = append(lines, examined{"sandbox limits", true, bounded(r), nil})
		}
	}
	if refused != nil {
		return append(lines, examined{"sandbox", false, refused.Error(), fault.HintsOf(refused)})
	}
	lines = append(lines, examined{"sandbox", true, "tools run confined, by the driver " + box.Driver(), nil}, examineNetwork(ctx, box))
	lines = append(lines, a.examineEmbedded()...)
	lines = append(lines, a.examineHosts()...)
	good, bad, err := pyenv.New(a.host, box).Known(ctx)
	if err != nil {
		return append(lines, examined{"python", false, err.Error(), fault.HintsOf(err)})
	}
	for _, in := range good {
		lines = append(lines, examined{"python candidate", true, in.Version + " at " + in.Path, nil})
	}
	for _, r := range bad {
		lines = append(lines, examined{"python candidate", false, r, nil})
	}
	if len(good) == 0 {
		return append(lines, examined{"python", false, "no CPython from 3.9 up", []string{"install one, for example: patch-git python install 3.14, or apt-get install python3"}})
	}
	return append(lines, examined{"python", true, "tools can run", nil})
}

// networkLine is the one about what a tool with network reaches.
const networkLine = "network"

func examineNetwork(ctx context.Context, box *sandbox.Sandbox) examined {
	if err := box.TryUplink(ctx); err != nil {
		return examined{networkLine, false, "a tool with network reaches this machine's own services and its local network", []string{err.Error()}}
	}
	return examined{networkLine, true, "a tool with network reaches the internet and what --allow-net names", nil}
}

// bounded says what holds a run of a driver to its limits as a whole.
func bounded(r sandbox.DriverReport) string {
	if r.Group != "" {
		return r.Name + ": memory and processes of a run by a control group in " + r.Group
	}
	return r.Name + ": watched from outside; no control group: " + r.NoGroup
}

// examineState writes and removes a file where the state is kept.
func (a *app) examineState() examined {
	root := a.host.Paths.Root
	if root == "" {
		return examined{"state", false, "there is no home directory", []string{"set PATCH_GIT_HOME to an absolute path"}}
	}
	probe := root + string(os.PathSeparator) + ".doctor"
	if err := durable.WriteFile(probe, []byte("ok\n"), 0o600); err != nil {
		return examined{"state", false, err.Error(), fault.HintsOf(err)}
	}
	_ = os.Remove(probe)
	return examined{"state", true, root, nil}
}

// trustLine is the one about whom registries signed by workflows are
// verified by. Without it those of a key work still.
const trustLine = "trusted root"

func (a *app) examineTrust() examined {
	if a.host.Paths.Root == "" {
		return examined{trustLine, false, "there is no home directory", nil}
	}
	m, err := trustroot.Load(a.host.Paths.Trust())
	if err != nil {
		return examined{trustLine, false, err.Error(), fault.HintsOf(err)}
	}
	age := m.Age(a.host.Now())
	line := examined{trustLine, true, fmt.Sprintf("%s %s, %d days old", source(m), asOf(m), int(age.Hours()/24)), nil}
	if age > limits.TrustStaleAfter {
		line.Notes = []string{"patch-git trust update"}
	}
	return line
}

// embeddedLine is the one about the interpreter in this program.
const embeddedLine = "embedded python"

// examineEmbedded says how old the interpreter in this program is: nobody but
// whoever releases the program brings it up to date.
func (a *app) examineEmbedded() []examined {
	e := standalone.Embedded(a.host.GOOS, a.host.GOARCH)
	if e == nil {
		return nil
	}
	age := e.Age(a.host.Now())
	line := examined{embeddedLine, true, fmt.Sprintf("%s, built %s, %d days old", e.Version, e.Date, int(age.Hours()/24)), nil}
	if age > limits.PythonStaleAfter {
		line.Notes = []string{"faults in it may be known and mended by now: get a newer patch-git, or patch-git python install " + e.Minor()}
	}
	return []examined{line}
}

// hostLine is the one about a host that has, or could have, this program.
const hostLine = "AI host"

// examineHosts says of every host that is here whether it starts this program. No
// tool needs one, and what a host's file names is not started to find out.
func (a *app) examineHosts() []examined {
	var lines []examined
	for _, s := range aihost.Look(a.host) {
		if !s.Here {
			continue
		}
		line := examined{hostLine, s.Problem == "", s.Title + ": " + hostWords(s), nil}
		if s.Entry == nil || s.Problem != "" {
			line.Notes = []string{"patch-git setup " + string(s.Host)}
		} else {
			line.Detail += ", starts " + s.Entry.Command + " " + Version
		}
		lines = append(lines, line)
	}
	return lines
}

// examineJournal reads every record of a run and what the runs wrote. Damage
// there keeps no tool from running, but a person should know.
func (a *app) examineJournal(ctx context.Context) examined {
	rep, err := audit.Open(a.host.Paths, a.host.Now, nil).Check(ctx)
	if err != nil {
		return examined{"journal", false, err.Error(), fault.HintsOf(err)}
	}
	var notes []string
	for i, p := range rep.Problems {
		if i == maxProblems {
			notes = append(notes, fmt.Sprintf("and %d more", len(rep.Problems)-i))
			break
		}
		notes = append(notes, p.Message)
	}
	return examined{"journal", len(notes) == 0, fmt.Sprintf("%d runs recorded, %d without an end", rep.Records, rep.Unfinished), notes}
}

// maxProblems is how much damage of the journal is listed.
const maxProblems = 5

func colon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + s
}
