package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// onDisk is the command
//
//	on-disk read-only|full|without-python|full-without-python|without-tun DIR cmd…
//
// which runs a command that finds the folder on a disk that is read-only, or
// full, or finds no Python in the system's folders, or no device to make
// networks with. It does so in a mount namespace of its own, so that it works for root too, whom permissions do not
// stop. What the command left on a full disk is in the folder afterwards.
func onDisk() {
	if err := playOnDisk(os.Args[1:]); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			os.Exit(exit.ExitCode())
		}
		fmt.Fprintln(os.Stderr, "on-disk:", err)
		os.Exit(99)
	}
}

func playOnDisk(args []string) error {
	runtime.LockOSThread() // capabilities belong to a thread
	if len(args) < 3 {
		return errors.New("usage: on-disk read-only|full|without-python|full-without-python|without-tun dir cmd…")
	}
	if os.Getenv("ON_DISK") == "" { // outside: start again inside
		cmd := exec.Command("/proc/self/exe", args...)
		cmd.Args[0], cmd.Env = "on-disk", append(os.Environ(), "ON_DISK=1")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		cmd.SysProcAttr = ownMounts()
		if sid, err := unix.Getsid(0); err == nil && sid == os.Getpid() {
			cmd.Env = append(cmd.Env, sessionVariable+"=kept")
		}
		return cmd.Run()
	}
	dir, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	after := func() error { return nil }
	switch args[0] {
	case "read-only":
		err = readOnlyDisk(dir)
	case "without-python":
		err = hidePython(dir)
	case "without-tun":
		err = unix.Mount(os.DevNull, "/dev/net/tun", "", unix.MS_BIND, "")
	case "full":
		after, err = fullDisk(dir)
	case "full-without-python":
		if err = hidePython("/"); err == nil {
			after, err = fullDisk(dir)
		}
	default:
		err = fmt.Errorf("no disk is %s", args[0])
	}
	if err != nil {
		return err
	}
	// The right to mount is for us alone.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if afterErr := after(); afterErr != nil {
		return afterErr
	}
	return err
}

func ownMounts() *syscall.SysProcAttr {
	const ordinary = 1000 // inside, root is an ordinary user too
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: ordinary, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: ordinary, HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
	}
}

func readOnlyDisk(dir string) error {
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind: %w", err)
	}
	return unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

// hidePython puts something that is no program over every Python of the system
// below a root.
func hidePython(root string) error {
	for _, pattern := range []string{"usr/bin/python*", "usr/local/bin/python*", "opt/*/bin/python*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return err
		}
		for _, path := range found {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				continue // a link to nowhere is no Python
			}
			if err := unix.Mount(os.DevNull, real, "", unix.MS_BIND, ""); err != nil {
				return fmt.Errorf("hide %s: %w", real, err)
			}
		}
	}
	return nil
}

// fullDisk puts a small disk over a folder, with the same content, and fills it.
func fullDisk(dir string) (after func() error, err error) {
	honest, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	below := fmt.Sprintf("/proc/self/fd/%d", honest)
	if err := unix.Mount("disk", dir, "tmpfs", 0, "size=4m,mode=700"); err != nil {
		return nil, fmt.Errorf("tmpfs: %w", err)
	}
	if err := copyAll(dir, below); err != nil {
		return nil, err
	}
	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	if err != nil {
		return nil, err
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return func() error {
		if err := os.Remove(filler); err != nil {
			return err
		}
		entries, err := os.ReadDir(below)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(below, e.Name())); err != nil {
				return err
			}
		}
		return copyAll(below, dir)
	}, nil
}

// copyAll copies a folder with its modes, which os.CopyFS makes new: a key that
// others can read is none.
func copyAll(to, from string) error {
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return filepath.WalkDir(from+"/.", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return err
		}
		i, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(to, rel), i.Mode().Perm())
	})
}

// canFilter tells whether the network of tools can be filtered here.
var canFilter = sync.OnceValue(func() bool {
	box, err := sandbox.Open(context.Background(), sandbox.Options{Now: time.Now})
	return err == nil && box.TryUplink(context.Background()) == nil
})

// canMount tells whether this user may make mount namespaces.
var canMount = sync.OnceValue(func() bool {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = ownMounts()
	return cmd.Run() == nil
})
