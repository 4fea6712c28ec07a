// Command patch-git is a registry of agent tools in which a git repository is
// the database. See `patch-git help` and README.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/patch-cat/patch-git/action"
	"github.com/patch-cat/patch-git/internal/cli"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/mcpserver"
)

func main() {
	// A command lives for milliseconds and needs some megabytes: what the
	// collector would find is not worth a tenth of the time.
	debug.SetGCPercent(400)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Main(ctx, host.System(), os.Args[1:], cli.Faces{Action: action.Run, Serve: mcpserver.Serve, Offered: mcpserver.Offered})
	stop()
	os.Exit(code)
}
