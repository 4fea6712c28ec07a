package pyenv

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/sandbox"
)

// How the modules of an environment are compiled: in parts small enough that
// all processors share the work to its end and that one module which kills the
// compiler spoils little.
const (
	partBytes   = 4 << 20
	partLeast   = 512 << 10 // below this, starting Python takes longer than its part
	partOutput  = 64 << 20
	partTime    = 3 * time.Minute
	compilers   = 8
	moduleBytes = 16 << 20 // a larger module stays uncompiled
)

// testsDir is where packages keep their own tests, a third of what many bring.
// No tool imports them; one that does has them compiled on each import.
const testsDir = "tests"

// compileTree makes the bytecode of every module below dir. Tracebacks will
// name final. What doesn't compile (packages carry templates and modules for
// other versions) stays source, as an installer leaves it. Nothing that the
// sandbox returns decides where a file goes: it gets no place to write, and
// its answers belong to the names that were asked for, in order.
func (p *Pythons) compileTree(ctx context.Context, in *Interpreter, dir, final string) error {
	workers := min(compilers, runtime.GOMAXPROCS(0))
	parts, err := partition(dir, workers)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan []string)
	var group sync.WaitGroup
	var once sync.Once
	var failed error
	for range workers {
		group.Go(func() {
			for part := range queue {
				if err := p.compilePart(ctx, in, root, final, part); err != nil {
					once.Do(func() { failed = err; cancel() })
				}
			}
		})
	}
	for _, part := range parts {
		queue <- part
	}
	close(queue)
	group.Wait()
	return failed
}

// partition lists the modules below dir, with slashes, in parts for so many
// compilers at once.
func partition(dir string, workers int) ([][]string, error) {
	type module struct {
		path string
		size int64
	}
	var modules []module
	var total int64
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == testsDir && path != dir:
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".py"):
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Size() > moduleBytes {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		modules = append(modules, module{filepath.ToSlash(rel), info.Size()})
		total += info.Size()
		return err
	})
	var parts [][]string
	var room int64
	each := min(max(total/int64(2*workers), partLeast), partBytes)
	for _, m := range modules {
		if room -= m.size; len(parts) == 0 || room < 0 {
			parts = append(parts, nil)
			room = each - m.size
		}
		last := &parts[len(parts)-1]
		*last = append(*last, m.path)
	}
	return parts, err
}

// compilePart compiles some modules. A part that doesn't come out whole is
// halved, so that in the end only the module at fault stays source.
func (p *Pythons) compilePart(ctx context.Context, in *Interpreter, root *os.Root, final string, part []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	list, err := json.Marshal(part)
	if err != nil {
		return err
	}
	job := in.job(compileScript, "tree", root.Name(), final)
	job.Stdin = list
	job.Mounts = append(job.Mounts, sandbox.Mount{Source: root.Name(), Target: root.Name()})
	job.Limits = sandbox.Limits{Wall: partTime, Stdout: partOutput}
	out, err := p.box.Run(ctx, job)
	if err != nil {
		return err
	}
	modules, whole := split(out.Stdout, len(part))
	if out.Exit != 0 || out.StdoutCut || !whole {
		if len(part) == 1 {
			return nil
		}
		half := len(part) / 2
		return errors.Join(p.compilePart(ctx, in, root, final, part[:half]), p.compilePart(ctx, in, root, final, part[half:]))
	}
	for i, module := range modules {
		if !in.bytecode(module) {
			continue
		}
		if err := in.writeModule(root, part[i], module); err != nil {
			return fmt.Errorf("write bytecode: %w", err)
		}
	}
	return nil
}

// split takes the answers of compile.py apart; whole is false unless there are
// exactly n.
func split(b []byte, n int) (modules [][]byte, whole bool) {
	for range n {
		if len(b) < 4 {
			return nil, false
		}
		length := int(binary.LittleEndian.Uint32(b))
		if b = b[4:]; length < 0 || length > len(b) {
			return nil, false
		}
		modules = append(modules, b[:length])
		b = b[length:]
	}
	return modules, len(b) == 0
}

// writeModule puts bytecode where the interpreter looks for it (PEP 3147).
func (in *Interpreter) writeModule(root *os.Root, source string, b []byte) error {
	dir := filepath.Join(filepath.Dir(filepath.FromSlash(source)), "__pycache__")
	if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	name := strings.TrimSuffix(filepath.Base(source), ".py") + "." + in.Cache + ".pyc"
	f, err := root.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
