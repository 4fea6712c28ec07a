package pyenv

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A wheel's file name says where it runs: name-version(-build)-python-abi-
// platform.whl, each of the last three a set joined by dots (platform
// compatibility tags, PEP 425; manylinux PEP 600; musllinux PEP 656).

// rank tells how well a wheel fits CPython of the given minor on a target: the
// lower the better, in the order that installers use (newest ABI first, then
// stable ABI from the newest down, then none; platforms from the newest down).
// ok is false when it does not run there.
func rank(file string, minor int, t target) (score int, ok bool) {
	parts := strings.Split(strings.TrimSuffix(file, ".whl"), "-")
	if !strings.HasSuffix(file, ".whl") || len(parts) != 5 && len(parts) != 6 {
		return 0, false
	}
	tags := parts[len(parts)-3:]
	for python := range strings.SplitSeq(tags[0], ".") {
		for abi := range strings.SplitSeq(tags[1], ".") {
			code, fits := codeRank(python, abi, minor)
			if !fits {
				continue
			}
			for platform := range strings.SplitSeq(tags[2], ".") {
				if place, fits := platformRank(platform, t); fits {
					if s := code*platforms + place; !ok || s < score {
						score, ok = s, true
					}
				}
			}
		}
	}
	return score, ok
}

// platforms bounds platformRank, so that it is the minor digit of a score.
const platforms = 1_000_000

var pythonTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(cp|py)3(\d{1,2})?$`) })

// codeRank ranks a Python tag with an ABI tag.
func codeRank(python, abi string, minor int) (int, bool) {
	m := pythonTag().FindStringSubmatch(python)
	if m == nil {
		return 0, false
	}
	cp, want := m[1] == "cp", number(m[2])
	own := fmt.Sprintf("cp3%d", minor)
	switch {
	case m[2] == "" && (cp || abi != "none"):
		return 0, false // "cp3" is no version, and "py3" has no ABI
	case m[2] == "":
		return 500, true // py3-none: any Python 3
	case want > minor:
		return 0, false
	case cp && abi == own && python == own:
		return 0, true
	case cp && abi == "abi3":
		return 100 + minor - want, true
	case cp && abi == "none" && python == own:
		return 300, true
	case !cp && abi == "none":
		return 400 + minor - want, true
	}
	return 0, false
}

var (
	manylinuxTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^manylinux_(\d{1,2})_(\d{1,2})_(\w+)$`) })
	musllinuxTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^musllinux_(\d{1,2})_(\d{1,2})_(\w+)$`) })
	macosTag     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^macosx_(\d{1,2})_(\d{1,2})_(\w+)$`) })
)

// platformRank ranks a platform tag for a target.
func platformRank(tag string, t target) (int, bool) {
	if tag == "any" {
		return platforms - 1, true
	}
	var m []string
	arch := []string{t.arch}
	switch {
	case t.os == "windows":
		return 0, tag == map[string]string{"x86_64": "win_amd64", "arm64": "win_arm64"}[t.arch]
	case t.os == "macos":
		arch = append(arch, "universal2")
		m = macosTag().FindStringSubmatch(tag)
	case t.libc == "musl":
		m = musllinuxTag().FindStringSubmatch(tag)
	default:
		for old, version := range map[string]string{"manylinux1": "2_5", "manylinux2010": "2_12", "manylinux2014": "2_17"} {
			if rest, ok := strings.CutPrefix(tag, old+"_"); ok {
				tag = "manylinux_" + version + "_" + rest
				break
			}
		}
		m = manylinuxTag().FindStringSubmatch(tag)
	}
	if m == nil {
		return 0, false
	}
	built := target{major: number(m[1]), minor: number(m[2])}
	for i, a := range arch {
		if a == m[3] && compareVersions(built, t) <= 0 {
			return ((t.major-built.major)*100+t.minor-built.minor)*len(arch) + i + 100, true
		}
	}
	return 0, false
}
