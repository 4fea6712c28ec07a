package realtest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// keeper is a thread that lives as long as this process does. Linux sends the
// signal that ends our services when the thread that started them is gone.
var keeper = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

func onKeeper(do func() error) error {
	failed := make(chan error, 1)
	keeper() <- func() { failed <- do() }
	return <-failed
}

// output runs a command to its end and returns what it wrote.
func output(c *exec.Cmd) (string, error) {
	var out strings.Builder
	c.Stdout, c.Stderr = &out, &out
	own(c)
	err := onKeeper(c.Start)
	if err == nil {
		err = c.Wait()
	}
	return out.String(), err
}

// service is a running program.
type service struct {
	name, file string
	env, args  []string
	dir        string // what it keeps, and where it runs
	log        string // its file
	url        string // answers when it is ready
	cmd        *exec.Cmd
	gone       chan struct{}
}

const (
	readyTime = 30 * time.Second
	busyTime  = time.Minute // for a port that somebody else has
	logBytes  = 6 << 10     // of a log are shown
)

// serve starts a program and waits until GET of the path on its first port
// answers. The arguments come from as many free ports as it wants. It runs
// until the test ends.
func serve(t *testing.T, p program, env []string, ports int, path string, args func(dir string, ports []string) []string) (*service, string) {
	t.Helper()
	file := p.built(t)
	// Between finding a port free and using it somebody else may take it. And
	// timestamp-server always has its figures on port 2112, so that a machine
	// has one at a time.
	for until := time.Now().Add(busyTime); ; time.Sleep(200 * time.Millisecond) {
		dir := t.TempDir()
		numbers := freePorts(t, ports)
		address := "http://127.0.0.1:" + numbers[0]
		s := &service{name: p.name, file: file, env: env, args: args(dir, numbers), dir: dir, log: filepath.Join(dir, "log"), url: address + path}
		s.start(t)
		err := s.ready()
		if err == nil {
			t.Cleanup(func() { s.show(t) })
			return s, address
		}
		s.stop()
		if text, _ := os.ReadFile(s.log); time.Now().After(until) || !bytes.Contains(text, []byte("address already in use")) {
			t.Errorf("%s: %v", p.name, err)
			s.show(t)
			t.FailNow()
		}
	}
}

// start starts it on its ports, with what it kept, until the test ends.
func (s *service) start(t *testing.T) {
	t.Helper()
	out, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	c := exec.CommandContext(t.Context(), s.file, s.args...)
	c.Dir, c.Stdout, c.Stderr = s.dir, out, out
	c.Env = append([]string{"HOME=" + s.dir, "TMPDIR=" + s.dir}, s.env...)
	own(c)
	if err := onKeeper(c.Start); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	s.cmd, s.gone = c, gone
	go func() {
		_ = c.Wait()
		close(gone)
	}()
	t.Cleanup(s.stop)
}

// show shows the end of the log if the test has failed.
func (s *service) show(t *testing.T) {
	t.Helper()
	if t.Failed() {
		text, _ := os.ReadFile(s.log)
		t.Logf("the log of %s ends with:\n%s", s.name, text[max(0, len(text)-logBytes):])
	}
}

// stop ends a service as a machine that fails does.
func (s *service) stop() {
	select {
	case <-s.gone:
	default:
		_ = end(s.cmd)
		<-s.gone
	}
}

// ready waits until it answers.
func (s *service) ready() error {
	client := &http.Client{Timeout: time.Second}
	var err error
	for until := time.Now().Add(readyTime); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		select {
		case <-s.gone:
			return fmt.Errorf("it ended: %v", s.cmd.ProcessState)
		default:
		}
		var resp *http.Response
		if resp, err = client.Get(s.url); err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		err = fmt.Errorf("it answers %s", resp.Status)
	}
	return fmt.Errorf("it is not ready after %v: %w", readyTime, err)
}

// freePorts holds all of them until it has enough, so that no two are alike.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports
}
