package registry

import (
	"context"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// maxPath bounds a path of the tree: a file of a release may have 200
// characters and its folder adds at most 126.
const maxPath = 400

// checkRead is what every source asks before it acts.
func checkRead(ctx context.Context, path string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return checkPath(path)
}

// CheckPath is what a store outside of this package asks of a path.
func CheckPath(path string) error { return checkPath(path) }

// checkPath refuses what package ledger never makes: empty, absolute, climbing
// or hidden paths and characters outside the few that are the same in a file
// name, a URL and a git tree.
func checkPath(path string) error {
	if len(path) > maxPath {
		return badPath(path)
	}
	for part := range strings.SplitSeq(path, "/") {
		if spec.CheckPath(part) != nil {
			return badPath(path)
		}
	}
	return nil
}

func badPath(path string) error {
	return fault.New(fault.NotVerified, "unsafe_path", "path %s cannot be one of a published tree", spec.Quote(path))
}

func tooLarge(path string, max int64) error {
	return fault.New(fault.NotVerified, reasonTooLarge, "%s has more than %d bytes", path, max)
}

func notRegular(path string) error {
	return fault.New(fault.NotVerified, "not_regular", "%s is not a regular file", path)
}
