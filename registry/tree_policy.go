package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/spec"
)

// Policy is what registry.yaml says about pull requests. The one that counts
// is that of the branch they are to be merged into, never the one they bring.
// The zero value lets nothing be merged without a person.
type Policy struct {
	// Maintainers are those beside everybody who may write to the repository.
	Maintainers []ledger.Owner
	// AutoMerge lets an owner's update that asks for no more than the version
	// before be merged without a person, and an owner's yank or revocation.
	AutoMerge bool
	// NewNameWait is how long a new name waits until it is merged without a
	// person; 0 is for ever.
	NewNameWait time.Duration
	// UpdatesPerDay is how many versions of one author are merged without a
	// person in 24 hours.
	UpdatesPerDay int
	// JudgeRequired lets nothing pass that a model has not looked at.
	JudgeRequired bool
}

// defaultPolicy is that of a registry.yaml which is silent.
func defaultPolicy() Policy { return Policy{AutoMerge: true, UpdatesPerDay: 10} }

// Policy returns what registry.yaml says about pull requests, completed by what
// is said where it is silent.
func (t *Tree) Policy() Policy {
	p := Policy(t.config.Policy)
	p.Maintainers = slices.Clone(p.Maintainers)
	return p
}

// treePolicy is a policy as people write it.
type treePolicy Policy

// UnmarshalJSON reads a policy. It is stricter than the package json, which
// takes a key in any case and the last of two: what a person reads in
// registry.yaml must be what counts.
func (p *treePolicy) UnmarshalJSON(b []byte) error {
	return eachMember(b, map[string]func(json.RawMessage) error{
		"maintainers":     func(v json.RawMessage) error { return readMaintainers(v, &p.Maintainers) },
		"auto_merge":      func(v json.RawMessage) error { return json.Unmarshal(v, &p.AutoMerge) },
		"new_name_wait":   func(v json.RawMessage) error { return readWait(v, &p.NewNameWait) },
		"updates_per_day": func(v json.RawMessage) error { return readCount(v, &p.UpdatesPerDay) },
		"judge":           func(v json.RawMessage) error { return readJudge(v, &p.JudgeRequired) },
	})
}

// eachMember hands every member of a mapping to the one who reads it. A key
// without a value is as if it were not there.
func eachMember(b []byte, readers map[string]func(json.RawMessage) error) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil || members == nil {
		return errors.New("it is not a mapping")
	}
	var problems []error
	for key, value := range members {
		read := readers[key]
		switch {
		case read == nil:
			problems = append(problems, fmt.Errorf("there is no key %s", spec.Quote(key)))
		case !bytes.Equal(value, []byte("null")):
			if err := read(value); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", key, err))
			}
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(problems...)
}

// readMaintainers reads people with their numbers: a login alone would be
// whoever takes it over.
func readMaintainers(v json.RawMessage, into *[]ledger.Owner) error {
	var items []json.RawMessage
	if err := json.Unmarshal(v, &items); err != nil {
		return errors.New("it is not a list of people, each with login and id")
	}
	var out []ledger.Owner
	for _, item := range items {
		var o ledger.Owner
		err := eachMember(item, map[string]func(json.RawMessage) error{
			"login": func(v json.RawMessage) error { return json.Unmarshal(v, &o.Login) },
			"id":    func(v json.RawMessage) error { return json.Unmarshal(v, &o.ID) },
		})
		if err == nil && (o.Login == "" || o.ID <= 0 || checkText("login", o.Login) != nil) {
			err = fmt.Errorf("somebody is %s with the number %d", spec.Quote(o.Login), o.ID)
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(out, func(other ledger.Owner) bool { return other.ID == o.ID }) {
			return fmt.Errorf("the number %d stands twice", o.ID)
		}
		out = append(out, o)
	}
	*into = out
	return nil
}

// readWait reads a duration such as 72h; the number 0 has no unit.
func readWait(v json.RawMessage, into *time.Duration) error {
	if string(v) == "0" {
		*into = 0
		return nil
	}
	var text string
	if err := json.Unmarshal(v, &text); err != nil {
		return errors.New("it is not a duration such as 72h")
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > limits.PolicyWait {
		return fmt.Errorf("%s is not a duration such as 72h, of at most %s", spec.Quote(text), limits.PolicyWait)
	}
	*into = d
	return nil
}

func readCount(v json.RawMessage, into *int) error {
	var n int
	if err := json.Unmarshal(v, &n); err != nil || n < 0 || n > limits.PolicyUpdates {
		return fmt.Errorf("%s is not a number from 0 to %d", spec.Quote(string(v)), limits.PolicyUpdates)
	}
	*into = n
	return nil
}

func readJudge(v json.RawMessage, into *bool) error {
	switch string(v) {
	case `"off"`:
		*into = false
	case `"required"`:
		*into = true
	default:
		return fmt.Errorf("it is %s, and may be off or required", spec.Quote(string(v)))
	}
	return nil
}

// policyYAML is what a new registry.yaml says: the defaults, so that who runs
// the registry sees what there is to decide.
func policyYAML() string {
	p := defaultPolicy()
	return fmt.Sprintf(`# What becomes of pull requests: docs/review.md of patch-git.
policy:
  # maintainers:          # beside those who may write to the repository
  #   - login: ada
  #     id: 7
  auto_merge: %t        # an owner's update that asks for no more; an owner's yank
  new_name_wait: 0        # as in 72h: then a new name needs no person; 0: it always does
  updates_per_day: %d     # of one author, merged without a person
  judge: off              # required: a model has to look at it
`, p.AutoMerge, p.UpdatesPerDay)
}

// CheckConfig tells what is wrong with a proposed registry.yaml, as [OpenTree]
// would of one that is in place.
func CheckConfig(data []byte) error {
	_, err := readConfig(data)
	return err
}
