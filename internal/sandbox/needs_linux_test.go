package sandbox_test

import (
	"testing"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// TestWhatToolsNeed is the other side: ordinary programs must not notice.
func TestWhatToolsNeed(t *testing.T) {
	source := `
import json, os, sys, socket, subprocess, tempfile, threading, shutil, getpass, time, locale, asyncio, pathlib
a, b = socket.socketpair(); a.send(b"x"); assert b.recv(1) == b"x"
t = threading.Thread(target=lambda: None); t.start(); t.join()
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d, "f"); p.write_text("x"); shutil.copy(p, p.with_name("g")); assert p.with_name("g").read_text() == "x"
    os.rename(p, p.with_name("h")); os.symlink("h", d + "/l"); os.listdir(d)
assert subprocess.run([sys.executable, "-I", "-S", "-c", "print(6*7)"], capture_output=True, text=True).stdout == "42\n"
async def main(): await asyncio.sleep(0); return 5
assert asyncio.run(main()) == 5
assert os.path.expanduser("~") == os.environ["HOME"]
open("/dev/null", "w").write("x"); assert len(open("/dev/urandom", "rb").read(8)) == 8
pid = os.fork()
if pid == 0: os._exit(3)
assert os.waitpid(pid, 0)[1] >> 8 == 3
os.kill(os.getpid(), 0)
print(json.dumps({"cwd": os.getcwd(), "tmp": tempfile.gettempdir()}))
`
	forEachDriver(t, func(t *testing.T, s *sandbox.Sandbox) {
		job := tool(t, source)
		out := run(t, s, job)
		if out.Exit != 0 {
			t.Fatalf("exit %d, signal %q\n%s", out.Exit, out.Signal, out.Stderr)
		}
		if out.Driver != s.Driver() {
			t.Errorf("driver %q, want %q", out.Driver, s.Driver())
		}
	})
}
