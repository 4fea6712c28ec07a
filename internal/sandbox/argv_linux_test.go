package sandbox

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestBwrapArguments compares the whole command line: every word of it is a
// part of the sandbox.
func TestBwrapArguments(t *testing.T) {
	b := &bwrapRoot{
		helper: 5, room: 4096, mounts: []Mount{{Target: "/data"}, {Target: "/out", Write: true}}, sources: []int{6, 7},
		files: []string{"/etc/passwd"}, texts: []int{8}, links: []link{{"lib64", "usr/lib64"}},
	}
	got := strings.Join(b.args(), " ")
	want := "bwrap --unshare-user --unshare-ipc --unshare-pid --unshare-uts --unshare-cgroup --uid 1000 --gid 1000 --hostname sandbox" +
		" --as-pid-1 --die-with-parent --cap-drop ALL --clearenv --unshare-net" +
		" --setenv GOMAXPROCS 1 --setenv GODEBUG containermaxprocs=0 --setenv GOGC off" +
		" --perms 1777 --size 4096 --tmpfs /tmp --dir /dev --symlink ../tmp /dev/shm" +
		" --dev-bind /dev/null /dev/null --dev-bind /dev/zero /dev/zero --dev-bind /dev/urandom /dev/urandom --dev-bind /dev/random /dev/random" +
		" --proc /proc --symlink /proc/self/fd /dev/fd --symlink /proc/self/fd/0 /dev/stdin --symlink /proc/self/fd/1 /dev/stdout --symlink /proc/self/fd/2 /dev/stderr" +
		" --symlink usr/lib64 /lib64 --perms 0444 --file 8 /etc/passwd --ro-bind-fd 5 /.patch-git --ro-bind-fd 6 /data --bind-fd 7 /out" +
		" --remount-ro / -- /.patch-git"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	b.network, b.copied = true, true
	if got := strings.Join(b.args(), " "); strings.Contains(got, "net") || !strings.Contains(got, "--perms 0555 --ro-bind-data 5 /.patch-git") {
		t.Errorf("with network, copied: %s", got)
	}
	if strings.Contains(strings.Join(b.args(), " "), "-try") {
		t.Error("something is tried only")
	}
}

func TestEngineArguments(t *testing.T) {
	c := &cell{
		name: "n", image: "sha256:0", uid: nobody, gid: nobody, mounts: []Mount{{Source: "/a", Target: "/b"}, {Source: "/c", Target: "/c", Write: true}},
		room: 8192, inodes: 9, memory: 100, processes: 7, files: 1024, tasks: ^uint64(0),
	}
	common := "run --rm --interactive --name n --log-driver none --network none --ipc private --shm-size 1048576 --hostname sandbox" +
		" --read-only --tmpfs /tmp:rw,exec,nosuid,nodev,mode=1777,size=8192,nr_inodes=9 --cap-drop ALL --security-opt no-new-privileges" +
		" --pids-limit 7 --memory 100 --memory-swap 100 --user 65534:65534 --workdir / --ulimit core=0:0 --ulimit nofile=1024:1024" +
		" --env GOMAXPROCS=1 --env GODEBUG=containermaxprocs=0"
	mounts := " --mount type=bind,source=/a,target=/b,bind-nonrecursive=true,bind-propagation=rprivate,readonly=true" +
		" --mount type=bind,source=/c,target=/c,bind-nonrecursive=true,bind-propagation=rprivate"
	docker := &engine{global: []string{"--host", "unix:///x"}}
	if got, want := strings.Join(docker.run(c), " "), "docker --host unix:///x "+common+" --pull never --no-healthcheck --entrypoint /.patch-git"+mounts+" sha256:0 relay"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	podman := &engine{podman: true}
	want := "podman " + strings.Replace(common, ",nr_inodes=9", "", 1) + " --ulimit nproc=-1:-1 --read-only-tmpfs=false --http-proxy=false --systemd=false" +
		mounts + " --rootfs sha256:0 /.patch-git relay"
	if got := strings.Join(podman.run(c), " "); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.network, c.uid = true, 1001
	if got := podman.run(c); !slices.Contains(got, "host") || !slices.Contains(got, "keep-id") || slices.Contains(got, "none ") {
		t.Errorf("network, without root: %q", got)
	}
	if got := strings.Join(docker.end("n"), " "); got != "docker --host unix:///x kill --signal KILL n" {
		t.Errorf("got %s", got)
	}
}

// TestBind: a path is one field, whatever is in it.
func TestBind(t *testing.T) {
	for source, want := range map[string]string{
		"/a b":                       "type=bind,source=/a b,target=/t,",
		"/a,target=/etc":             `type=bind,"source=/a,target=/etc",target=/t,`,
		`/a",readonly=false,source=`: `type=bind,"source=/a"",readonly=false,source=",target=/t,`,
		"/a\nb":                      "type=bind,\"source=/a\nb\",target=/t,",
	} {
		if got := bind(Mount{Source: source, Target: "/t"}); got != want+"bind-nonrecursive=true,bind-propagation=rprivate,readonly=true" {
			t.Errorf("%q: got %s", source, got)
		}
	}
}

func TestEmptyImage(t *testing.T) {
	id := "sha256:" + strings.Repeat("0f", 32)
	for printed, want := range map[string]string{
		id + ` ["` + emptyLayer + `"] null` + "\n":           id,
		id + ` ["` + emptyLayer + `","sha256:00"] null`:      "",
		id + ` ["sha256:00"] null`:                           "",
		id + ` ["` + emptyLayer + `"] {"/data":{}}`:          "", // a volume would be a place to write to
		"--privileged" + ` ["` + emptyLayer + `"] null`:      "",
		strings.ToUpper(id) + ` ["` + emptyLayer + `"] null`: "",
		id[:len(id)-1] + ` ["` + emptyLayer + `"] null`:      "",
		"": "",
	} {
		if got := emptyImage(printed); got != want {
			t.Errorf("%q: got %q", printed, got)
		}
	}
}

func TestAliases(t *testing.T) {
	links := []link{{"lib", "usr/lib"}, {"lib64", "usr/lib64"}, {"bin", "usr/bin"}}
	got := aliases([]Mount{{Source: "/usr/lib/x", Target: "/usr/lib/x"}, {Source: "/usr/lib64", Target: "/usr/lib64"}, {Source: "/usr/library", Target: "/usr/library"}, {Source: "/opt/p", Target: "/usr/bin/p", Write: true}}, links)
	if want := []Mount{{Source: "/usr/lib/x", Target: "/lib/x"}, {Source: "/usr/lib64", Target: "/lib64"}, {Source: "/opt/p", Target: "/bin/p", Write: true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestBlame(t *testing.T) {
	for said, want := range map[string]string{
		"bwrap: Unknown option --ro-bind-fd\nmore\n": `bwrap says "Unknown option --ro-bind-fd"`,
		"bwrap: \x1b[31m": `bwrap says "\x1b[31m"`,
		"bwrap: Can't get type of source /a/b: No such file or directory": `sandbox: a mount source changed meanwhile: bwrap says "Can't get type of source /a/b: No such file or directory"`,
		"bwrap: Can't get type of source /a/b: Permission denied":         `bwrap says "Can't get type of source /a/b: Permission denied"`,
		"":                   "",
		"a tool's own words": "",
	} {
		got := ""
		if err := blameBwrap([]byte(said)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", said, got, want)
		}
	}
}
