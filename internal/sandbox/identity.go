package sandbox

import (
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/spec"
)

// Identity says which file or folder it is, whatever its name leads to later:
// the numbers that the kernel knows it by. They are given to another file only
// once nobody holds the first one open any more, so who compares them later
// keeps the [Held] open until then.
type Identity struct {
	Dev, Ino uint64
	Kind     uint32 // the kind of file, as in the mode that stat tells
}

// Hidden is a part of a mount that the program must not see.
type Hidden struct {
	Path string // as the program would see it: below the mount's Target
	Is   Identity
}

// hider is a driver that can keep a part of a mount back. No other runs a job
// that asks for it.
type hider interface{ hides() }

// hidden is the first path that a job wants to be kept back, "" where none is.
func (j Job) hidden() string {
	for _, m := range j.Mounts {
		for _, h := range m.Hide {
			return h.Path
		}
	}
	return ""
}

// checkHidden refuses what is hidden to no effect.
func (m Mount) checkHidden() error {
	for _, h := range m.Hide {
		if !cleanAbsolute(h.Path) || h.Path == m.Target || !below(h.Path, m.Target) || h.Is == (Identity{}) {
			return bad("%s cannot be hidden in the mount on %s", spec.Quote(h.Path), spec.Quote(m.Target))
		}
	}
	return nil
}

// checkHidden refuses to hide what is mounted by its own name.
func (j Job) checkHidden(targets map[string]bool) error {
	for _, m := range j.Mounts {
		for _, h := range m.Hide {
			if targets[h.Path] {
				return bad("%s is hidden and mounted", spec.Quote(h.Path))
			}
		}
	}
	return nil
}

// canHide refuses a job with hidden paths for a driver that would show them.
func canHide(d driver, j Job) error {
	path := j.hidden()
	if _, ok := d.(hider); ok || path == "" {
		return nil
	}
	return fault.New(fault.Denied, "cannot_hide", "the %s driver gives a whole folder or nothing, and %s must not be given", d.name(), spec.Quote(path)).
		Hint("name a smaller folder, or the files that the tool needs, one by one").
		Hint("patch-git run --allow-read %s gives that, too", spec.Quote(path))
}

// hides makes none a hider: it keeps nothing back at all, and says so.
func (none) hides() {}
