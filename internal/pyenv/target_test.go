package pyenv

import (
	"testing"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/ledger"
)

func TestTarget(t *testing.T) {
	for _, tt := range []struct{ goos, goarch, libc, want string }{
		{"linux", "amd64", "glibc 2.36", "linux-x86_64-glibc2.36"},
		{"linux", "arm64", "glibc 2.28.1", "linux-aarch64-glibc2.28"},
		{"linux", "amd64", "musl 1.2", "linux-x86_64-musl1.2"},
		{"darwin", "arm64", "macos 14.5.1", "macos-arm64-14.5"},
		{"darwin", "amd64", "macos 10.13", "macos-x86_64-10.13"},
		{"windows", "amd64", "", "windows-x86_64"},
		{"linux", "riscv64", "glibc 2.36", ""},
		{"linux", "amd64", "", ""},
		{"linux", "amd64", "uclibc 1.0", ""},
		{"plan9", "amd64", "", ""},
	} {
		got := Target(tt.goos, tt.goarch, tt.libc)
		if got != tt.want {
			t.Errorf("%s/%s %s: got %q, want %q", tt.goos, tt.goarch, tt.libc, got, tt.want)
		}
	}
	for _, name := range Targets() {
		if parsed, err := parseTarget(name); err != nil || parsed.String() != name {
			t.Errorf("%s: got %v, %v, want it to name itself", name, parsed, err)
		}
	}
	for _, bad := range []string{"", "linux-x86_64", "linux-x86_64-glibc2", "linux-x86_64-glibc2.28.1", "linux-arm64-glibc2.28", "../x", "windows-x86_64-1.0", "linux-x86_64-glibc2.28\n"} {
		if parsed, err := parseTarget(bad); err == nil {
			t.Errorf("%q: got %v, want it refused", bad, parsed)
		}
	}
}

func TestChoose(t *testing.T) {
	wheel := func(name string) []ledger.Wheel { return []ledger.Wheel{{Name: name}} }
	c := &ledger.Closure{Targets: map[string][]ledger.Wheel{
		"linux-x86_64-glibc2.17": wheel("old"), "linux-x86_64-glibc2.28": wheel("new"), "linux-x86_64-glibc2.39": wheel("too new"),
		"linux-x86_64-musl1.2": wheel("musl"), "macos-arm64-11.0": wheel("mac"), "windows-x86_64": wheel("windows"), "junk": wheel("junk"),
	}}
	for host, want := range map[string]string{
		"linux-x86_64-glibc2.36": "new", "linux-x86_64-glibc2.28": "new", "linux-x86_64-glibc2.27": "old", "linux-x86_64-glibc2.39": "too new",
		"linux-x86_64-glibc3.0": "too new", "linux-x86_64-musl1.2": "musl", "macos-arm64-14.5": "mac", "windows-x86_64": "windows",
		"linux-x86_64-glibc2.12": "", "linux-aarch64-glibc2.36": "", "macos-x86_64-14.5": "", "macos-arm64-10.15": "", "": "", "junk": "",
	} {
		got, err := choose(c, host)
		switch {
		case want == "" && fault.ReasonOf(err) != "no_target":
			t.Errorf("%s: got %v, %v, want no_target", host, got, err)
		case want != "" && (err != nil || got[0].Name != want):
			t.Errorf("%s: got %v, %v, want %s", host, got, err, want)
		}
	}
}

// In each row every wheel fits and the earlier ones are preferred; the last
// column is wheels that do not fit.
func TestRank(t *testing.T) {
	for _, tt := range []struct {
		target   string
		minor    int
		fit, not []string
	}{
		{
			"linux-x86_64-glibc2.28", 12,
			[]string{
				"a-1-cp312-cp312-manylinux_2_28_x86_64.whl", "a-1-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
				"a-1-cp312-cp312-manylinux2010_x86_64.whl", "a-1-cp312-cp312-manylinux1_x86_64.whl",
				"a-1-cp312-abi3-manylinux_2_28_x86_64.whl", "a-1-cp39-abi3-manylinux_2_17_x86_64.whl", "a-1-cp36-abi3-manylinux_2_17_x86_64.whl",
				"a-1-cp312-none-any.whl", "a-1-py312-none-any.whl", "a-1-py3-none-manylinux2014_x86_64.whl", "a-1-py2.py3-none-any.whl",
			},
			[]string{
				"a-1-cp312-cp312-manylinux_2_29_x86_64.whl", "a-1-cp312-cp312-manylinux_2_28_aarch64.whl", "a-1-cp312-cp312-musllinux_1_2_x86_64.whl",
				"a-1-cp311-cp311-manylinux_2_28_x86_64.whl", "a-1-cp313-abi3-manylinux_2_28_x86_64.whl", "a-1-cp312-cp312t-manylinux_2_28_x86_64.whl",
				"a-1-cp312-cp312-win_amd64.whl", "a-1-cp312-cp312-macosx_11_0_arm64.whl", "a-1-py2-none-any.whl", "a-1-py313-none-any.whl",
				"a-1-pp310-pypy310_pp73-manylinux_2_28_x86_64.whl", "a-1-cp312-cp312-linux_x86_64.whl", "a-1.tar.gz", "a-1-py3-none-any", "py3-none-any.whl",
				"a-1-cp311-none-any.whl",
			},
		},
		{
			"linux-aarch64-musl1.2", 13,
			[]string{"a-1-cp313-cp313-musllinux_1_2_aarch64.whl", "a-1-cp313-cp313-musllinux_1_1_aarch64.whl", "a-1-py3-none-any.whl"},
			[]string{"a-1-cp313-cp313-manylinux_2_28_aarch64.whl", "a-1-cp313-cp313-musllinux_1_3_aarch64.whl"},
		},
		{
			"macos-arm64-11.0", 12,
			[]string{"a-1-cp312-cp312-macosx_11_0_arm64.whl", "a-1-cp312-cp312-macosx_11_0_universal2.whl", "a-1-cp312-cp312-macosx_10_9_universal2.whl", "a-1-py3-none-any.whl"},
			[]string{"a-1-cp312-cp312-macosx_12_0_arm64.whl", "a-1-cp312-cp312-macosx_11_0_x86_64.whl"},
		},
		{
			"windows-x86_64", 12,
			[]string{"a-1-2-cp312-cp312-win_amd64.whl", "a-1-py3-none-win_amd64.whl", "a-1-py3-none-any.whl"},
			[]string{"a-1-cp312-cp312-win32.whl", "a-1-cp312-cp312-win_arm64.whl"},
		},
	} {
		target, err := parseTarget(tt.target)
		if err != nil {
			t.Fatal(err)
		}
		last := -1
		for _, file := range tt.fit {
			score, ok := rank(file, tt.minor, target)
			if !ok || score <= last {
				t.Errorf("%s on %s: got %d, %v, want it to fit and to come after %d", file, tt.target, score, ok, last)
			}
			last = score
		}
		for _, file := range tt.not {
			if score, ok := rank(file, tt.minor, target); ok {
				t.Errorf("%s on %s: got %d, want it not to fit", file, tt.target, score)
			}
		}
	}
}
