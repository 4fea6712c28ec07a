package audit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// unconfined is the driver of a run without a sandbox.
const unconfined = "none"

// assertions hold what a tool declared against what its run was given. They are
// worked out from the record, and say no more than it: of a run that did not come
// to the sandbox there is nothing to say.
func (r *Record) assertions() []Assertion {
	if r.Sandbox.Driver == "" || r.Status == Refused {
		return nil
	}
	declared, box := r.Sandbox.Capabilities, r.Sandbox.Driver
	confined := box != unconfined
	files := spec.FilesystemNone
	for _, g := range r.Sandbox.Grants {
		if g.Write {
			files = spec.FilesystemReadWrite
		} else if files == spec.FilesystemNone {
			files = spec.FilesystemReadOnly
		}
	}
	// A network that leads further than the internet is told by a note.
	further := slices.ContainsFunc(r.Sandbox.NotEnforced, func(n string) bool { return strings.HasPrefix(n, "network:") })
	list := []Assertion{
		{Capability: "network", Declared: strconv.FormatBool(declared.Network), Given: strconv.FormatBool(r.Sandbox.Internet), Enforced: confined && !further, By: box},
		{Capability: "filesystem", Declared: string(declared.Filesystem), Given: string(files), Enforced: confined, By: box},
	}
	if declared.HumanConfirm { // a run without a person's word does not come this far
		a := Assertion{Capability: "human_confirm", Declared: "true", Given: "true", Enforced: true, By: "command line"}
		if r.Approval != nil {
			a.By = r.Approval.Via
		}
		list = append(list, a)
	}
	return list
}
