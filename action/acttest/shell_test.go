//go:build linux

package acttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// shellName is the program that act runs the steps of jobs with. Here it is this
// test binary, so that a job has what GitHub would give to that very job, which
// act does not know: a token with the job's own permissions, an identity token
// only where the job may have one, and no terminal.
const shellName = "bash"

// The variables by which the shell finds the tests; steps do not see them.
const (
	forgeURL = "ACTTEST_FORGE"
	runKey   = "ACTTEST_RUN"
	realBash = "ACTTEST_BASH"
)

// stepStart is what the shell says before a step, and stepEnd after it.
type stepStart struct {
	Run  string   `json:"run"`
	Job  string   `json:"job"`
	Step string   `json:"step"` // GITHUB_ACTION: its id or its place in the job or the action
	PID  int      `json:"pid"`
	Env  []string `json:"env"`
}

type stepEnd struct {
	stepStart

	Exit int `json:"exit"`
}

// stepOrder is what it is told.
type stepOrder struct {
	Replace map[string]string `json:"replace"` // values in values
	Set     map[string]string `json:"set"`
	Unset   []string          `json:"unset"`
	Refuse  string            `json:"refuse"` // the step is not to run, and why
}

// shell runs a step with bash and returns its exit code. 113 is our own.
func shell(args []string) int {
	runtime.LockOSThread() // the step dies with the thread that started it
	exit, err := runStep(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "acttest: run a step:", err)
		return 113
	}
	return exit
}

func runStep(args []string) (int, error) {
	where := os.Getenv(forgeURL)
	start := stepStart{Run: os.Getenv(runKey), Job: os.Getenv("GITHUB_JOB"), Step: os.Getenv("GITHUB_ACTION"), PID: os.Getpid(), Env: os.Environ()}
	var order stepOrder
	if err := post(where+"/step/start", start, &order); err != nil {
		return 0, err
	}
	if order.Refuse != "" {
		return 0, fmt.Errorf("%s", order.Refuse)
	}
	var env []string
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if _, set := order.Set[name]; set || strings.HasPrefix(name, "ACTTEST_") || slices.Contains(order.Unset, name) {
			continue
		}
		for from, to := range order.Replace {
			value = strings.ReplaceAll(value, from, to)
		}
		env = append(env, name+"="+value)
	}
	for name, value := range order.Set {
		env = append(env, name+"="+value)
	}
	// Without the terminal that act gives it, in a session of its own.
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	c := exec.Command(os.Getenv(realBash), args...)
	c.Args[0] = shellName
	c.Env, c.Stdout, c.Stderr = env, w, w
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		return 0, err
	}
	w.Close()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.Copy(os.Stdout, r)
	}()
	err = c.Wait()
	<-written
	start.Env = nil
	if c.ProcessState == nil {
		return 0, err
	}
	exit := c.ProcessState.ExitCode()
	if exit < 0 {
		exit = 128 + int(c.ProcessState.Sys().(syscall.WaitStatus).Signal())
	}
	return exit, post(where+"/step/end", stepEnd{start, exit}, nil)
}

// post sends a document and reads the answer.
func post(url string, v, into any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{}} // past the proxy
	resp, err := client.Post(url, "application/json", bytes.NewReader(data))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("%s: %s", resp.Status, text)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(into)
}
