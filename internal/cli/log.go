package cli

import "github.com/spf13/cobra"

func (a *app) logCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "log",
		Short: "Audit a registry's log and all of its tree, watch what is added",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.logVerify(), a.logWatch())
	return c
}

// atMostOne asks for one argument or none.
func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%s takes one argument at most, got %d", c.CommandPath(), len(args)).Hint("%s", c.UseLine())
	}
	return nil
}
