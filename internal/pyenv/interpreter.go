package pyenv

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

// Box runs jobs under the limits they name; *sandbox.Sandbox is one. A program
// that did not start is an error; one that failed is an Outcome.
type Box interface {
	Run(context.Context, sandbox.Job) (sandbox.Outcome, error)
}

// Pythons is the door to the interpreters and environments of one user. Its
// methods can be called from several goroutines and processes at once.
type Pythons struct {
	host     *host.Host
	box      Box
	embedded *standalone.Archive // nil for most builds of this program
}

// New makes a Pythons. Every interpreter it knows is run in box.
func New(h *host.Host, box Box) *Pythons {
	return &Pythons{host: h, box: box, embedded: standalone.Embedded(h.GOOS, h.GOARCH)}
}

// Interpreter is a CPython that ran in the sandbox and said what it is.
type Interpreter struct {
	Path    string      `json:"path"`    // the program itself, links resolved
	Version string      `json:"version"` // "3.12.1"
	Build   spec.Digest `json:"build"`   // equal for interpreters that can share bytecode and packages
	Magic   string      `json:"magic"`   // first four bytes of its bytecode files, in hexadecimal
	Cache   string      `json:"cache"`   // "cpython-312", part of the names of its bytecode files
	Target  string      `json:"target"`  // platform as closures name it; "" when no closure can
	Missing []string    `json:"missing"` // modules of the standard library that it was built without

	Mounts  []Mount `json:"mounts"`  // all that it needs of the host
	Trust   []Mount `json:"trust"`   // what it needs besides to find the certificates of authorities
	Library string  `json:"library"` // LD_LIBRARY_PATH that its loader needs, usually ""

	Note string `json:"-"` // what the person should know: why not the declared version
}

// Mount is a host path that an interpreter needs, read-only.
type Mount struct {
	Source string `json:"source"`
	Target string `json:"target"`
}

// Minor is the version that manifests name: "3.12".
func (in *Interpreter) Minor() string {
	major, minor := versionParts(in.Version)
	return fmt.Sprintf("%d.%d", major, minor)
}

// versionParts reads "3.12" and "3.12.1"; zeros for anything else.
func versionParts(v string) (major, minor int) {
	if _, err := fmt.Sscanf(v, "%d.%d", &major, &minor); err != nil {
		return 0, 0
	}
	return major, minor
}

// job is a job of our own on the interpreter: no network, nothing writable,
// nothing of the host but what the interpreter needs.
func (in *Interpreter) job(script string, args ...string) sandbox.Job {
	return sandbox.Job{
		Argv:   append(in.argv(), append([]string{"-c", script}, args...)...),
		Env:    in.env(),
		Mounts: in.mounts(),
	}
}

// argv starts the interpreter isolated from environment and user (-I), without
// site and so without any .pth file of a package (-S), without writing
// bytecode (-B), in UTF-8 whatever the host's locale.
func (in *Interpreter) argv() []string {
	return []string{in.Path, "-I", "-S", "-B", "-X", "utf8"}
}

// env is the whole environment of a run [AR-42].
func (in *Interpreter) env() []string {
	env := []string{"PATH=" + filepath.Dir(in.Path), "HOME=" + sandbox.ScratchDir, "LANG=C.UTF-8", "TMPDIR=" + sandbox.ScratchDir}
	if in.Library != "" {
		env = append(env, libraryVariable+"="+in.Library)
	}
	return env
}

// libraryVariable is taken out of the environment again before a tool's code
// runs.
const libraryVariable = "LD_LIBRARY_PATH"

func (in *Interpreter) mounts() []sandbox.Mount { return readOnly(in.Mounts) }

func readOnly(mounts []Mount) []sandbox.Mount {
	out := make([]sandbox.Mount, 0, len(mounts)+2)
	for _, m := range mounts {
		out = append(out, sandbox.Mount{Source: m.Source, Target: m.Target})
	}
	return out
}
