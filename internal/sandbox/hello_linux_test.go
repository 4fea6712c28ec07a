package sandbox_test
import "testing"
func actor() {}
func TestHello(t *testing.T) {
	for _, d := range []string{"namespaces", "landlock"} {
		t.Run(d, func(t *testing.T) {
			out := run(t, open(t, d), tool(t, "import os,sys\nprint('hi', os.getpid(), os.getuid(), sys.stdin.read(), os.listdir('/tmp'))"))
			t.Logf("%+v\n%s\n%s", out, out.Stdout, out.Stderr)
		})
	}
}
