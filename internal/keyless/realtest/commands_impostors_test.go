package realtest

import (
	"maps"
	"testing"

	"github.com/patch-cat/patch-git/internal/sigtest"
)

// impostors: the command of a job that Fulcio rightly certifies, but which is
// not the registry's, publishes nothing; that of the registry's own job, typed
// after it in the same folder, publishes.
func (w workplace) impostors(t *testing.T, own sigtest.Claims) {
	for _, im := range sigtest.Impostors(own) {
		t.Run(im.Name, func(t *testing.T) {
			t.Parallel()
			w := w.copied(t)
			command := w.publish(t, "echo_text", "1.2.0")
			honest := w.gitHub.job(im.Claims)
			lying := maps.Clone(honest) // with the numbers of the registry's own
			lying[repositoryID], lying[ownerID] = own.RepositoryID, own.RepositoryOwnerID
			w.publishesNothing(t, w.person(t, w.program, lying), 4, "identity:"+im.Field, command)
			if !maps.Equal(honest, lying) {
				w.publishesNothing(t, w.person(t, w.program, honest), 4, "identity:"+im.Field, command)
			}
			w.job(t, own).does(t, command...)
			w.user(t).does(t, "pull", "echo_text@1.2.0")
		})
	}
}
