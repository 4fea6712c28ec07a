package provision

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// npmArchive is the most that one archive of a package may have, as it comes.
const npmArchive = 100 << 20

// npmUnpack brings all packages. They come several at a time and are unpacked one
// after the other, the outer before what lies in it.
func (w *work) npmUnpack(ctx context.Context, packages []npmPackage) error {
	root, err := os.OpenRoot(w.stage)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		data []byte
		err  error
	}
	coming := make([]chan answer, len(packages))
	places := make(chan struct{}, limits.HTTPParallel)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	for i, p := range packages {
		coming[i] = make(chan answer, 1)
		group.Go(func() {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				coming[i] <- answer{nil, ctx.Err()}
				return
			}
			data, err := w.npmFetch(ctx, p)
			coming[i] <- answer{data, err}
		})
	}
	for i, p := range packages {
		a := <-coming[i]
		if a.err != nil {
			return a.err
		}
		if err := w.untar(root, p, a.data); err != nil {
			return err
		}
		<-places
		w.p.progress("packages", int64(i+1), int64(len(packages)))
	}
	return nil
}

// npmFetch brings one archive, if it has the digest of the lock.
func (w *work) npmFetch(ctx context.Context, p npmPackage) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, nil)
	if err != nil {
		return nil, refused("%s is no address", spec.Quote(p.URL))
	}
	request.Header.Set("Accept-Encoding", "identity")
	response, err := w.p.client().Do(request)
	if err != nil {
		return nil, w.p.unreachable(ctx, "download "+p.Name, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fault.New(fault.Unavailable, "download", "%s answers %d", spec.Quote(p.URL), response.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, npmArchive+1))
	if err != nil {
		return nil, w.p.unreachable(ctx, "download "+p.Name, err)
	}
	if len(data) > npmArchive {
		return nil, refused("%s has more than %d bytes", spec.Quote(p.Name), npmArchive)
	}
	if sha512.Sum512(data) != p.sum {
		return nil, fault.New(fault.NotVerified, "artifact_digest", "the archive of %s@%s is not the one of the lock; nothing is installed", spec.Quote(p.Name), spec.Quote(p.Version))
	}
	return data, nil
}

// untar unpacks an archive of npm, whose files lie below one folder of any name.
// Links and devices are refused: npm packs none.
func (w *work) untar(root *os.Root, p npmPackage, data []byte) error {
	bad := func(err error) error {
		return refused("the archive of %s cannot be unpacked: %w", spec.Quote(p.Name), err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return bad(err)
	}
	r := tar.NewReader(io.LimitReader(z, limits.PrefixBytes))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return bad(err)
		}
		switch h.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir, tar.TypeXGlobalHeader:
			continue
		default:
			return bad(errors.New(spec.Quote(h.Name) + " is neither a file nor a folder"))
		}
		_, rel, ok := strings.Cut(path.Clean(strings.TrimPrefix(h.Name, "./")), "/")
		if !ok {
			return bad(errors.New(spec.Quote(h.Name) + " lies in no folder"))
		}
		if err := safePath(rel); err != nil || strings.HasPrefix(h.Name, "/") || strings.Contains("/"+h.Name+"/", "/../") {
			return bad(errors.New(spec.Quote(h.Name) + " would lie elsewhere"))
		}
		if rel == "node_modules" || strings.HasPrefix(rel, "node_modules/.") {
			return bad(errors.New(spec.Quote(h.Name) + " is a name of npm's own"))
		}
		w.done.Files++
		w.done.Bytes += h.Size
		if err := w.room(w.done.Files, w.done.Bytes); err != nil {
			return err
		}
		mode := os.FileMode(0o644)
		if h.Mode&0o100 != 0 {
			mode = 0o755
		}
		if err := unpackFile(root, path.Join(p.Path, rel), r, mode); err != nil {
			return bad(err)
		}
	}
}

// unpackFile writes one file of an archive. npm lets a later one of the same name take
// the place of the one before, so this does too.
func unpackFile(root *os.Root, name string, r io.Reader, mode os.FileMode) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
