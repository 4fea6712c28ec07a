package approval

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Remembered is a value that a person said yes to for one input of one release of
// a tool. Another version is another tool, and is asked about anew.
type Remembered struct {
	Name   string      `json:"name"` // by which it is forgotten
	Tool   spec.Ref    `json:"tool"`
	Source spec.Digest `json:"source"`
	Input  string      `json:"input"`
	Value  string      `json:"value"` // as it is shown; the whole of it is in the name
	From   ID          `json:"from"`  // the action that it was said yes to in
	Via    Via         `json:"via"`   // and how
	Since  time.Time   `json:"since"`
	Until  time.Time   `json:"until"`
}

// nameOf is a code over all that is remembered: who lists the folder learns no
// values, and a value is found without a search.
func (s *Store) nameOf(tool spec.Ref, source spec.Digest, input, value string) (string, error) {
	key, err := s.key()
	if err != nil {
		return "", err
	}
	body, err := json.Marshal([]string{tool.String(), source.Hex(), input, value})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(code(key, kindRemembered, "name", body)[:16]), nil
}

// remember keeps the tainted values of an approved entry.
func (s *Store) remember(e Entry) error {
	life := within(s.Remember, limits.RememberLongest)
	if life == 0 {
		return nil
	}
	s.sweep(kindRemembered, limits.RememberLongest)
	a := e.Action
	for _, r := range a.Reasons {
		if r.Kind != KindTainted {
			continue // nothing but a value is ever remembered: a tool that asks each time asks each time
		}
		value, ok := r.remembers(a.Arguments)
		if !ok {
			continue
		}
		name, err := s.nameOf(a.Tool, a.Source, a.Remembers(r.Input), value)
		if err != nil {
			return err
		}
		if err := s.save(kindRemembered, name, Remembered{
			Name: name, Tool: a.Tool, Source: a.Source, Input: a.Remembers(r.Input), Value: Shown(value), From: e.ID, Via: e.Via, Since: e.Decided, Until: e.Decided.Add(life),
		}); err != nil {
			return err
		}
	}
	return nil
}

// Rememberable tells whether a value of the action could be remembered.
func (a Action) Rememberable() bool {
	return slices.ContainsFunc(a.Reasons, func(r Reason) bool {
		_, ok := r.remembers(a.Arguments)
		return ok && r.Kind == KindTainted
	})
}

// remembers is the whole of the value that the reason is about. Where that is the
// name of a member there is none: at its place stands the value beside it, which the
// person was not asked about. A number is as the reason has it, however it is spelled.
func (r Reason) remembers(args json.RawMessage) (string, bool) {
	value, number, ok := leaf(args, r.Path)
	begin, cut := strings.CutSuffix(r.Value, "…")
	switch {
	case !ok:
		return "", false
	case number:
		return r.Value, !cut && r.Value != ""
	}
	return value, value == r.Value || cut && strings.HasPrefix(value, begin)
}

// leaf is the text or number at a JSON pointer.
func leaf(args json.RawMessage, pointer string) (text string, number, ok bool) {
	var at any
	d := json.NewDecoder(strings.NewReader(string(args)))
	d.UseNumber()
	if d.Decode(&at) != nil || pointer == "" {
		return "", false, false
	}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return "", false, false
			}
			at = v[i]
		default:
			return "", false, false
		}
	}
	switch v := at.(type) {
	case string:
		return v, false, true
	case json.Number:
		return v.String(), true, true
	}
	return "", false, false
}

// Recall returns what a person said yes to, if that was this value for this input of
// this release, and still holds. What cannot be read is not remembered.
func (s *Store) Recall(tool spec.Ref, source spec.Digest, input, value string) (r Remembered, ok bool) {
	name, err := s.nameOf(tool, source, input, value)
	if err != nil || s.load(kindRemembered, name, &r) != nil || !r.holds(s.now()) {
		return Remembered{}, false
	}
	return r, true
}

func (r Remembered) holds(now time.Time) bool {
	return !now.After(r.Until) && !now.Before(r.Since.Add(-limits.ClockSkew))
}

// Remembered lists what still holds, the oldest first, and what could not be
// believed.
func (s *Store) Remembered() (list []Remembered, damaged []error, err error) {
	names, err := s.names(kindRemembered)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range names {
		var r Remembered
		switch err := s.load(kindRemembered, n, &r); {
		case errors.Is(err, fs.ErrNotExist):
		case fault.ReasonOf(err) == "approval_damaged":
			damaged = append(damaged, err)
		case err != nil:
			return nil, nil, err
		case r.holds(s.now()):
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b Remembered) int { return a.Since.Compare(b.Since) })
	return list, damaged, nil
}

// Forget makes a remembered value need a word again; "" forgets them all. It
// returns how many there were.
func (s *Store) Forget(ctx context.Context, name string) (int, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	names, err := s.names(kindRemembered)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, each := range names {
		if name != "" && each != name {
			continue
		}
		path := s.path(kindRemembered, each)
		if err := os.Remove(path); err != nil {
			return n, durable.Classify("remove", path, err)
		}
		n++
	}
	if name != "" && n == 0 {
		return 0, fault.New(fault.NotFound, "not_remembered", "nothing is remembered as %s", spec.Quote(name)).Hint("patch-git approve --list")
	}
	return n, nil
}
