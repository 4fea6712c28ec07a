package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Reasons of fault.Unavailable that this package gives.
const (
	reasonDiskFull     = "disk_full"
	reasonReadOnly     = "read_only"
	reasonNoPermission = "no_permission"
)

// Classify turns an operating system's error into one that names the file
// once, quoted, and that a caller can branch on: kind Unavailable with reason
// "disk_full", "read_only" or "no_permission" and a hint, else an error that
// keeps its cause for errors.Is. Errors that are classified already, and nil,
// stay what they are. verb is what was tried: "write", "make directory".
func Classify(verb, path string, err error) error {
	if _, known := errors.AsType[*fault.Error](err); known || err == nil {
		return err
	}
	quoted := strconv.Quote(path)
	reason, cause := reasonOf(err), bare(err)
	switch reason {
	case reasonDiskFull:
		return fault.New(fault.Unavailable, reason, "%s %s: %w", verb, quoted, cause).
			Hint("free some space on the disk that holds %s and try again", quoted)
	case reasonReadOnly:
		return fault.New(fault.Unavailable, reason, "%s %s: %w", verb, quoted, cause).
			Hint("%s is on a read-only file system; set PATCH_GIT_HOME to a directory that can be written", quoted)
	case reasonNoPermission:
		return fault.New(fault.Unavailable, reason, "%s %s: %w", verb, quoted, cause).
			Hint("check owner and mode: ls -ld %s", quoted)
	}
	return fmt.Errorf("%s %s: %w", verb, quoted, cause)
}

// bare strips what the standard library puts before the cause, which would
// name the temporary file or repeat the path.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}
