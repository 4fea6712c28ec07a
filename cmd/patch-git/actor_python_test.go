package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/patch-cat/patch-git/internal/standalone/repack"
)

// pythonBuild is this machine's own interpreter as a tar in the layout of a
// build.
var pythonBuild = sync.OnceValues(func() (build struct {
	version string
	tar     []byte
}, err error,
) {
	ctx := context.Background()
	python, err := repack.Find(ctx)
	if err != nil {
		return build, err
	}
	dir, err := os.MkdirTemp("", "patch-git-build-")
	if err != nil {
		return build, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if build.version, err = repack.Host(ctx, python, dir); err != nil {
		return build, err
	}
	var packed bytes.Buffer
	if err := repack.Pack(&packed, dir, gzip.NoCompression); err != nil {
		return build, err
	}
	r, err := gzip.NewReader(&packed)
	if err != nil {
		return build, err
	}
	build.tar, err = io.ReadAll(r)
	return build, err
})

// pythonMirror DIR [MEMBER [TARGET]] fills a folder that is a mirror of
// interpreters, with one build of the machine's own Python, and makes the
// program know that build and no other. With MEMBER the archive has one more
// file of that name; with TARGET it is a link. It sets $PYVERSION, $PYMINOR,
// $PYFILE, the path of the archive, and $PYDIR, the folder that it is kept in.
func pythonMirror(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 3 {
		ts.Fatalf("usage: python-mirror dir [member [target]]")
	}
	build, err := pythonBuild()
	ts.Check(err)
	var archive bytes.Buffer
	packed, err := gzip.NewWriterLevel(&archive, gzip.BestSpeed)
	ts.Check(err)
	if len(args) > 1 {
		w := tar.NewWriter(packed) // not closed: the end comes with the rest
		h := &tar.Header{Name: args[1], Mode: 0o755, Typeflag: tar.TypeReg}
		if len(args) > 2 {
			h.Typeflag, h.Linkname = tar.TypeSymlink, args[2]
		}
		ts.Check(w.WriteHeader(h))
	}
	_, err = packed.Write(build.tar)
	ts.Check(err)
	ts.Check(packed.Close())
	b := repack.Entry(build.version, archive.Bytes())
	file := filepath.Join(args[0], b.Date, b.File())
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(file)), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(file), archive.Bytes(), 0o644))
	table := filepath.Join(ts.Getenv("WORK"), "builds.txt")
	row := fmt.Sprintf("%s %s %s/%s %s %s\n", b.Version, b.Date, b.GOOS, b.GOARCH, b.Triple, b.SHA256.Hex())
	ts.Check(os.WriteFile(table, []byte(row), 0o644))
	for name, value := range map[string]string{
		buildsVariable: table, "PYVERSION": b.Version, "PYMINOR": b.Minor(), "PYFILE": file,
		"PYDIR": filepath.Join("user", "cache", "python", b.ID()),
	} {
		ts.Setenv(name, value)
	}
}
