package sandbox_test

import (
	"testing"
)

type results struct {
	control map[string]string
	cells   map[string]map[string]string
}

func (r results) table(t *testing.T) {}
