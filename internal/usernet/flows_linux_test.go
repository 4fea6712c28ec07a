package usernet_test

import (
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// equal compares what JSON holds.
func equal(a, b any) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && string(x) == string(y)
}

// TestInsideFlows: connections behave as they do without us.
func TestInsideFlows(t *testing.T) {
	inside(t)
	source := `
import hashlib, threading
def talk(word, host="8.8.8.8"):
    s = socket.create_connection((host, 80)); s.settimeout(20)
    f = s.makefile("rb"); f.readline()
    s.sendall(word.encode() + b"\n")
    return s, f
out = {}
# What is sent to an echo comes back whole, after the tool has said all.
block = bytes(range(256)) * 4096
n = 24
s, f = talk("echo")
sent, got = hashlib.sha256(), hashlib.sha256()
def send():
    for _ in range(n): s.sendall(block); sent.update(block)
    s.shutdown(socket.SHUT_WR)
t = threading.Thread(target=send); t.start()
left = n * len(block)
while left:
    b = f.read(min(left, 1 << 16)); left -= len(b); got.update(b)
    if not b: break
t.join()
out["echo"] = sent.digest() == got.digest()
out["half-closed"] = f.readline().decode().strip()
out["end"] = f.read().decode()
# One way at a time.
s, f = talk("sink")
for _ in range(n): s.sendall(block)
s.shutdown(socket.SHUT_WR)
out["sink"] = f.readline().decode().strip()
s, f = talk("send 25165824", "2001:4860:4860::8888")
total = 0
while total < 25165824:
    b = f.read(1 << 16); total += len(b)
    if not b: break
out["source"] = total
out["after"] = f.readline().decode().strip()
# How others end.
s, f = talk("reset")
try: out["reset"] = s.recv(1).decode()
except OSError as e: out["reset"] = errno.errorcode[e.errno]
def refused(host, port, wait=1):
    s = socket.socket(); s.settimeout(wait); began = time.monotonic()
    try: s.connect((host, port)); return "open"
    except TimeoutError: return "timeout"
    except OSError as e: return errno.errorcode[e.errno] + (" slowly" if time.monotonic() - began > 0.9 else "")
out["closed port"] = refused("8.8.8.8", 81)
out["nobody"] = refused("` + silent + `", 80)
# One that listens slowly gets all.
s, f = talk("send 8388608")
time.sleep(0.5)
out["slow"] = len(f.read(8388608))
# Datagrams, small and as large as there are.
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.settimeout(3)
for size in (0, 1, 1400, 9000, 65507):
    u.sendto(b"d" * size, ("8.8.8.8", 90)); out["datagram %d" % size] = len(u.recvfrom(70000)[0])
# One socket, many that answer.
seen = set()
for h in ("8.8.8.8", "1.1.1.1"):
    u.sendto(b"x", (h, 90)); seen.add(u.recvfrom(100)[1][0])
out["answers from"] = sorted(seen)
print(json.dumps(out))
`
	var got map[string]any
	confined(t, with(t), source, nil, &got)
	for k, want := range map[string]any{
		"echo": true, "half-closed": "total 25165824", "end": "", "sink": "total 25165824", "source": 25165824, "after": "total 25165824",
		"reset": "ECONNRESET", "closed port": "ECONNREFUSED", "nobody": "timeout", "slow": 8388608,
		"datagram 0": 11, "datagram 1": 12, "datagram 1400": 1011, "datagram 9000": 1011, "datagram 65507": 1011,
		"answers from": []string{"1.1.1.1", "8.8.8.8"},
	} {
		if !equal(got[k], want) {
			t.Errorf("%s: got %v, want %v", k, got[k], want)
		}
	}
}

// TestInsideLastWords: what a tool says before it ends is heard.
func TestInsideLastWords(t *testing.T) {
	inside(t)
	source := `
s = socket.create_connection(("8.8.8.8", 80)); s.sendall(b"sink\n" + b"x" * 4000000)
k = socket.create_connection(("127.0.0.1", 8080)); k.sendall(b"sink\n" + b"x" * 100000)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); u.sendto(b"last words", ("8.8.8.8", 91))
print(json.dumps(os.getpid())); sys.stdout.flush(); os._exit(0)
`
	heard := listenFar(t)
	var pid int
	for range 5 {
		confined(t, with(t, "127.0.0.1:8080"), source, nil, &pid)
		select {
		case text := <-heard:
			if text != "last words" {
				t.Errorf("heard %q", text)
			}
		case <-time.After(2 * time.Second):
			t.Error("the last words were lost")
		}
	}
}

// TestInsideFlood: a tool that opens flow after flow, and as many at once as it
// can, meets a limit; this process stays small, and serves on.
func TestInsideFlood(t *testing.T) {
	if raced {
		t.Skip("the race detector's own memory does not fit into the bound")
	}
	inside(t)
	source := `
out = {}
def count(what, n, do):
    ok = 0
    for _ in range(n): ok += do()
    out[what] = ok
def once(host, port):
    s = socket.socket(); s.settimeout(5)
    try: s.connect((host, port)); return 1
    except OSError: return 0
    finally: s.close()
count("refused", 5000, lambda: once("10.9.0.2", 80))
count("opened", 600, lambda: once("8.8.8.8", 80))
kept = []
def keep():
    for host in ("8.8.8.8", "1.1.1.1"):
        for _ in range(int(sys.argv[1])):
            s = socket.socket(); s.settimeout(5)
            try: s.connect((host, 80)); kept.append(s)
            except OSError: s.close()
pids = []
for _ in range(2):
    pid = os.fork()
    if pid == 0:
        keep(); time.sleep(2.5)
        open("/tmp/kept%d" % os.getpid(), "w").write(str(len(kept))); os._exit(0)
    pids.append(pid)
for pid in pids: os.waitpid(pid, 0)
out["kept"] = sum(int(open("/tmp/kept%d" % p).read()) for p in pids)
u = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(200)]
def datagram(i=[0]):
    i[0] += 1
    u[i[0] % 200].sendto(b"x", ("8.8.8.8", 1000 + i[0] // 200)); return 1
count("datagrams", 2000, datagram)
for s in u: s.close()
time.sleep(0.5)
out["afterwards"] = probe("tcp", "8.8.8.8", 80)
out["udp afterwards"] = probe("udp", "8.8.8.8", 90)
print(json.dumps(out))
`
	s, err := sandbox.Open(t.Context(), sandbox.Options{Now: time.Now, Driver: "namespaces"})
	if err != nil {
		t.Skip(err)
	}
	job := script(t, source, nil)
	job.Argv = append(job.Argv, "120")
	job.Uplink = with(t)
	before, flows := resident(), runtime.NumGoroutine()
	most := make(chan [2]int)
	done := make(chan struct{})
	go func() {
		var peak [2]int
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			select {
			case <-tick.C:
				peak[0], peak[1] = max(peak[0], resident()), max(peak[1], runtime.NumGoroutine())
			case <-done:
				most <- peak
				return
			}
		}
	}()
	out, err := s.Run(t.Context(), job)
	close(done)
	peak := <-most
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Stdout, &got); err != nil {
		t.Fatalf("%v %s", err, out.Stderr)
	}
	t.Logf("%v; from %d to %d KiB, from %d to %d goroutines, %v", got, before, peak[0], flows, peak[1], out.Duration)
	for k, want := range map[string]any{"refused": 0, "opened": 600, "kept": 256, "datagrams": 2000, "afterwards": "hi 8.8.8.8", "udp afterwards": "hi 8.8.8.8"} {
		if !equal(got[k], want) {
			t.Errorf("%s: got %v, want %v", k, got[k], want)
		}
	}
	if grown := peak[0] - before; grown > 200<<10 {
		t.Errorf("this process grew by %d KiB", grown)
	}
	// All of it is gone with the run.
	for range 100 {
		if runtime.NumGoroutine() <= flows+2 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b := make([]byte, 1<<16)
	t.Errorf("%d goroutines are left, there were %d\n%s", runtime.NumGoroutine(), flows, b[:runtime.Stack(b, true)])
}

// resident is this process's memory in KiB.
func resident() int {
	b, _ := os.ReadFile("/proc/self/statm")
	f := strings.Fields(string(b))
	if len(f) < 2 {
		return 0
	}
	n := 0
	for _, c := range f[1] {
		n = n*10 + int(c-'0')
	}
	return n * os.Getpagesize() / 1024
}

// isDir tells whether the machine has a directory.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// TestInsideConfined: the network's makings are not the tool's.
func TestInsideConfined(t *testing.T) {
	inside(t)
	source := `
import fcntl
out = {"dev": sorted(os.listdir("/dev")), "certificates": os.path.isdir("/etc/ssl/certs"), "fds": sorted(os.listdir("/proc/self/fd"))}
def attempt(what, do):
    try: do(); out[what] = "done"
    except OSError as e: out[what] = errno.errorcode[e.errno]
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
name = b"tun0".ljust(16, b"\0")
attempt("down", lambda: fcntl.ioctl(s, 0x8914, name + b"\0" * 24))
attempt("address", lambda: fcntl.ioctl(s, 0x8916, name + struct.pack("=HH4s", 2, 0, bytes([8,8,8,8])) + b"\0" * 16))
attempt("mtu", lambda: fcntl.ioctl(s, 0x8922, name + struct.pack("=I", 1500) + b"\0" * 20))
attempt("tun", lambda: os.open("/dev/net/tun", os.O_RDWR))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("ping", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1))
attempt("unix", lambda: socket.socket(socket.AF_UNIX))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("low port", lambda: socket.socket().bind(("127.0.0.1", 80)))
# A server of the tool's own is the tool's own.
l = socket.create_server(("127.0.0.1", 8085)); c = socket.create_connection(("127.0.0.1", 8085)); l.accept()[0].sendall(b"me"); out["own"] = c.recv(2).decode()
out["caps"] = [x.split()[1] for x in open("/proc/self/status") if x.startswith("Cap")]
print(json.dumps(out))
`
	var got map[string]any
	confined(t, with(t, "127.0.0.1:8080"), source, nil, &got)
	for k, want := range map[string]any{
		"down": "EPERM", "address": "EPERM", "mtu": "EPERM", "tun": "ENOENT", "raw": "EACCES", "unix": "EACCES", "netlink": "EACCES", "packet": "EACCES", "vsock": "EACCES",
		"ping": "EACCES", "low port": "EACCES", "own": "me", "caps": slices.Repeat([]string{"0000000000000000"}, 5),
		"fds": []string{"0", "1", "2", "3"}, "certificates": isDir("/etc/ssl/certs"),
	} {
		if !equal(got[k], want) {
			t.Errorf("%s: got %v, want %v", k, got[k], want)
		}
	}
	if slices.Contains(got["dev"].([]any), any("net")) {
		t.Errorf("/dev holds %v", got["dev"])
	}
}
