package ledger

import (
	"encoding/hex"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/patch-cat/patch-git/spec"
)

// Root is the folder of a published tree that all paths of this package are
// relative to; the number is the edition of the layout.
const Root = "v1"

// Fixed paths.
const (
	RegistryPath     = "registry.json"
	HeadEvidencePath = "head.sigstore.json"
	HeadPath         = "head.json"
	BucketsPath      = "buckets.json"
	RevokedPath      = "revoked.json"
	CataloguePath    = "search/tools.json"
	CheckpointPath   = "log/checkpoint"
	ObjectsDir       = "objects"
)

// SearchDir has what a search is brought up to date with. Only the catalogue
// itself is part of every tree: the others follow from it and from those before
// it, and are written where a tree is served.
const SearchDir = "search"

// PackedCataloguePath is where a catalogue lies packed, by its digest.
func PackedCataloguePath(d spec.Digest) string { return SearchDir + "/" + d.Hex() + ".json.zst" }

// CataloguePatchPath is where the patch lies that makes a catalogue of an older one.
func CataloguePatchPath(old, now spec.Digest) string {
	return SearchDir + "/" + old.Hex() + "-" + now.Hex() + ".patch.zst"
}

// IndexPath is where a search index lies packed, by the digest of the segment.
func IndexPath(segment spec.Digest) string { return SearchDir + "/" + segment.Hex() + ".zap.zst" }

// File names inside a release's folder that are not files of the release.
const (
	ReleaseFileName  = "release.json"
	EvidenceFileName = "evidence.sigstore.json"
	ProofFileName    = "proof.json"
)

// Names that a release's generated files have.
const (
	ClosureFileName = "closure.json"
	PylockFileName  = "pylock.toml"
	ReportFileName  = "report.json"
)

// BucketOf is the number of the bucket that a name falls into.
func BucketOf(n spec.Name) int { return int(spec.DigestOf([]byte(n))[0]) }

// BucketPath is where bucket i lies.
func BucketPath(i int) string { return "buckets/" + hex.EncodeToString([]byte{byte(i)}) + ".json" }

// RecordPath is where the record of a tool lies.
func RecordPath(n spec.Name) string { return "records/" + n.Shard() + "/" + string(n) + ".json" }

// ReleaseDir is the folder of one release.
func ReleaseDir(n spec.Name, v spec.Version) string {
	return "releases/" + n.Shard() + "/" + string(n) + "/" + string(v)
}

// ReleasePath is where a file of a release's folder lies.
func ReleasePath(n spec.Name, v spec.Version, file string) string {
	return ReleaseDir(n, v) + "/" + file
}

// WithdrawalPath is where the evidence of a withdrawal lies, by the index of its
// entry in the log.
func WithdrawalPath(index int64) string { return fmt.Sprintf("withdrawals/%d.sigstore.json", index) }

// ObjectPath is where a document lies by its digest.
func ObjectPath(d spec.Digest) string {
	h := d.Hex()
	return ObjectsDir + "/" + h[:2] + "/" + h
}

// tileHeight is the height that C2SP tlog-tiles fixes: 256 hashes a tile.
const tileHeight = 8

// TilePath is where a tile of the log lies. The level -1 has the entries. C2SP
// leaves out the height that tlog's own path has, and calls the data "entries".
func TilePath(t tlog.Tile) string {
	p := strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", tileHeight))
	if rest, ok := strings.CutPrefix(p, "data/"); ok {
		p = "entries/" + rest
	}
	return "log/tile/" + p
}
