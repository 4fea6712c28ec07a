package cli

import (
	"time"

	"github.com/spf13/cobra"
)

// submitFlags are the flags of commands that propose something to a registry on
// GitHub.
type submitFlags struct {
	registry   string
	dry, watch bool
	askOwner   bool
	every      time.Duration
	most       time.Duration
}

func (a *app) submitFlagsOf(c *cobra.Command) *submitFlags {
	s := &submitFlags{}
	f := c.Flags()
	f.StringVar(&s.registry, "registry", "", "the registry on GitHub, as owner/name (default: the only one that is added)")
	f.BoolVarP(&s.dry, "dry-run", "n", false, "show what would be sent, and send nothing")
	f.BoolVar(&s.askOwner, "ask-owner", false, "propose also what belongs to somebody else, who has to approve it")
	f.BoolVar(&s.watch, "watch", false, "follow the pull request until clients read what it proposes")
	f.DurationVar(&s.every, "every", 10*time.Second, "how often --watch looks")
	f.DurationVar(&s.most, "timeout", 30*time.Minute, "how long --watch waits")
	_ = c.RegisterFlagCompletionFunc("registry", a.completeRegistries)
	return s
}

// check refuses what makes no sense together.
func (s *submitFlags) check() error {
	switch {
	case s.dry && s.watch:
		return usage("--dry-run sends nothing that --watch could follow")
	case s.every <= 0 || s.most <= 0:
		return usage("--every and --timeout are longer than nothing")
	}
	return nil
}

// notWith refuses the flags of a proposal beside one that makes none.
func (s *submitFlags) notWith(c *cobra.Command, other string) error {
	for _, name := range []string{"registry", "dry-run", "ask-owner", "watch", "every", "timeout"} {
		if c.Flags().Changed(name) {
			return usage("--%s is for a registry on GitHub, and %s publishes into a folder", name, other)
		}
	}
	return nil
}

// onlyWith refuses flags that only another one gives a meaning.
func onlyWith(c *cobra.Command, other string, names ...string) error {
	for _, name := range names {
		if c.Flags().Changed(name) {
			return usage("--%s goes with %s, the folder of a registry", name, other)
		}
	}
	return nil
}
