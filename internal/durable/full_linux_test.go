package durable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
)

// roleFull runs in its own user and mount namespace, where it may mount a disk
// that is small enough to fill.
func roleFull(dir string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	path := filepath.Join(dir, "file")
	old, big := []byte("old"), bytes.Repeat([]byte("x"), 1<<20)
	if err := durable.WriteFile(path, old, 0o600); err != nil {
		return err
	}
	check := func(what, want string, err error) error {
		if fault.ReasonOf(err) != want || fault.KindOf(err) != fault.Unavailable || len(fault.HintsOf(err)) == 0 {
			return errors.Join(err, fmt.Errorf("%s: want %s with a hint", what, want))
		}
		if strings.Contains(err.Error(), ".patch-tmp") {
			return fmt.Errorf("%s: error names the temporary file: %w", what, err)
		}
		if b, err := os.ReadFile(path); err != nil || !bytes.Equal(b, old) {
			return errors.Join(err, fmt.Errorf("%s: file now holds %d bytes, want the old content", what, len(b)))
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			return errors.Join(err, fmt.Errorf("%s: directory holds %v, want the file alone", what, list))
		}
		return nil
	}
	if err := check("full: WriteFile", "disk_full", durable.WriteFile(path, big, 0o600)); err != nil {
		return err
	}
	if err := check("full: Replace", "disk_full", durable.Replace(path, big, 0o600)); err != nil {
		return err
	}
	if err := check("full: WriteImmutable", "disk_full", durable.WriteImmutable(path+"2", big, 0o600)); err != nil {
		return err
	}
	// The twin: what fits is written.
	if err := durable.WriteFile(path, old, 0o600); err != nil {
		return err
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("remount: %w", err)
	}
	if err := check("read-only: WriteFile", "read_only", durable.WriteFile(path, nil, 0o600)); err != nil {
		return err
	}
	if err := check("read-only: new directory", "read_only", durable.WriteFile(filepath.Join(dir, "a", "b"), nil, 0o600)); err != nil {
		return err
	}
	_, err := durable.Lock(context.Background(), filepath.Join(dir, "lock"), 0)
	if err := check("read-only: Lock", "read_only", err); err != nil {
		return err
	}
	// A reader can still lock a file that is there.
	unlock, err := durable.RLock(context.Background(), path, 0)
	if err != nil {
		return err
	}
	unlock()
	return nil
}

func TestFullAndReadOnlyDisk(t *testing.T) {
	cmd := child(t, "full", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	var talk bytes.Buffer
	cmd.Stderr = &talk
	err := cmd.Start()
	if err != nil {
		t.Skipf("this system lets us have no user namespace, so no disk to fill: %v", err)
	}
	err = cmd.Wait()
	if strings.HasPrefix(talk.String(), "mount: ") {
		t.Skipf("no mounts in a user namespace here: %s", &talk)
	}
	if err != nil {
		t.Errorf("%v: %s", err, &talk)
	}
}

func TestNoPermission(t *testing.T) {
	// Root ignores modes; a thread without capabilities does not. The thread
	// is never unlocked, so that it ends with the test.
	runtime.LockOSThread()
	none := [2]unix.CapUserData{}
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	write := func() error { return durable.WriteFile(path, []byte("x"), 0o600) }
	err := write()
	if fault.ReasonOf(err) != "no_permission" || fault.KindOf(err) != fault.Unavailable || len(fault.HintsOf(err)) == 0 {
		t.Errorf("got %v, want no_permission with a hint", err)
	}
	if _, err := durable.Lock(t.Context(), path, 0); fault.ReasonOf(err) != "no_permission" {
		t.Errorf("lock: got %v, want no_permission", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("with permission: %v", err)
	}
}
