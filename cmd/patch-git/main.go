// Command patch-git is a registry of agent tools in which a git repository is
// the database. See `patch-git help` and README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/patch-cat/patch-git/internal/cli"
	"github.com/patch-cat/patch-git/internal/host"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, host.System(), os.Args[1:])
	stop()
	os.Exit(code)
}
