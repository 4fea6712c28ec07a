package sandbox

import (
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// libraries are the places of the dynamic loader and the C library on the
// common distributions, and of the data that they read. A place that is a
// link is left out: where it leads is in the list, and the link itself is
// made anew in the root.
var libraries = [...]string{
	"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64",
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
	"/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1",
	"/usr/lib/locale", "/usr/share/zoneinfo",
}

// HostLibraries are the mounts that a program linked to the host's C library
// needs: loader, libraries, locales and time zones, read-only and at the same
// paths. An interpreter and its own library are for the caller to add.
func HostLibraries() []Mount {
	var mounts []Mount
	for _, p := range libraries {
		if real, err := resolve(p); err == nil && real == p {
			mounts = append(mounts, Mount{Source: p, Target: p})
		}
	}
	return mounts
}

// resolve is where a path leads, through all links, as the kernel itself tells.
func resolve(p string) (string, error) {
	fd, err := unix.Open(p, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = unix.Close(fd) }()
	return os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
}

// maxResolver is what is read of a resolver file.
const maxResolver = 64 << 10

// networkFiles are the host's answers to "who is where", as files for the
// private /etc.
func networkFiles() []File {
	var files []File
	for _, p := range []string{"/etc/resolv.conf", "/etc/hosts"} {
		f, err := os.Open(p)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(f, maxResolver))
		_ = f.Close()
		if err == nil {
			files = append(files, File{Target: p, Data: b})
		}
	}
	return files
}

// uplinkFiles are the same for a job with an uplink: the resolver is the
// uplink, with the host's own habits of search, and no name of the host's is
// told.
func uplinkFiles() []File {
	text := []byte("nameserver " + Resolver + "\n")
	for _, f := range networkFiles() {
		if f.Target != "/etc/resolv.conf" {
			continue
		}
		for line := range strings.SplitSeq(string(f.Data), "\n") {
			if w := strings.Fields(line); len(w) > 1 && (w[0] == "search" || w[0] == "domain" || w[0] == "options") {
				text = append(text, strings.Join(w, " ")+"\n"...)
			}
		}
	}
	return []File{{Target: "/etc/resolv.conf", Data: text}}
}

// authorities are where distributions keep the certificates that TLS
// libraries look for. None of them holds a private key.
var authorities = [...]string{
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem",
	"/etc/pki/ca-trust/extracted", "/etc/ca-certificates/extracted",
	"/usr/share/ca-certificates", "/usr/local/share/ca-certificates",
}

// certificates are the mounts of the authorities, links resolved.
func certificates() []Mount {
	var mounts []Mount
	for _, p := range authorities {
		if real, err := resolve(p); err == nil {
			mounts = append(mounts, Mount{Source: real, Target: p})
		}
	}
	return mounts
}

// networkPaths are the same things where they really lie.
func networkPaths() []string {
	var paths []string
	for _, p := range append([]string{"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"}, authorities[:]...) {
		if real, err := resolve(p); err == nil {
			paths = append(paths, real)
		}
	}
	return paths
}

// tables are files that Python's mimetypes opens because it sees them, and that
// it cannot go on without once it did. Where the host's root is in sight they
// are shown; they hold what the distribution put there.
var tables = [...]string{
	"/etc/mime.types", "/etc/httpd/mime.types", "/etc/httpd/conf/mime.types", "/etc/apache/mime.types", "/etc/apache2/mime.types",
	"/usr/local/etc/httpd/conf/mime.types", "/usr/local/lib/netscape/mime.types", "/usr/local/etc/mime.types",
}

// tablePaths are those that are here. One that is a link is left out: it could
// lead to anything.
func tablePaths() []string {
	var paths []string
	for _, p := range tables {
		if real, err := resolve(p); err == nil && real == p {
			paths = append(paths, p)
		}
	}
	return paths
}
