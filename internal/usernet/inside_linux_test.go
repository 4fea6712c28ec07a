package usernet_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/usernet"
)

// python is the interpreter of the tests and the mounts that it needs.
var python = sync.OnceValues(func() (string, []sandbox.Mount) {
	const exe = "/usr/bin/python3"
	out, err := exec.Command(exe, "-I", "-c", "import os,sys,sysconfig;print(os.path.realpath(sys.executable));print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		return "", nil
	}
	lines := strings.Fields(string(out))
	mounts := sandbox.HostLibraries()
	for _, p := range lines {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			mounts = append(mounts, sandbox.Mount{Source: real, Target: real})
		}
	}
	return lines[0], mounts
})

// try is what every tool of these tests can do; sh is the script's own part.
const prelude = `
import errno, json, os, socket, struct, sys, time
def first(kind, host, port):
    t = socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM
    family, t, proto, _, addr = socket.getaddrinfo(host, port, type=t)[0]
    s = socket.socket(family, t, proto)
    s.settimeout(5)
    s.connect(addr)
    return s
def probe(kind, host, port):
    began = time.monotonic()
    try:
        s = first(kind, host, port)
        if kind == "udp":
            s.settimeout(0.4)
            s.send(b"x")
        r = s.recv(100).decode().split("\n")[0]
    except socket.gaierror as e:
        r = "gai %d" % e.errno
    except TimeoutError:
        r = "silence"
    except OSError as e:
        r = errno.errorcode.get(e.errno, str(e))
    if kind == "tcp" and time.monotonic() - began > 1.5:
        r += " after %.1f s" % (time.monotonic() - began)
    return r
args = json.load(sys.stdin)
`

func script(tb testing.TB, source string, args any) sandbox.Job {
	tb.Helper()
	exe, mounts := python()
	if exe == "" {
		tb.Skip("no /usr/bin/python3 on this machine")
	}
	input, err := json.Marshal(args)
	if err != nil {
		tb.Fatal(err)
	}
	return sandbox.Job{
		Argv:      []string{exe, "-I", "-S", "-B", "/tmp/tool.py"},
		Env:       []string{"PATH=/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LANG=C.UTF-8"},
		Mounts:    mounts,
		StdinFile: "/tmp/args.json",
		Files: []sandbox.File{
			{Target: "/tmp/tool.py", Data: []byte(prelude + source)},
			{Target: "/tmp/args.json", Data: input},
		},
		Network: true,
		Limits:  sandbox.Limits{Wall: time.Minute},
	}
}

// with makes the network of a run with exceptions.
func with(tb testing.TB, exceptions ...string) *usernet.Net {
	tb.Helper()
	var list []usernet.Exception
	for _, text := range exceptions {
		e, err := usernet.ParseException(text)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, e)
	}
	n, err := usernet.New(tb.Context(), list)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// confined runs a script in the sandbox and reads the JSON that it prints.
func confined(tb testing.TB, up sandbox.Uplink, source string, args, result any) {
	tb.Helper()
	s, err := sandbox.Open(tb.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces"})
	if err != nil {
		tb.Skipf("no namespaces here: %v", err)
	}
	job := script(tb, source, args)
	job.Uplink = up
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	out, err := s.Run(ctx, job)
	if err != nil {
		tb.Fatal(err)
	}
	if slices.Contains(out.NotEnforced, sandbox.HostRoutes) {
		tb.Errorf("not enforced: %q", out.NotEnforced)
	}
	if err := json.Unmarshal(out.Stdout, result); err != nil {
		tb.Fatalf("%v, exit %d %s\n%s%s", err, out.Exit, out.Signal, out.Stdout, out.Stderr)
	}
}

// bare runs a script as it is, on the machine itself: what it reaches is there.
func bare(tb testing.TB, source string, args, result any) {
	tb.Helper()
	job := script(tb, source, args)
	cmd := exec.Command(job.Argv[0], "-I", "-S", "-B", "-c", string(job.Files[0].Data))
	cmd.Env = job.Env
	cmd.Stdin = strings.NewReader(string(job.Files[1].Data))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(out, result); err != nil {
		tb.Fatal(err)
	}
}

const probes = `
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    print(json.dumps(list(pool.map(lambda a: probe(*a), args))))
`

type spot struct {
	kind, host string
	port       int
}

func (s spot) MarshalJSON() ([]byte, error) { return json.Marshal([]any{s.kind, s.host, s.port}) }

// TestInsideReach is the law of this package: what is of the internet is
// reached, whatever else there is is refused, quickly, however it is spelled.
// All of it is there: the same script without the sandbox reaches it.
func TestInsideReach(t *testing.T) {
	inside(t)
	var spots []spot
	want := map[spot]bool{}
	add := func(reached bool, port, udp int, hosts ...string) {
		for _, h := range hosts {
			for _, s := range []spot{{"tcp", h, port}, {"udp", h, udp}} {
				spots = append(spots, s)
				want[s] = reached
			}
		}
	}
	add(true, 80, 90, internet...)
	for _, a := range elsewhere {
		if a != "240.0.0.1" {
			add(false, 80, 90, a)
		}
	}
	add(false, 80, 90, farV4, farV6, neighbour)
	add(false, 8080, 8080, nearV4, nearV6, nearOwn4, nearOwn6, "127.0.0.1", "::1", "127.1.2.3")
	// Spellings that one program reads as another does not.
	add(false, 8080, 8080, "0.0.0.0", "::", "::ffff:127.0.0.1", "0x7f.1", "2130706433", "127.1", "0177.0.0.1", "localhost")
	add(false, 80, 90, "::ffff:10.9.0.2", "0x0a090002", "168361986", "10.9.2", "::ffff:169.254.169.254")
	add(true, 80, 90, "::ffff:8.8.8.8", "0x08080808")
	spots = append(spots, spot{"tcp", "7.7.7.7", 8080})
	// Names lead to addresses, and those are judged.
	add(true, 80, 90, "web.test", "alias.test", "intra")
	add(false, 80, 90, "nas.test", "neighbour.test", "metadata.test", "storage.local")
	add(false, 8080, 8080, "rebind.test", "own.test", "myself.test")

	var there, got []string
	bare(t, probes, spots, &there)
	confined(t, with(t), probes, spots, &got)
	for i, s := range spots {
		// Only a kernel that hears of no address family at all is excused.
		if !strings.HasPrefix(there[i], "hi ") && (s.kind == "tcp" || s.host != "127.1.2.3" && s.port != 8080) {
			t.Errorf("%v is not there: %s", s, there[i])
		}
		if reached := strings.HasPrefix(got[i], "hi "); reached != want[s] {
			t.Errorf("%v: %s, reached is to be %v", s, got[i], want[s])
		}
		if strings.Contains(got[i], "after") || s.kind == "tcp" && got[i] == "silence" {
			t.Errorf("%v: %s", s, got[i])
		}
	}
}
