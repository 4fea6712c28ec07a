package toolbox

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"

	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Stamp is what the file system says of the files of one installed version: as long
// as it is the same nobody wrote to them. It proves nothing against who can set the
// clock of the file system back, so nothing is run by it.
type Stamp [sha256.Size]byte

// Glimpse looks at two files of a version and reads none: the folder that all that
// is installed of it is put into, and the file that people edit. It is for the start
// of a server with thousands of tools, which makes a Stamp of each soon after.
func (t *Toolbox) Glimpse(n spec.Name, v spec.Version) Stamp {
	return stampOf(append(t.mains(n), t.receiptDir(n, v))...)
}

// Stamp looks at all files of a version and reads none. What is not there counts too.
func (t *Toolbox) Stamp(n spec.Name, v spec.Version) Stamp {
	dir := t.receiptDir(n, v)
	return stampOf(append(t.mains(n),
		dir, filepath.Join(dir, receiptFile), filepath.Join(dir, recheckFile), filepath.Join(dir, ledger.ReleaseFileName),
		filepath.Join(dir, ledger.EvidenceFileName), filepath.Join(dir, ledger.ProofFileName))...)
}

// mains are the files of tools/ that can be those of a name: which of them it is
// stands in a file that a stamp does not read.
func (t *Toolbox) mains(n spec.Name) []string {
	var out []string
	for _, f := range spec.Formats() {
		out = append(out, t.paths.Main(n, f))
	}
	return out
}

// StampOfRules is the same of what decides about every tool: the pins with their
// heads, and the user's configuration.
func (t *Toolbox) StampOfRules() (Stamp, error) {
	files := []string{t.paths.Config()}
	owners, err := readDir(t.paths.Registries())
	if err != nil {
		return Stamp{}, err
	}
	for _, o := range owners {
		dir := filepath.Join(t.paths.Registries(), o.Name())
		pins, err := readDir(dir)
		if err != nil && o.IsDir() {
			return Stamp{}, err
		}
		files = append(files, dir)
		for _, p := range pins {
			files = append(files, filepath.Join(dir, p.Name()))
		}
	}
	return stampOf(files...), nil
}

func stampOf(files ...string) Stamp {
	b := make([]byte, 0, 512)
	for _, f := range files {
		info, err := os.Lstat(f)
		if err != nil {
			b = append(b, 0)
			continue
		}
		b = binary.LittleEndian.AppendUint64(append(b, 1), uint64(info.ModTime().UnixNano()))
		b = binary.LittleEndian.AppendUint64(b, uint64(info.Size()))
		b = binary.LittleEndian.AppendUint32(b, uint32(info.Mode()))
		b = appendIdentity(b, info)
	}
	return sha256.Sum256(b)
}

// Glance lists what is installed without a look into each folder: the names from
// the folders, the current version from index.json. A name whose version is "" has
// to be looked for with [Toolbox.Versions].
func (t *Toolbox) Glance() ([]Installed, error) {
	ix, err := t.lookIndex()
	if err != nil {
		return nil, err
	}
	names, err := t.installedNames()
	if err != nil {
		return nil, err
	}
	now, out := t.now(), make([]Installed, len(names))
	for i, n := range names {
		e := ix.Tools[n]
		out[i] = Installed{Name: n, Current: e.Version, LastUsed: e.LastUsed, Uses: e.uses(now)}
	}
	return out, nil
}
