package pyenv

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

// Mirror names the environment variable with the address that interpreters
// are downloaded from, in place of [standalone.Upstream].
const Mirror = "PATCH_GIT_PYTHON_MIRROR"

// DownloadOptions says how to bring an interpreter.
type DownloadOptions struct {
	// Mirror is asked, and nobody else; "" for the environment's, or upstream.
	Mirror string
	// Progress is called while the work goes on; nil is fine.
	Progress func(Progress)
}

// Download brings the build of the table for a version, "3.12" or "3.12.14":
// by its digest, unpacked below one folder, with bytecode made here, tried in
// the sandbox, and only then renamed into place. Killed at any instant it
// leaves nothing or the whole, and perhaps the part of the archive that came,
// which the next download goes on from. fresh is false where it was there.
//
// Errors are NotFound "no_build", Usage "mirror", NotVerified "python_digest"
// and "python_unsafe", Unavailable "python_download", "python_unusable" and
// what the disk refuses.
func (p *Pythons) Download(ctx context.Context, version string, o DownloadOptions) (in *Interpreter, fresh bool, err error) {
	b, ok := standalone.Find(p.host.GOOS, p.host.GOARCH, version)
	if !ok {
		return nil, false, p.noBuild(version)
	}
	base := or(o.Mirror, or(p.host.Getenv(Mirror), standalone.Upstream))
	if u, err := url.Parse(base); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return nil, false, fault.New(fault.Usage, "mirror", "a mirror of interpreters is an address that begins with https:// or http://").
			Hint("patch-git python install %s --mirror https://mirror.example.org/python", b.Minor())
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	final := filepath.Join(p.host.Paths.Pythons(), b.ID())
	if !isDir(final) {
		unlock, err := durable.Lock(ctx, filepath.Join(p.host.Paths.Pythons(), ".lock"), limits.Download)
		if err != nil {
			return nil, false, err
		}
		defer unlock()
	}
	if fresh = !isDir(final); fresh {
		p.sweep()
		err := p.bring(ctx, b, b.URL(base), final, o.Progress)
		if err != nil {
			return nil, false, notKept("keep the interpreter in", final, err)
		}
	}
	in, err = p.pick(ctx, resolved(programOf(final, b.Version, p.host.GOOS)))
	return in, fresh, err
}

func (p *Pythons) noBuild(version string) error {
	err := fault.New(fault.NotFound, "no_build", "there is no build of Python %s for %s/%s to install", spec.Quote(version), p.host.GOOS, p.host.GOARCH)
	var have []string
	for _, b := range standalone.For(p.host.GOOS, p.host.GOARCH) {
		have = append(have, b.Version)
	}
	if len(have) > 0 {
		err = err.Hint("there are %s", strings.Join(have, ", "))
	}
	return err
}

// bring does the work of Download.
func (p *Pythons) bring(ctx context.Context, b standalone.Build, source, final string, told func(Progress)) error {
	d := &archiveDownload{client: calm(p.host.HTTP()), build: b, told: told}
	part, err := os.OpenFile(filepath.Join(p.host.Paths.Pythons(), partPrefix+b.SHA256.Short()), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = part.Close() }()
	d.part = part
	if err := d.all(ctx, source); err != nil {
		if fault.KindOf(err) == fault.NotVerified {
			_ = os.Remove(part.Name())
		}
		return err
	}
	told(Progress{Step: "unpack", File: b.File()})
	err = p.stage(final, func(dir string) error { return p.furnish(ctx, b, part, dir, final, told) })
	if err == nil || fault.KindOf(err) == fault.NotVerified {
		_ = os.Remove(part.Name())
	}
	return err
}

// furnish fills dir, which will be final.
func (p *Pythons) furnish(ctx context.Context, b standalone.Build, archive io.ReadSeeker, dir, final string, told func(Progress)) error {
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := standalone.Unpack(archive, dir, standalone.Options{}); err != nil {
		return err
	}
	dir = resolved(dir)
	t, err := p.try(ctx, resolved(programOf(dir, b.Version, p.host.GOOS)))
	if err != nil {
		return err
	}
	if t.Python == nil || t.Python.Version != b.Version {
		why := t.Refused
		if t.Python != nil {
			why = "it is Python " + t.Python.Version
		}
		return unusable(b.File(), why)
	}
	told(Progress{Step: "compile"})
	in := *t.Python
	in.Mounts = nil
	for _, m := range t.Python.Mounts {
		if !within(m.Target, dir) { // the compiler is shown the whole folder
			in.Mounts = append(in.Mounts, m)
		}
	}
	return p.compileTree(ctx, &in, dir, final)
}

// partPrefix begins the name of an archive that has not come whole.
const partPrefix = ".part-"

// archiveDownload brings one archive into a file, in as many attempts as are
// allowed, each going on where the one before ended.
type archiveDownload struct {
	client *http.Client
	build  standalone.Build
	part   *os.File
	told   func(Progress)
}

func (d *archiveDownload) all(ctx context.Context, source string) error {
	var last error
	for attempt := range limits.HTTPAttempts {
		if attempt > 0 {
			pause(ctx, time.Duration(attempt)*200*time.Millisecond)
		}
		last = d.get(ctx, source)
		switch {
		case last == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("download %s: %w", d.build.File(), ctx.Err())
		case local(last), fault.KindOf(last) == fault.NotVerified:
			return last
		case !passing(last):
			return d.unavailable(last)
		}
	}
	return d.unavailable(last)
}

func (d *archiveDownload) unavailable(err error) error {
	return fault.New(fault.Unavailable, "python_download", "download %s: %w", d.build.File(), err).
		Hint("check the connection and try again; what has come is kept").
		Hint("a mirror that has the file serves as well: --mirror, or %s", Mirror)
}

// get asks once. A digest that is wrong is "no", but for what an earlier
// attempt began: the server may have another file now, so that is asked again
// from the start.
func (d *archiveDownload) get(ctx context.Context, source string) error {
	ctx, cancel := context.WithTimeout(ctx, limits.Download)
	defer cancel()
	if _, err := d.part.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	have, err := io.Copy(sum, io.LimitReader(d.part, limits.PythonArchive))
	if err != nil {
		return err
	}
	if spec.Digest(sum.Sum(nil)) == d.build.SHA256 {
		return nil // it had come, and something after that failed
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, http.NoBody)
	if err != nil {
		return err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := d.client.Do(request)
	if err != nil {
		return bareURLError(err)
	}
	defer response.Body.Close()
	resumed := response.StatusCode == http.StatusPartialContent && strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have))
	switch {
	case have > 0 && response.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return errors.Join(errRestart, d.restart())
	case !resumed && response.StatusCode != http.StatusOK:
		return statusError(response.StatusCode)
	case !resumed:
		if err := d.restart(); err != nil {
			return err
		}
		sum.Reset()
		have = 0
	}
	total := int64(0)
	if n := response.ContentLength; n >= 0 {
		if total = have + n; total > limits.PythonArchive {
			return d.wrong("has %d bytes, more than any such archive", total)
		}
	}
	d.told(Progress{Step: "download", File: d.build.File(), Done: have, Total: total})
	told := &meter{d: d, done: have, total: total}
	n, err := io.Copy(io.MultiWriter(d.part, sum, told), io.LimitReader(response.Body, limits.PythonArchive-have+1))
	switch {
	case err != nil:
		return err
	case have+n > limits.PythonArchive:
		return d.wrong("has more than %d bytes", limits.PythonArchive)
	case spec.Digest(sum.Sum(nil)) == d.build.SHA256:
		return nil
	case resumed:
		return errors.Join(errRestart, d.restart())
	}
	return d.wrong("has another digest than the table of this program")
}

var errRestart = errors.New("what had come is not the beginning of the file")

func (d *archiveDownload) restart() error {
	if err := d.part.Truncate(0); err != nil {
		return err
	}
	_, err := d.part.Seek(0, io.SeekStart)
	return err
}

func (d *archiveDownload) wrong(format string, args ...any) error {
	return fault.New(fault.NotVerified, "python_digest", "download %s: the file %s", d.build.File(), fmt.Sprintf(format, args...))
}

// meter reports bytes as they pass.
type meter struct {
	d           *archiveDownload
	done, total int64
}

func (m *meter) Write(b []byte) (int, error) {
	m.done += int64(len(b))
	m.d.told(Progress{Step: "download", File: m.d.build.File(), Done: m.done, Total: m.total})
	return len(b), nil
}
