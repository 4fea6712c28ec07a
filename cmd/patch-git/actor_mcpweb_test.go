package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// mcpWebKey is where the HTTP server of a transcript stands among its values.
type mcpWebKey struct{}

// webServer is a running "patch-git mcp --http".
type webServer struct {
	cmd              *exec.Cmd
	url, file, token string
}

const mcpWebUsage = `mcp-web start [arg…]
mcp-web post BODY [NAME:VALUE]…   the status and the answer; TOKEN in a value is the token, "Host:" another host
mcp-web stop                      by the signal that a person sends`

// mcpWeb starts a server on a free port of loopback, and speaks HTTP with it.
func mcpWeb(ts *testscript.TestScript, neg bool, args []string) {
	w := ts.Value(mcpWebKey{}).(*webServer)
	switch {
	case neg || len(args) == 0:
		ts.Fatalf("usage: %s", mcpWebUsage)
	case args[0] == "start":
		w.start(ts, args[1:])
	case args[0] == "post" && len(args) > 1:
		w.post(ts, args[1], args[2:])
	case args[0] == "stop":
		ts.Check(w.cmd.Process.Signal(os.Interrupt))
		late := time.AfterFunc(10*time.Second, func() { _ = w.cmd.Process.Kill() })
		ts.Check(w.cmd.Wait())
		if !late.Stop() {
			ts.Fatalf("the server did not end")
		}
	default:
		ts.Fatalf("usage: %s", mcpWebUsage)
	}
}

func (w *webServer) start(ts *testscript.TestScript, args []string) {
	program := "patch-git"
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, program); isFile(p) {
			program = p
			break
		}
	}
	w.cmd = exec.Command(program, append([]string{"mcp", "--http", "127.0.0.1:0", "--json"}, args...)...)
	for _, n := range []string{"PATH", "HOME", "PATCH_GIT_HOME", "TMPDIR"} {
		w.cmd.Env = append(w.cmd.Env, n+"="+ts.Getenv(n))
	}
	w.cmd.Dir = ts.MkAbs(".")
	out, err := w.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(w.cmd.Start())
	ts.Defer(func() {
		_ = w.cmd.Process.Kill()
		_ = w.cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	ts.Check(err)
	var said struct {
		URL       string
		TokenFile string `json:"token_file"`
	}
	ts.Check(json.Unmarshal(line, &said))
	token, err := os.ReadFile(said.TokenFile)
	ts.Check(err)
	w.url, w.file, w.token = said.URL, said.TokenFile, string(token)
}

func (w *webServer) post(ts *testscript.TestScript, body string, headers []string) {
	req, err := http.NewRequest(http.MethodPost, w.url, strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ":")
		value = strings.ReplaceAll(value, "TOKEN", w.token)
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	ts.Check(err)
	_, _ = fmt.Fprintf(ts.Stdout(), "%d\n%s\n", res.StatusCode, answer)
}
