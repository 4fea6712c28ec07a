package registry

import (
	"bytes"
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Memory is a store that lives as long as the process. Many goroutines may use
// it at once. Its hooks let a test stand in for a server that lies, a disk
// that fills or a process that is killed between two writes.
type Memory struct {
	mu    sync.Mutex
	files map[string][]byte
	hooks Hooks
}

// Hooks are called before the store acts, outside its lock, so that a hook may
// use the store itself. A nil hook changes nothing.
type Hooks struct {
	// Read replaces what a read answers; data is nil where err is not.
	Read func(path string, data []byte, err error) ([]byte, error)
	// Write is asked before a write or (data is nil) a removal; its error stops it.
	Write func(path string, data []byte) error
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{files: map[string][]byte{}} }

// Hook sets the hooks.
func (m *Memory) Hook(h Hooks) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hooks = h
}

// Files returns a copy of all files by path.
func (m *Memory) Files() map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string][]byte, len(m.files))
	for p, b := range m.files {
		out[p] = bytes.Clone(b)
	}
	return out
}

func (m *Memory) Read(ctx context.Context, path string, max int64) ([]byte, error) {
	if err := checkRead(ctx, path); err != nil {
		return nil, err
	}
	m.mu.Lock()
	data, ok := m.files[path]
	hook := m.hooks.Read
	m.mu.Unlock()
	var err error
	if data = bytes.Clone(data); !ok {
		err = absent(path)
	}
	if hook != nil {
		data, err = hook(path, data, err)
	}
	if err == nil && int64(len(data)) > max {
		err = tooLarge(path, max)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func (m *Memory) Write(ctx context.Context, path string, data []byte, _ bool) error {
	return m.change(ctx, path, func() { m.files[path] = bytes.Clone(data) }, data)
}

// Remove deletes a file, after its hook; one that is not there is no error.
func (m *Memory) Remove(ctx context.Context, path string) error {
	return m.change(ctx, path, func() { delete(m.files, path) }, nil)
}

func (m *Memory) change(ctx context.Context, path string, do func(), data []byte) error {
	if err := checkRead(ctx, path); err != nil {
		return err
	}
	m.mu.Lock()
	hook := m.hooks.Write
	m.mu.Unlock()
	if hook != nil {
		if err := hook(path, data); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
	return nil
}

// List returns the paths of the files below dir, sorted.
func (m *Memory) List(ctx context.Context, dir string) ([]string, error) {
	if err := checkRead(ctx, dir); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, p := range slices.Sorted(maps.Keys(m.files)) {
		if strings.HasPrefix(p, dir+"/") {
			out = append(out, p)
		}
	}
	return out, nil
}

// Refresh returns the store itself, which has no caches.
func (m *Memory) Refresh() Source { return m }

// Location is always "memory".
func (m *Memory) Location() string { return "memory" }

// absent says that there is no file at path.
func absent(path string) error { return &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist} }
