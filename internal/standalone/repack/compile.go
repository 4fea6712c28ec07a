package repack

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Compile makes the bytecode of every module below dir with an interpreter of
// the same minor version, and returns how many modules there are.
//
// The bytecode is of the kind that is used without a look at its source
// (PEP 552, unchecked): packing changes times, and bytecode that is checked by
// time would be made anew by every run. -B and -f matter: compileall skips
// what it finds compiled, and without -B it would find, of the modules that it
// imports itself, what the interpreter has just written, by time.
func Compile(ctx context.Context, python, dir string) (int, error) {
	cmd := exec.CommandContext(ctx, python, "-S", "-B", "-m", "compileall", "-q", "-f", "-j", "1",
		"--invalidation-mode", "unchecked-hash", "-s", dir, dir)
	// The order of sets is part of the bytecode and depends on the seed.
	cmd.Env = []string{"PYTHONHASHSEED=0", "PYTHONDONTWRITEBYTECODE=1", "LANG=C.UTF-8", "PATH="}
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("compile: %w: %s", err, out)
	}
	return Compiled(dir)
}

// Compiled holds that every module below dir has bytecode that is used without
// a look at its source, and returns how many there are.
func Compiled(dir string) (int, error) {
	modules := 0
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".py") {
			return err
		}
		modules++
		stem := strings.TrimSuffix(filepath.Base(file), ".py")
		found, err := filepath.Glob(filepath.Join(filepath.Dir(file), "__pycache__", stem+".cpython-*.pyc"))
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%s has %d files of bytecode, not 1", file, len(found))
		}
		b, err := os.ReadFile(found[0])
		if err != nil {
			return err
		}
		const header, unchecked = 16, 1
		if len(b) <= header || binary.LittleEndian.Uint32(b[4:]) != unchecked {
			return fmt.Errorf("%s is not bytecode that is used unchecked", found[0])
		}
		return nil
	})
	return modules, err
}
