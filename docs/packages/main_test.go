package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wheel writes a wheel whose list has so many names, and those beside.
func wheel(t *testing.T, count int, more ...string) string {
	t.Helper()
	names := append([]string{}, more...)
	for i := range count {
		names = append(names, fmt.Sprintf("Package_%05d", i))
	}
	file := filepath.Join(t.TempDir(), "guarddog-9.9.9-py3-none-any.whl")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(resource)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(w).Encode(map[string]any{"downloaded_timestamp": 1781626097, "packages": names}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestList(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{wheel(t, fewest, "zope.interface", "A__b", "a-B")}, &out); err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(out.String(), "\n\n")
	names := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	if len(names) != fewest+2 || names[0] != "a-b" || names[1] != "package-00000" || names[len(names)-1] != "zope-interface" {
		t.Errorf("got %d names, %q to %q", len(names), names[:2], names[len(names)-1])
	}
	if !strings.Contains(head, "guarddog-9.9.9") || !strings.Contains(head, "2026-06-16") || !strings.HasPrefix(head, "# ") {
		t.Errorf("the head is %q", head)
	}
}

// TestRefused: what is no such wheel, a short list and a name that is none
// leave nothing behind.
func TestRefused(t *testing.T) {
	for name, args := range map[string][]string{
		"no wheel":   {},
		"no file":    {filepath.Join(t.TempDir(), "x.whl")},
		"short list": {wheel(t, fewest-1)},
		"no name":    {wheel(t, fewest, "a b")},
	} {
		var out bytes.Buffer
		if err := run(args, &out); err == nil || out.Len() > 0 {
			t.Errorf("%s: got %v and %d bytes", name, err, out.Len())
		}
	}
}
