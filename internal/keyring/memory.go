package keyring

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// memory is a store that lasts as long as a test.
type memory struct {
	mu     sync.Mutex
	values map[Tool]map[string]Secret
}

// Memory is a store for tests.
func Memory() Store { return &memory{values: map[Tool]map[string]Secret{}} }

func (m *memory) Kind() Kind { return KindMemory }

func (m *memory) Get(_ context.Context, t Tool, name string) (Secret, error) {
	if err := checkKey(t, name); err != nil {
		return Secret{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, there := m.values[t][name]
	if !there {
		return Secret{}, absent(t, name)
	}
	return s, nil
}

func (m *memory) Set(_ context.Context, t Tool, name string, s Secret) error {
	if err := checkKey(t, name); err != nil {
		return err
	}
	if err := checkValue(name, s); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.values[t] == nil {
		m.values[t] = map[string]Secret{}
	}
	m.values[t][name] = s
	return nil
}

func (m *memory) Delete(_ context.Context, t Tool, name string) error {
	if err := checkKey(t, name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.values[t], name)
	return nil
}

func (m *memory) Names(_ context.Context, t Tool) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.values[t])), nil
}
