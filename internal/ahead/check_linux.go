package ahead

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"strings"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/internal/sandbox"
	"github.com/patch-cat/patch-git/spec"
)

// sourceOf reads the file out of a command line such as
// "patch-git check [flags] FILE.py", or the main file of a folder.
func sourceOf(argv []string) (string, bool) {
	if len(argv) < 3 || argv[1] != "check" {
		return "", false
	}
	path := argv[len(argv)-1]
	if path == "" || strings.HasPrefix(path, "-") {
		return "", false
	}
	if !strings.HasSuffix(path, ".py") {
		path += "/" + spec.FormatPatch.MainFile()
	}
	return path, true
}

// guessCheck reads the job for a source that nothing is known about yet.
func guessCheck(p paths.Paths, file string) (job sandbox.Job, ok bool) {
	source := read(file, limits.ToolFile)
	b := read(p.CheckGuess(), maxCheck)
	n, used := binary.Uvarint(b)
	if source == nil || used <= 0 || n > uint64(len(b)-used) {
		return sandbox.Job{}, false
	}
	known, b := b[used:used+int(n)], b[used+int(n):]
	name := binary.AppendUvarint(append([]byte{}, known...), uint64(len(source)))
	hex := spec.Digest(sha256.Sum256(append(name, source...))).Hex()
	if _, err := os.Lstat(p.Answers() + "/" + hex[:2] + "/" + hex[2:]); err == nil {
		return sandbox.Job{}, false
	}
	if job.UnmarshalBinary(b) != nil {
		return sandbox.Job{}, false
	}
	return job, harmless(job)
}
