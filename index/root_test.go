package index

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/util"
	zap "github.com/blevesearch/zapx/v17"
)

var update = flag.Bool("update", false, "write the golden files anew")

// makeRoot writes the root of a bleve index of one segment with a given name.
// bleve itself would write the time into it.
func makeRoot(t *testing.T, path string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := util.OpenBolt(path, 0o600, nil)
	must(err)
	tx, err := db.Begin(true)
	must(err)
	w, err := util.NewFileWriter([]byte(path))
	must(err)
	bucket := func(b interface {
		CreateBucketIfNotExists([]byte) (*util.BoltBucketImpl, error)
	}, name []byte,
	) *util.BoltBucketImpl {
		t.Helper()
		made, err := b.CreateBucketIfNotExists(name)
		must(err)
		return made
	}
	number := func(n byte) []byte { return []byte{136 + n} } // small numbers in bleve's order-keeping form
	snapshot := bucket(bucket(tx, util.BoltSnapshotsBucket), number(2))
	m := bucket(snapshot, util.BoltMetaDataKey)
	must(m.Put(util.BoltMetaDataSegmentTypeKey, []byte(zap.Type), nil))
	must(m.Put(util.BoltMetaDataSegmentVersionKey, binary.BigEndian.AppendUint32(nil, zap.Version), nil))
	must(m.Put(util.BoltMetaDataFileWriterIDKey, []byte(w.Id()), w))
	must(m.Put(util.BoltMetaDataTimeStamp, []byte("1970-01-01T00:00:00Z"), w))
	mapping := bleve.NewIndexMapping()
	mapping.DefaultAnalyzer = keyword.Name // the terms of the index are terms already
	plain, err := json.Marshal(mapping)
	must(err)
	must(bucket(snapshot, util.BoltInternalKey).Put(util.MappingInternalKey, plain, w))
	must(bucket(snapshot, number(1)).Put(util.BoltPathKey, []byte(filepath.Base(segmentFile)), w))
	must(tx.Commit())
	must(db.Close())
}

// TestRoot: the root that is installed is what bleve's own code writes.
func TestRoot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root.bolt")
	makeRoot(t, path)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		var out bytes.Buffer
		w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
		if _, err := w.Write(want); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("root.bolt.gz", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := unpack(packedRoot, 1<<20)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("root.bolt.gz is not what bleve writes (%v); run go test ./index -run TestRoot -update", err)
	}
}
