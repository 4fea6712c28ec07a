package ahead

import (
	"encoding/binary"
	"io/fs"

	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
)

// maxCheck is far beyond the job of the program that looks at sources: its
// bytecode is nearly all of it.
const maxCheck = 2 << 20

// LearnCheck keeps the job by which a source was just looked at, without the
// source, for the next one. known is what the names of kept answers begin with,
// see package pyenv: where there is one, nothing is started. Failing costs only time.
func LearnCheck(p paths.Paths, job sandbox.Job, known []byte, write func(path string, b []byte, perm fs.FileMode) error) {
	b, err := job.MarshalBinary()
	if err != nil || !harmless(job) {
		return
	}
	b = append(append(binary.AppendUvarint(nil, uint64(len(known))), known...), b...)
	if len(b) <= maxCheck {
		_ = write(p.CheckGuess(), b, 0o600)
	}
}
