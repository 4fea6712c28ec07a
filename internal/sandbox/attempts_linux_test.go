package sandbox_test

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

//go:embed testdata/probes
var probeFiles embed.FS

// probeSource is the program of all attempts, or only what those on limits and
// life need.
func probeSource(limits bool) []byte {
	names := []string{"0_harness", "1_network", "2_files", "3_processes", "4_kernel", "5_limits", "9_main"}
	if limits {
		names = []string{"0_harness", "5_limits", "9_main"}
	}
	var all []byte
	for _, name := range names {
		b, err := probeFiles.ReadFile("testdata/probes/" + name + ".py")
		if err != nil {
			die(err)
		}
		all = append(all, b...)
	}
	return all
}

// actAsHost is the second stage of a cage: it makes the world, makes the
// attempts, looks, and writes the report.
func actAsHost() {
	c := ordered()
	go func() {
		// Nothing of the cage outlives the test that made it.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(noCageExit)
	}()
	w, err := newWorld(c)
	if err != nil {
		die(err)
	}
	m := machine{w: w}
	if !w.cage.control() {
		m.box, err = sandbox.Open(context.Background(), sandbox.Options{Now: time.Now, Driver: c.Driver})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(noCageExit)
		}
	} else if c.Driver == unprotected {
		if m.box, err = sandbox.OpenUnsafe(sandbox.Options{Now: time.Now}); err != nil {
			die(err)
		}
	}
	if err := m.attempts(c.chosen()); err != nil {
		die(err)
	}
	b, err := json.Marshal(w.found)
	if err != nil {
		die(err)
	}
	_, _ = os.Stdout.Write(b)
}

// chosen are the probes that are to be tried, in the order of the list.
func (c cage) chosen() (list []probe) {
	wanted := map[string]bool{}
	for _, name := range c.Only {
		wanted[name] = true
	}
	for _, g := range groups {
		for _, p := range g.probes {
			if raced && p.limit == memory {
				continue // the helper is this binary, whose race detector does not fit into the limit
			}
			if len(c.Only) == 0 || wanted[p.name] {
				list = append(list, p)
			}
		}
	}
	return list
}

// machine makes attempts.
type machine struct {
	w   *world
	box *sandbox.Sandbox // nil in the control that starts programs plainly
}

// attempts makes the calm ones in one run, the others in runs of their own, at
// the same time as far as they leave each other alone, and the loud ones last.
func (m *machine) attempts(list []probe) error {
	var calm []*place
	var alone, late []*place
	places := make([]*place, len(list))
	var group sync.WaitGroup
	var failed error
	slots := make(chan struct{}, 4)
	for i, pr := range list {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			p, err := m.w.place(i, pr)
			if err != nil {
				failed = err
			}
			places[i] = p
		})
	}
	group.Wait()
	if failed != nil {
		return failed
	}
	for _, p := range places {
		switch {
		case p.probe.late:
			late = append(late, p)
		case p.probe.alone:
			alone = append(alone, p)
		default:
			calm = append(calm, p)
		}
	}
	stop := make(chan struct{})
	go m.help(places, stop)
	m.try(calm...)
	for _, p := range alone {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			m.try(p)
		})
	}
	group.Wait()
	for _, p := range append(calm, alone...) {
		p.look()
	}
	for _, p := range late {
		m.try(p)
		p.look()
	}
	close(stop)
	return nil
}

// try makes attempts in one run, and again without the one that ended it.
func (m *machine) try(places ...*place) {
	for len(places) > 0 {
		stdout, how := m.run(places)
		done := map[string]bool{}
		for line := range bytes.Lines(stdout) {
			text, ok := bytes.CutPrefix(line, []byte("@@"))
			var r reply
			if !ok || json.Unmarshal(text, &r) != nil {
				continue
			}
			if !r.Begun {
				done[r.Probe] = true
			}
			for _, p := range places {
				if p.probe.name == r.Probe {
					p.w.found[r.Probe].Ran = true
					if !r.Begun {
						p.said(r)
					}
				}
			}
		}
		var rest []*place
		for i, p := range places {
			if done[p.probe.name] {
				continue
			}
			if p.w.found[p.probe.name].Answer == "" {
				p.w.found[p.probe.name].Answer = how
			}
			rest = places[i+1:]
			break
		}
		places = rest
	}
}

// run starts the interpreter once for the places.
func (m *machine) run(places []*place) (stdout []byte, how string) {
	args := map[string]any{"world": m.w.facts}
	var each []any
	for _, p := range places {
		each = append(each, p.args)
	}
	args["places"] = each
	in, err := json.Marshal(args)
	if err != nil {
		die(err)
	}
	first := places[0]
	var stderr []byte
	switch {
	case m.box == nil:
		stdout, stderr, how = m.plainly(first, in)
	case first.probe.life:
		// A busy machine may need longer until the attempt has begun.
		for _, wall := range []time.Duration{700 * time.Millisecond, 3 * time.Second, 15 * time.Second} {
			stdout, stderr, how = m.sandboxed(first, in, wall)
			if !strings.Contains(how, "limit of time") || first.ready() {
				break
			}
		}
	default:
		stdout, stderr, how = m.sandboxed(first, in, 30*time.Second)
	}
	if l := first.probe.limit; l != nil && l.output && float64(max(len(stdout), len(stderr))) > l.allowed {
		first.saw(beyondLimit, itoa(max(len(stdout), len(stderr)))+" bytes")
	}
	first.alive()
	if !strings.HasPrefix(how, "exit 0") && len(stderr) > 0 {
		how += ": " + string(stderr[max(0, len(stderr)-300):])
	}
	return stdout, how
}

func (p *place) source() []byte { return probeSource(p.probe.limit != nil || p.probe.life) }

// ready tells whether the attempt says that it has begun.
func (p *place) ready() bool {
	_, err := os.Stat(p.rw() + "/ready")
	return err == nil
}

// plainly starts the attempts as a program without care would: with everything
// that is open, in the environment that is, and killed by its number alone.
func (m *machine) plainly(first *place, in []byte) (stdout, stderr []byte, how string) {
	dir, err := os.MkdirTemp("", "plain")
	if err != nil {
		die(err)
	}
	source := dir + "/tool.py"
	if err := os.WriteFile(source, first.source(), 0o644); err != nil {
		die(err)
	}
	cmd := exec.Command(m.w.cage.Python.Exe, "-I", "-S", "-B", source)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdin = bytes.NewReader(in)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 200 * time.Millisecond
	if err := cmd.Start(); err != nil {
		die(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	if first.probe.life {
		eventually(20*time.Second, func() bool { return first.ready() || len(ended) > 0 })
		time.Sleep(100 * time.Millisecond)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return nil, nil, "got SIGTERM"
	}
	err = <-ended
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
	if err != nil {
		return out.Bytes(), errs.Bytes(), err.Error()
	}
	return out.Bytes(), errs.Bytes(), "exit 0"
}

// sandboxed starts them as the product does.
func (m *machine) sandboxed(first *place, in []byte, wall time.Duration) (stdout, stderr []byte, how string) {
	job := m.job()
	job.Files = []sandbox.File{{Target: "/tmp/tool.py", Data: first.source()}, {Target: "/tmp/args.json", Data: in}}
	job.StdinFile = "/tmp/args.json"
	job.Argv = append(job.Argv, "/tmp/tool.py")
	if l := first.probe.limit; l != nil {
		job.Limits = l.job
	}
	job.Limits.Wall = wall
	out, err := m.box.Run(context.Background(), job)
	if err != nil {
		die(fmt.Errorf("%s: the sandbox did not run it: %w", first.probe.name, err))
	}
	how = fmt.Sprintf("exit %d %s", out.Exit, out.Signal)
	for why, yes := range map[string]bool{"memory": out.OutOfMemory, "processes": out.TooManyProcesses, "time": out.TimedOut, "output": out.StdoutCut} {
		if yes {
			how += ", ended by its limit of " + why
		}
	}
	return out.Stdout, out.Stderr, how
}

// job has what a tool gets, and the grants of the world.
func (m *machine) job() sandbox.Job {
	py, base := m.w.cage.Python, m.w.cage.Base
	j := sandbox.Job{
		Argv:    []string{py.Exe, "-I", "-S", "-B"},
		Env:     []string{"PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"},
		Mounts:  append([]sandbox.Mount(nil), py.Mounts...),
		Network: m.w.cage.Network,
	}
	j.Mounts = append(j.Mounts, ro(base+"/ro"), rw(base+"/rw"))
	for text, whose := range m.w.secrets {
		if whose == "a host's path" {
			j.Mounts = append(j.Mounts, sandbox.Mount{Source: base + "/" + text, Target: base + "/renamed"})
		}
	}
	if m.w.cage.User == asRootedColumn {
		mine := base + "/mine"
		if err := os.WriteFile(mine, nil, 0o600); err != nil {
			die(err)
		}
		j.Mounts = append(j.Mounts, ro(mine))
	}
	return j
}

// help does the host's part of attempts that need somebody to come.
func (m *machine) help(places []*place, stop chan struct{}) {
	done := map[string]bool{}
	for ; ; time.Sleep(5 * time.Millisecond) {
		select {
		case <-stop:
			return
		default:
		}
		for _, p := range places {
			if p.probe.help != nil && !done[p.probe.name] && p.probe.help(m, p) {
				done[p.probe.name] = true
			}
		}
	}
}

// helpListen comes to the port that the attempt says it listens on.
func helpListen(_ *machine, p *place) bool {
	b, err := os.ReadFile(p.rw() + "/port")
	if err != nil {
		return false
	}
	c, err := net.DialTimeout("tcp", "127.0.0.1:"+string(b), time.Second)
	if err != nil {
		return true
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	got := make([]byte, 100)
	n, _ := c.Read(got)
	p.w.arrived(got[:n], bytesArrived, "a port that it opened")
	return true
}

// helpName looks for the attempt's name among the sockets of the host.
func helpName(_ *machine, p *place) bool {
	b, err := os.ReadFile("/proc/net/unix")
	if err != nil || !strings.Contains(string(b), "@"+p.token) {
		return false
	}
	p.saw(hostChanged, "a name among the host's sockets")
	_ = os.WriteFile(p.rw()+"/done", nil, 0o666)
	return true
}

// helpWatched touches the file that is watched.
func helpWatched(_ *machine, p *place) bool {
	if !p.ready() {
		return false
	}
	_, _ = os.ReadFile(p.out() + "/secret")
	return true
}

// helpSwapped uses the path that the attempt changes meanwhile: as a source of
// other runs, or in the control as anyone would.
func helpSwapped(m *machine, p *place) bool {
	if !p.ready() {
		return false
	}
	path := p.rw() + "/name"
	go func() {
		eventually(700*time.Millisecond, func() bool {
			var got []byte
			if m.box == nil {
				got, _ = os.ReadFile(path + "/secret")
			} else {
				job := m.job()
				job.Mounts = append(job.Mounts[:len(m.w.cage.Python.Mounts)], ro(path))
				job.Argv = append(job.Argv, "-c", "import sys; print(open(sys.argv[1] + '/secret').read())", path)
				out, _ := m.box.Run(context.Background(), job)
				got = out.Stdout
			}
			for _, s := range secretShape.FindAllString(string(got), -1) {
				p.saw(secretRead, s)
				return true
			}
			return false
		})
		_ = os.WriteFile(p.rw()+"/done", nil, 0o666)
	}()
	return true
}
