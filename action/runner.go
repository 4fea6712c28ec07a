package action

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/contribute"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/github"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// job is one job of a workflow, as its runner describes it.
type job struct {
	host     *host.Host
	in, work string // the registry's folder; that of the documents between jobs
	repo     github.Repo
	event    event
	hub      hub
	workshop *contribute.Workshop
	version  string
	tell     func(text string) // nil is silence
	pause    func(context.Context, time.Duration) error

	publishes bool // the workflow publish was started again by this job
}

// newJob reads the runner's environment. Nothing is asked of GitHub yet.
func newJob(h *host.Host, o Options) (*job, error) {
	for _, name := range []string{"GITHUB_REPOSITORY", "GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH"} {
		if h.Getenv(name) == "" {
			return nil, fault.New(fault.Usage, "no_job", "%s is not set: this command runs in a job of a GitHub workflow", name).
				Hint("docs/action.md lists what it reads")
		}
	}
	j := &job{host: h, in: cmp.Or(o.In, h.Dir), work: o.Work, version: o.Version, tell: o.Say, pause: pause}
	if j.work == "" {
		if h.Getenv("RUNNER_TEMP") == "" {
			return nil, fault.New(fault.Usage, "no_job", "RUNNER_TEMP is not set, and --work names no folder")
		}
		j.work = filepath.Join(h.Getenv("RUNNER_TEMP"), "patch-git")
	}
	var err error
	if j.repo, err = github.ParseRepo(h.Getenv("GITHUB_REPOSITORY")); err != nil {
		return nil, err
	}
	data, err := durable.ReadFile(h.Getenv("GITHUB_EVENT_PATH"), limits.Event)
	if err != nil {
		return nil, err
	}
	if j.event, err = parseEvent(h.Getenv("GITHUB_EVENT_NAME"), data, j.repo); err != nil {
		return nil, err
	}
	if j.workshop, err = contribute.New(h, "patch-git "+o.Version); err != nil {
		return nil, err
	}
	j.workshop.Warn = j.say
	return j, nil
}

// connect makes the client of GitHub. A job without a token can still read a
// public registry, but GitHub answers it sixty times in an hour.
func (j *job) connect() error {
	if j.hub != nil {
		return nil
	}
	token := j.host.Getenv("GITHUB_TOKEN")
	if token == "" {
		return fault.New(fault.Denied, "token", "GITHUB_TOKEN is not set").Hint("the action passes its input 'token' on")
	}
	client, err := github.New(github.Options{
		API: j.host.Getenv("GITHUB_API_URL"), HTTP: j.host.HTTP(), Token: token, Now: j.host.Now, Sleep: j.pause,
		Wait: func(why string, d time.Duration) { j.say("waiting " + d.String() + ": " + why) },
	})
	j.hub = client
	return err
}

// say talks in the log of the job.
func (j *job) say(text string) {
	_, _ = j.host.Stderr.Write([]byte("patch-git: " + logLine(text) + "\n"))
}

// output sets an output of the step. Only words of ours become one: a foreign
// text with a line break would set others.
func (j *job) output(name, value string) error {
	if strings.Trim(name+value, "abcdefghijklmnopqrstuvwxyz0123456789_-.") != "" || len(value) > 100 {
		return fault.New(fault.Internal, "output", "the output %s cannot be %s", spec.Quote(name), spec.Quote(value))
	}
	return j.append("GITHUB_OUTPUT", name+"="+value+"\n")
}

// summary adds Markdown to the summary of the job.
func (j *job) summary(markdown string) error {
	return j.append("GITHUB_STEP_SUMMARY", strings.TrimRight(markdown, "\n")+"\n\n")
}

// append adds to a file that the runner made for the step; where it made none
// nobody wants to know.
func (j *job) append(variable, text string) error {
	path := j.host.Getenv(variable)
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return durable.Classify("open", path, err)
	}
	_, err = f.WriteString(text)
	return durable.Classify("write", path, errors.Join(err, f.Close()))
}

// keep writes a document for the jobs that follow.
func (j *job) keep(name string, doc any) error {
	if err := os.MkdirAll(j.work, 0o755); err != nil {
		return durable.Classify("make folder", j.work, err)
	}
	return durable.Replace(filepath.Join(j.work, name), ledger.Encode(doc), 0o644)
}

// take reads a document that an earlier job of this run wrote; ok is false where
// there is none, or none that can be read. Members that this program does not
// know make it unreadable: the jobs of a run are one program.
func (j *job) take(name string, into any) (ok bool) {
	data, err := durable.ReadFileNoFollow(filepath.Join(j.work, name), limits.Review)
	if errors.Is(err, fs.ErrNotExist) {
		j.say(name + " is missing")
		return false
	}
	if err == nil {
		d := json.NewDecoder(strings.NewReader(string(data)))
		d.DisallowUnknownFields()
		if err = d.Decode(into); err == nil && d.More() {
			err = errors.New("there is more after it")
		}
	}
	if err != nil {
		j.say(name + " cannot be read: " + err.Error())
	}
	return err == nil
}

// has tells whether the registry has a workflow file.
func (j *job) has(workflow string) bool {
	_, err := os.Lstat(filepath.Join(j.in, ".github", "workflows", workflow))
	return err == nil
}

// pause waits, or ends with the context.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
