package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/arcade/arcadetest"
)

// engineKey is where the engine of a transcript stands among its values.
type engineKey struct{}

// engineHolder starts the engine of a transcript that wants one.
type engineHolder struct {
	tb     testing.TB
	engine *arcadetest.Engine
}

// engine starts Arcade's engine on loopback, configures it and sets its key. engine
// -says STATUS FILE makes it answer calls of tools by that, engine -sends URL send the
// caller elsewhere, engine -authorizes FILE answer who asks for leave by that; engine
// -asked N holds how often it was asked so far.
func engineCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := ts.Value(engineKey{}).(*engineHolder)
	switch {
	case neg || len(args) > 0 && h.engine == nil:
		ts.Fatalf("usage: engine [-says status file | -sends url | -authorizes file | -asked n]")
	case len(args) == 0:
		h.engine = arcadetest.New(h.tb)
		home := ts.Getenv("PATCH_GIT_HOME")
		ts.Check(os.MkdirAll(home, 0o700))
		config := fmt.Sprintf(`{"schema":1,"registries":{},"tools":{},"arcade":{"base_url":%q,"user_id":"ada@example.com"}}`, h.engine.URL)
		ts.Check(os.WriteFile(filepath.Join(home, "config.json"), []byte(config), 0o600))
		ts.Setenv("ARCADE_API_KEY", arcadetest.Key)
	case args[0] == "-says" && len(args) == 3:
		status, err := strconv.Atoi(args[1])
		ts.Check(err)
		h.engine.Executes(arcadetest.Reply{Status: status, Body: ts.ReadFile(args[2])})
	case args[0] == "-sends" && len(args) == 2:
		h.engine.Executes(arcadetest.Reply{Status: 307, Header: map[string]string{"Location": args[1]}})
	case args[0] == "-authorizes" && len(args) == 2:
		h.engine.Answers("POST /v1/tools/authorize", arcadetest.Reply{Body: ts.ReadFile(args[1])})
	case args[0] == "-asked" && len(args) == 2:
		if got := len(h.engine.Requests()); strconv.Itoa(got) != args[1] {
			ts.Fatalf("the engine was asked %d times", got)
		}
	default:
		ts.Fatalf("engine %q is no command", args)
	}
}
