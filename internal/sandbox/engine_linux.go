package sandbox

import (
	"strconv"
	"strings"
)

// engine is a program that makes containers, by its command line.
type engine struct {
	podman bool
	global []string // before the command
}

// cell is one container that an engine is to make. It holds no image's files:
// everything in it is mounted.
type cell struct {
	name      string
	image     string // an empty one, by digest; for podman a directory, empty
	uid, gid  int
	network   bool
	mounts    []Mount
	room      int64 // bytes of the scratch
	inodes    int
	memory    int64
	processes int
	files     uint64 // descriptors that the caller may have itself
	tasks     uint64 // processes that the caller may have itself
}

// shmBytes is /dev/shm, which an engine does not let be a part of the scratch.
const shmBytes = 1 << 20

func decimal[T int | int64 | uint64](n T) string { return strconv.FormatInt(int64(n), 10) }

// run is the command line that makes the container and stays with it.
func (e *engine) run(c *cell) []string {
	network := "none"
	if c.network {
		network = "host"
	}
	memory, files := decimal(c.memory), ",nr_inodes="+decimal(c.inodes)
	if e.podman {
		files = "" // it knows no such option
	}
	a := append(e.argv(), "run", "--rm", "--interactive", "--name", c.name, "--log-driver", "none",
		"--network", network, "--ipc", "private", "--shm-size", decimal(int64(shmBytes)), "--hostname", "sandbox",
		"--read-only", "--tmpfs", ScratchDir+":rw,exec,nosuid,nodev,mode=1777,size="+decimal(c.room)+files,
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges",
		"--pids-limit", decimal(c.processes), "--memory", memory, "--memory-swap", memory,
		"--user", decimal(c.uid)+":"+decimal(c.gid), "--workdir", "/",
		"--ulimit", "core=0:0", "--ulimit", "nofile="+decimal(c.files)+":"+decimal(c.files),
		"--env", "GOMAXPROCS=1", "--env", "GODEBUG=containermaxprocs=0")
	if e.podman {
		a = append(a, "--ulimit", "nproc="+decimal(c.tasks)+":"+decimal(c.tasks),
			"--read-only-tmpfs=false", "--http-proxy=false", "--systemd=false")
		if c.uid != 0 && c.uid != nobody {
			a = append(a, "--userns", "keep-id") // podman without root
		}
	} else {
		a = append(a, "--pull", "never", "--no-healthcheck", "--entrypoint", boxName)
	}
	for _, m := range c.mounts {
		a = append(a, "--mount", bind(m))
	}
	if e.podman {
		return append(a, "--rootfs", c.image, boxName, relayWord)
	}
	return append(a, c.image, relayWord)
}

// bind is a mount as one line of CSV. Nothing that is mounted below the source
// comes along, because not every engine makes that read-only.
func bind(m Mount) string {
	fields := []string{"type=bind", "source=" + m.Source, "target=" + m.Target, "bind-nonrecursive=true", "bind-propagation=rprivate"}
	if !m.Write {
		fields = append(fields, "readonly=true")
	}
	for i, f := range fields {
		if strings.ContainsAny(f, ",\"\r\n") || strings.HasPrefix(f, " ") {
			fields[i] = `"` + strings.ReplaceAll(f, `"`, `""`) + `"`
		}
	}
	return strings.Join(fields, ",")
}

func (e *engine) argv() []string {
	name := "docker"
	if e.podman {
		name = "podman"
	}
	return append([]string{name}, e.global...)
}

// end is the command line that ends a container, wherever it is.
func (e *engine) end(name string) []string { return append(e.argv(), "kill", "--signal", "KILL", name) }

// The empty image: a tar archive without a file, and what every engine calls
// the layer that it becomes.
const (
	emptyTag   = "patch-git/empty:1"
	emptyLayer = "sha256:5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef"
	emptyTar   = 1024 // zero bytes
)

func (e *engine) inspect() []string {
	return append(e.argv(), "image", "inspect", "--format", "{{.Id}} {{json .RootFS.Layers}} {{json .Config.Volumes}}", emptyTag)
}

func (e *engine) load() []string { return append(e.argv(), "import", "-", emptyTag) }

// emptyImage reads what inspect printed: the digest of an image that is empty
// indeed, or "".
func emptyImage(printed string) string {
	id, rest, _ := strings.Cut(strings.TrimSpace(printed), " ")
	if rest != `["`+emptyLayer+`"] null` || !isDigest(id) {
		return ""
	}
	return id
}

func isDigest(s string) bool {
	hex, ok := strings.CutPrefix(s, "sha256:")
	return ok && len(hex) == 64 && strings.Trim(hex, "0123456789abcdef") == ""
}
