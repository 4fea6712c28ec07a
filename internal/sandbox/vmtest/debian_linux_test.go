package vmtest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is taken from Debian: for this side, and for the machine.
var (
	hostPackages  = []string{"qemu-system-x86", "linux-image-cloud-amd64"}
	guestPackages = []string{"python3-minimal", "libpython3-stdlib"}
)

// packages are unpacked, and installed nowhere.
type packages struct{ host, guest string }

// debian fetches what is missing, through this machine's own apt.
func debian(t *testing.T) packages {
	t.Helper()
	for _, program := range []string{"apt-get", "dpkg-deb"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("qemu and a kernel come from Debian's packages, and there is no %s here", program)
		}
	}
	cache := os.Getenv(cacheFolder)
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			t.Skipf("nowhere to keep packages: %v; %s names a folder", err, cacheFolder)
		}
		cache = filepath.Join(user, "patch-git-cgroup")
	}
	return packages{unpacked(t, filepath.Join(cache, "host"), hostPackages), unpacked(t, filepath.Join(cache, "guest"), guestPackages)}
}

// unpacked makes a folder with packages and all that they depend on, once. An
// empty list of what is installed makes apt fetch everything, whatever this
// machine has.
func unpacked(t *testing.T, dir string, names []string) string {
	t.Helper()
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	work := dir + ".new"
	for _, err := range []error{
		os.RemoveAll(work),
		os.MkdirAll(filepath.Join(work, "archives", "partial"), 0o755),
		os.MkdirAll(filepath.Join(work, "root"), 0o755),
		os.WriteFile(filepath.Join(work, "status"), nil, 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	args := []string{
		"install", "--download-only", "--no-install-recommends", "-yq",
		"-o", "Dir::State::status=" + filepath.Join(work, "status"), "-o", "Dir::Cache::archives=" + filepath.Join(work, "archives"),
		"-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=", "-o", "Debug::NoLocking=1",
	}
	if os.Getuid() == 0 {
		args = append(args, "-o", "APT::Sandbox::User=root")
	}
	if out, err := exec.CommandContext(t.Context(), "apt-get", append(args, names...)...).CombinedOutput(); err != nil {
		t.Skipf("Debian's packages %v cannot be fetched (apt-get update first?): %v\n%s", names, err, tail(out))
	}
	archives, err := filepath.Glob(filepath.Join(work, "archives", "*.deb"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no packages: %v", err)
	}
	for _, a := range archives {
		if out, err := exec.CommandContext(t.Context(), "dpkg-deb", "-x", a, filepath.Join(work, "root")).CombinedOutput(); err != nil {
			t.Fatalf("unpack %s: %v\n%s", a, err, out)
		}
	}
	if err := os.Rename(filepath.Join(work, "root"), dir); err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(work)
	return dir
}

// kernel is the newest one that was fetched, or the one that was named.
func (p packages) kernel(t *testing.T) string {
	t.Helper()
	if k := os.Getenv(otherKernel); k != "" {
		return k
	}
	found, _ := filepath.Glob(filepath.Join(p.host, "boot", "vmlinuz-*"))
	if len(found) == 0 {
		t.Fatal("the packages hold no kernel")
	}
	return slices.Max(found)
}

// qemu boots the machine and returns all that it said. Its programs run from
// where they were unpacked, by their own loader.
func (p packages) qemu(ctx context.Context, t *testing.T, image string) []byte {
	t.Helper()
	at := func(names ...string) string { return filepath.Join(append([]string{p.host}, names...)...) }
	loaders, _ := filepath.Glob(at("*", "ld-linux-x86-64.so.2"))
	more, _ := filepath.Glob(at("usr", "*", "ld-linux-x86-64.so.2"))
	if loaders = append(loaders, more...); len(loaders) == 0 {
		t.Fatal("the packages hold no loader")
	}
	libraries := []string{at("usr/lib/x86_64-linux-gnu"), at("lib/x86_64-linux-gnu")}
	for _, below := range []string{"pulseaudio", "blas", "lapack", "ceph"} {
		libraries = append(libraries, at("usr/lib/x86_64-linux-gnu", below))
	}
	cmd := exec.CommandContext(ctx, loaders[0], "--library-path", strings.Join(libraries, ":"), at("usr/bin/qemu-system-x86_64"),
		"-L", at("usr/share/qemu"), "-L", at("usr/share/seabios"),
		"-accel", "tcg,thread=multi", "-cpu", "Nehalem", "-smp", "2", "-m", "2048", "-nic", "none",
		"-nographic", "-no-reboot", "-kernel", p.kernel(t), "-initrd", image,
		"-append", "console=ttyS0 quiet panic=-1")
	cmd.Env = append(os.Environ(), "QEMU_MODULE_DIR="+at("usr/lib/x86_64-linux-gnu/qemu"))
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("qemu: %v\n%s", err, tail(said.Bytes()))
	}
	return bytes.ReplaceAll(said.Bytes(), []byte("\r"), nil)
}
