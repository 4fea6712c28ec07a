package sandbox_test

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// uplinkOf is an Uplink of a test's own making.
type uplinkOf struct {
	doors []sandbox.Door
	serve func(sandbox.Link) (func(), error)
}

func (u uplinkOf) Doors() []sandbox.Door { return u.doors }

func (u uplinkOf) Serve(l sandbox.Link) (func(), error) { return u.serve(l) }

// linked is a job with an uplink, which leaves a mark when it runs.
func linked(t *testing.T, up sandbox.Uplink, late bool) (sandbox.Job, string) {
	t.Helper()
	dir := realTemp(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	mark := dir + "/ran"
	job := tool(t, "open("+strconv.Quote(mark)+", 'w').close()")
	job.Mounts = append(job.Mounts, rw(dir))
	job.Network, job.Uplink = true, up
	if late {
		job.StdinFile, job.Late, job.Stdin = "", true, []byte("x")
	}
	return job, mark
}

// needUplink skips where this machine or this user has no device for it.
func needUplink(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	s := open(t, "namespaces")
	if err := s.TryUplink(t.Context()); err != nil {
		t.Skip(err)
	}
	return s
}

// TestUplink: a program starts only once its uplink serves, which gets a device
// and the sockets at its doors, and is stopped when the program is gone.
func TestUplink(t *testing.T) {
	s := needUplink(t)
	for _, late := range []bool{false, true} {
		var mark string
		stopped := 0
		up := uplinkOf{
			doors: []sandbox.Door{{IP: [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}, Port: 80}, {IP: [16]byte{15: 1}, Port: 65535}},
			serve: func(l sandbox.Link) (func(), error) {
				time.Sleep(50 * time.Millisecond) // the rest is built by now
				if _, err := os.Stat(mark); err == nil {
					t.Error("the program did not wait for its uplink")
				}
				if l.Tun == nil || l.MTU < 1280 || len(l.Doors) != 4 {
					t.Errorf("%+v", l)
				}
				for _, f := range append(l.Doors, l.Tun) {
					f.Close()
				}
				return func() {
					if _, err := os.Stat(mark); err != nil {
						t.Error("stopped before the program ran")
					}
					stopped++
				}, nil
			},
		}
		job, m := linked(t, up, late)
		mark = m
		if out := run(t, s, job); out.Exit != 0 || out.Driver != "namespaces" || slices.Contains(out.NotEnforced, sandbox.HostRoutes) || stopped != 1 {
			t.Errorf("late %v: %+v %s, stopped %d times", late, out, out.Stderr, stopped)
		}
		// Its twin: without an uplink the host's routes serve, and the outcome says so.
		job.Uplink = nil
		if out := run(t, s, job); out.Exit != 0 || !slices.Contains(out.NotEnforced, sandbox.HostRoutes) {
			t.Errorf("without an uplink: %+v", out)
		}
	}
}

// TestUplinkRefused: a job that was promised an uplink does not run without.
func TestUplinkRefused(t *testing.T) {
	s := needUplink(t)
	no := errors.New("no")
	failing := uplinkOf{serve: func(l sandbox.Link) (func(), error) { l.Tun.Close(); return nil, no }}
	fine := uplinkOf{serve: func(l sandbox.Link) (func(), error) { return func() { l.Tun.Close() }, nil }}
	for _, late := range []bool{false, true} {
		job, mark := linked(t, failing, late)
		if out, err := s.Run(t.Context(), job); !errors.Is(err, no) || out.Exit != -1 {
			t.Errorf("late %v: %+v, %v", late, out, err)
		}
		if _, err := os.Stat(mark); err == nil {
			t.Error("the program ran without its uplink")
		}
		job.Uplink = fine
		if out := run(t, s, job); out.Exit != 0 {
			t.Errorf("late %v: %+v", late, out)
		}
		if _, err := os.Stat(mark); err != nil {
			t.Error("the twin did not run")
		}
	}
	// A door that cannot be.
	job, mark := linked(t, uplinkOf{doors: []sandbox.Door{{IP: [16]byte{10: 0xff, 11: 0xff, 12: 8, 13: 8, 14: 8, 15: 8}, Port: 80}}}, false)
	if out, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "no_uplink" || fault.KindOf(err) != fault.Denied || out.Exit != -1 {
		t.Errorf("a door elsewhere: %+v, %v", out, err)
	}
	// A gate that says no, after the uplink began to serve.
	stopped := false
	job.Uplink = uplinkOf{serve: func(l sandbox.Link) (func(), error) { return func() { l.Tun.Close(); stopped = true }, nil }}
	job.Gate = func() error { return no }
	if _, err := s.Run(t.Context(), job); !errors.Is(err, no) || !stopped {
		t.Errorf("a closed gate: %v, stopped %v", err, stopped)
	}
	// A driver without a network to give.
	job.Gate, job.Uplink = nil, fine
	l, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "landlock", Temp: realTemp(t)})
	if err == nil {
		if err := l.TryUplink(t.Context()); fault.ReasonOf(err) != "no_uplink" {
			t.Errorf("landlock: %v", err)
		}
		if out, err := l.Run(t.Context(), job); fault.ReasonOf(err) != "no_uplink" || out.Exit != -1 {
			t.Errorf("landlock: %+v, %v", out, err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program ran")
	}
	job.Network = false
	if _, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "bad_job" {
		t.Errorf("an uplink without network: %v", err)
	}
}

// TestUplinkCache: what is remembered is a yes, and it is forgotten when it
// turns out to be wrong.
func TestUplinkCache(t *testing.T) {
	needUplink(t)
	file := realTemp(t) + "/driver"
	s, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces", Cache: file})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.TryUplink(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + "-uplink"); err != nil {
		t.Error(err)
	}
	job, _ := linked(t, uplinkOf{doors: []sandbox.Door{{IP: [16]byte{10: 0xff, 11: 0xff, 12: 8}, Port: 80}}}, false)
	if _, err := s.Run(t.Context(), job); fault.ReasonOf(err) != "no_uplink" {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(file + "-uplink"); err == nil {
		t.Error("it is remembered still")
	}
	if err := s.TryUplink(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file + "-uplink"); err != nil {
		t.Error("it was not tried again:", err)
	}
}
