package pyenv

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sharedObjects is what a Linux program needs from the system before its own
// first instruction.
type sharedObjects struct {
	loader string   // the program that maps the others, as the binary names it
	dirs   []string // system library directories to show whole
	files  []string // single libraries that lie elsewhere
	search []string // directories that the host's loader knows from its cache only
}

// maxObjects bounds the walk; a Python with every extension needs about 60.
const maxObjects = 512

// wheelLibraries are what wheels may expect of the system beside what the
// interpreter itself needs (PEP 600's list, without the graphical part).
var wheelLibraries = []string{"libstdc++.so.6", "libgcc_s.so.1", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libutil.so.1", "libresolv.so.2", "libz.so.1", "libexpat.so.1"}

// needed follows DT_NEEDED from the given ELF files as the dynamic loader
// would, without running anything. Libraries of a distribution's own directory
// are shown with the whole directory (one mount instead of sixty, and what a
// wheel's library looks for is there too); all others singly.
func needed(triplet string, roots ...string) (sharedObjects, error) {
	w := walk{dirs: systemDirs(triplet), done: map[string]bool{}}
	for _, root := range roots {
		if err := w.visit(root); err != nil {
			return sharedObjects{}, err
		}
	}
	for _, name := range wheelLibraries {
		if found := w.find(name, nil); found != "" {
			if err := w.add(found); err != nil {
				return sharedObjects{}, err
			}
		}
	}
	slices.Sort(w.out.files)
	return w.out, nil
}

// systemDirs are the loader's default directories that hold libraries only.
func systemDirs(triplet string) []string {
	return []string{"/usr/lib/" + triplet, "/lib/" + triplet, "/usr/lib64", "/lib64"}
}

// looseDirs hold libraries among much else, so they are never shown whole. The
// loader searches the first two by itself; for the others it has a cache file,
// which a sandbox doesn't.
func looseDirs() []string { return []string{"/usr/lib", "/lib", "/usr/local/lib", "/usr/local/lib64"} }

type walk struct {
	dirs []string
	done map[string]bool
	out  sharedObjects
}

// visit takes in one ELF file and what it needs.
func (w *walk) visit(path string) error {
	if w.done[path] {
		return nil
	}
	if len(w.done) >= maxObjects {
		return fmt.Errorf("more than %d shared libraries", maxObjects)
	}
	w.done[path] = true
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("read %q: %w", path, err)
	}
	defer func() { _ = f.Close() }()
	if w.out.loader == "" {
		w.out.loader = loaderOf(f)
	}
	names, err := f.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("read %q: %w", path, err)
	}
	run := runPath(f, path)
	for _, name := range names {
		found := w.find(name, run)
		if found == "" {
			continue // the trial in the sandbox will tell whether it matters
		}
		if err := w.add(found); err != nil {
			return err
		}
	}
	return nil
}

// add shows a library and what it needs in turn.
func (w *walk) add(path string) error {
	if dir := filepath.Dir(path); slices.Contains(w.dirs, dir) {
		if !slices.Contains(w.out.dirs, dir) {
			w.out.dirs = append(w.out.dirs, dir)
		}
	} else if !slices.Contains(w.out.files, path) {
		w.out.files = append(w.out.files, path)
	}
	return w.visit(path)
}

// find looks for a library by name in the file's own run path, then in the
// system's directories.
func (w *walk) find(name string, run []string) string {
	if strings.Contains(name, "/") {
		if filepath.IsAbs(name) && regular(name) {
			return name
		}
		return ""
	}
	for _, dir := range slices.Concat(run, w.dirs, looseDirs()) {
		if p := filepath.Join(dir, name); regular(p) {
			if slices.Contains(looseDirs()[2:], dir) && !slices.Contains(run, dir) && !slices.Contains(w.out.search, dir) {
				w.out.search = append(w.out.search, dir)
			}
			return p
		}
	}
	return ""
}

// runPath is DT_RUNPATH or DT_RPATH with $ORIGIN filled in.
func runPath(f *elf.File, path string) []string {
	var dirs []string
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		values, err := f.DynString(tag)
		if err != nil {
			continue
		}
		for _, v := range values {
			for dir := range strings.SplitSeq(v, ":") {
				dir = strings.NewReplacer("${ORIGIN}", filepath.Dir(path), "$ORIGIN", filepath.Dir(path)).Replace(dir)
				if filepath.IsAbs(dir) {
					dirs = append(dirs, filepath.Clean(dir))
				}
			}
		}
	}
	return dirs
}

// loaderOf returns PT_INTERP, or "" for a static program.
func loaderOf(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type != elf.PT_INTERP || p.Filesz == 0 || p.Filesz > 4096 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil {
			return ""
		}
		if loader := strings.TrimRight(string(b), "\x00"); filepath.IsAbs(loader) {
			return filepath.Clean(loader)
		}
	}
	return ""
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var errNoProgram = errors.New("not a program for this system")

// isELF tells whether a file is a program of this kind at all; a shim of a
// version manager is a shell script and never run.
func isELF(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return errNoProgram
	}
	defer func() { _ = file.Close() }()
	f, err := elf.NewFile(file)
	if err != nil {
		head := make([]byte, 2)
		if _, err := file.ReadAt(head, 0); err == nil && string(head) == "#!" {
			return errors.New("a script, as the shims of version managers are; they are never run")
		}
		return errNoProgram
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return errors.New("not a program")
	}
	return nil
}
