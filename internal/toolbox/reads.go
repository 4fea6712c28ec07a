package toolbox

import (
	"path/filepath"

	"github.com/patch-cat/patch-git/ledger"
)

// Reads names every file and folder that verifying an installed release reads, and
// what this user's own check noted of it: as long as none of them changes, the answer
// is the same. A removal changes the folder. Which version is the current one stands
// in index.json, which is not among them because every use is noted there; ask
// [Toolbox.Named].
func (t *Toolbox) Reads(r Receipt, doc *ledger.Release) []string {
	dir := t.receiptDir(r.Name, r.Version)
	names := []string{dir, t.paths.Main(r.Name, doc.Format), t.pinPath(r.Registry), t.paths.Trust()}
	for _, f := range []string{receiptFile, recheckFile, deployedFile, ledger.ReleaseFileName, ledger.EvidenceFileName, ledger.ProofFileName} {
		names = append(names, filepath.Join(dir, f))
	}
	for _, f := range doc.Files {
		names = append(names, t.storePath(f.SHA256))
	}
	return names
}
