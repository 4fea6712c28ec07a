package registry

import (
	"context"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/limits"
)

// Lock keeps other processes from publishing into the folder until unlock is
// called. The lock file lies beside the folder, not in it, because everything
// in it is served. The error is Unavailable when somebody else holds it for
// longer than limits.LockWait.
func (d *Dir) Lock(ctx context.Context) (unlock func(), err error) {
	return durable.Lock(ctx, d.dir+".lock", limits.LockWait)
}
