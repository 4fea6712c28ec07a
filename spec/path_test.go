package spec_test

import (
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestPathInputs(t *testing.T) {
	for _, c := range []struct {
		name         string
		kind         spec.Type
		path, output bool
	}{
		{"path", spec.TypeString, true, false},
		{"source_path", spec.TypeString, true, false},
		{"log_file", spec.TypeString, true, false},
		{"folder", spec.TypeString, true, false},
		{"output_path", spec.TypeString, true, true},
		{"save_dir", spec.TypeString, true, true},
		{"output", spec.TypeString, false, false},
		{"output_text", spec.TypeString, false, false},
		{"path_name", spec.TypeString, false, false},
		{"outputs_path", spec.TypeString, true, false},
		{"filepath", spec.TypeString, false, false},
		{"source_path", spec.TypeArray, false, false},
		{"", spec.TypeString, false, false},
		{"source_path", "", false, false},
	} {
		in := spec.Input{Name: c.name, Type: c.kind}
		if in.IsPath() != c.path || in.IsOutputPath() != c.output {
			t.Errorf("%s %s is a path: %v, of output: %v", c.kind, c.name, in.IsPath(), in.IsOutputPath())
		}
	}
}

func TestMayGive(t *testing.T) {
	for _, c := range []struct {
		files       spec.Filesystem
		read, write bool
	}{
		{"", false, false},
		{"all", false, false},
		{spec.FilesystemNone, false, false},
		{spec.FilesystemReadOnly, true, false},
		{spec.FilesystemReadWrite, true, true},
	} {
		tool := spec.Tool{Capabilities: spec.Capabilities{Filesystem: c.files}, Inputs: []spec.Input{{Name: "text", Type: spec.TypeString}}}
		if tool.Capabilities.MayGive(false) != c.read || tool.Capabilities.MayGive(true) != c.write {
			t.Errorf("%q gives to read: %v, to write: %v", c.files, !c.read, !c.write)
		}
		if tool.NoPaths() != c.read {
			t.Errorf("%q without a path is told: %v", c.files, tool.NoPaths())
		}
		tool.Inputs = append(tool.Inputs, spec.Input{Name: "path", Type: spec.TypeString})
		if tool.NoPaths() {
			t.Errorf("%q with a path is told", c.files)
		}
	}
}
