package repack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/patch-cat/patch-git/internal/standalone"
	"github.com/patch-cat/patch-git/spec"
)

// survey tells what an interpreter is and which of its modules this program
// and a simple tool need.
const survey = `
import sys, sysconfig, json, os
for name in """argparse ast collections compileall contextlib ctypes dataclasses datetime difflib functools hashlib importlib.util
    inspect io lzma marshal bz2 pathlib platform re sqlite3 ssl string struct tempfile textwrap traceback typing unicodedata
    warnings xml.parsers.expat zlib zoneinfo encodings.idna""".split():
    try:
        __import__(name)
    except ImportError:
        pass # a distribution may leave it out
stdlib = os.path.dirname(os.__file__)
print(json.dumps({
    "program": os.path.realpath(sys.executable),
    "version": "%d.%d.%d" % sys.version_info[:3],
    "stdlib": stdlib,
    "modules": sorted({m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None) and m.__file__.startswith(stdlib)}),
}))
`

// Find returns the interpreter that python3 means here, itself and not a shim
// in its place.
func Find(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "python3", "-I", "-c", "import os, sys; print(os.path.realpath(sys.executable))").Output()
	return strings.TrimSpace(string(out)), err
}

// Host copies the machine's own interpreter to dest in the layout of a build,
// with those modules of its standard library that tests need, and returns its
// version. It serves tests where no archive of a real build is to be had.
func Host(ctx context.Context, python, dest string) (version string, err error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, python, "-I", "-S", "-B", "-c", survey)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", python, err, &said)
	}
	var is struct {
		Program, Version, Stdlib string
		Modules                  []string
	}
	if err := json.Unmarshal(out, &is); err != nil {
		return "", err
	}
	minor := is.Version[:strings.LastIndexByte(is.Version, '.')]
	stdlib := path.Join("lib", "python"+minor)
	files := map[string]string{path.Join("bin", "python"+minor): is.Program}
	landmark := filepath.Join(is.Stdlib, "lib-dynload") // an interpreter without this folder warns
	for _, m := range append(is.Modules, landmark) {
		rel, err := filepath.Rel(is.Stdlib, m)
		if err != nil {
			return "", err
		}
		files[path.Join(stdlib, filepath.ToSlash(rel))] = m
	}
	for name, from := range files {
		to := filepath.Join(dest, filepath.FromSlash(name))
		if from == landmark {
			if err := os.MkdirAll(to, 0o755); err != nil {
				return "", err
			}
			continue
		}
		data, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		mode := os.FileMode(0o644)
		if from == is.Program {
			mode = 0o755
		}
		if err := os.WriteFile(to, data, mode); err != nil {
			return "", err
		}
	}
	for _, other := range []string{"python", "python3"} {
		if err := os.Symlink("python"+minor, filepath.Join(dest, "bin", other)); err != nil {
			return "", err
		}
	}
	return is.Version, nil
}

// Entry is the line of the table for an archive that was made on this machine.
func Entry(version string, archive []byte) standalone.Build {
	return standalone.Build{
		Version: version, Date: "20260101", GOOS: runtime.GOOS, GOARCH: runtime.GOARCH,
		Triple: "made_for-tests", SHA256: spec.DigestOf(archive),
	}
}
