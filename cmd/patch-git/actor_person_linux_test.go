package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/picker/ptytest"
)

type personKey struct{}

var shownCode = regexp.MustCompile(`Type (\d{4}) to let it run`)

// person ANSWER [-exit N] patch-git ARGS… is somebody at a terminal of their own, who
// answers every question: "code" types what is shown, "again" first something else, "silence" types nothing,
// "page-yes" and "page-no" open the page whose link is shown and press a button, and
// anything else is typed as it is. What stood on the terminal is in the file
// screen; stdout and stderr are the program's.
func person(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: person answer [-exit n] patch-git args…")
	}
	answer, want := args[0], 0
	if args = args[1:]; args[0] == "-exit" {
		var err error
		want, err = strconv.Atoi(args[1])
		ts.Check(err)
		args = args[2:]
	}
	tb := ts.Value(personKey{}).(testing.TB)
	pty := ptytest.Open(tb, 500, 60)
	path := args[0]
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, args[0])); err == nil {
			path = found
			break
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATCH_GIT_HOME", "PATH", "NO_COLOR", "TMPDIR", "TERM", "CLAUDECODE"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pty.Start(cmd)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err := answerAll(pty, answer, ended)
	_, _ = ts.Stdout().Write(stdout.Bytes())
	_, _ = ts.Stderr().Write(stderr.Bytes())
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(pty.Text()+"\n"), 0o600))
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s%s\n%s", got, want, stdout.String(), stderr.String(), pty.Text())
	}
}

// answerAll answers each question once, until the program ends.
func answerAll(pty *ptytest.Pty, answer string, ended chan error) error {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	late := time.After(time.Minute)
	for answered := 0; ; {
		select {
		case err := <-ended:
			return err
		case <-late:
			return errors.New("the program does not end")
		case <-look.C:
		}
		if button, ok := strings.CutPrefix(answer, "page-"); ok && answered == 0 {
			if link := pageLink.FindString(pty.Text()); link != "" {
				answered++
				if _, err := press(link, button); err != nil {
					return err
				}
			}
			continue
		}
		codes := shownCode.FindAllStringSubmatch(pty.Text(), -1)
		if len(codes) <= answered {
			continue
		}
		code := codes[answered][1]
		switch {
		case answer == "silence":
		case answer == "code", answer == "again" && answered > 0:
			pty.Type(code + "\n")
		case answer == "again":
			pty.Type("0" + code + "\n")
		default:
			pty.Type(answer + "\n")
		}
		answered++
	}
}
