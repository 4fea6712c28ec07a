package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/internal/paths"
	"github.com/patch-cat/patch-git/spec"
)

// Store is what waits and what was decided, for one user. It is safe for
// concurrent use, also by many processes.
type Store struct {
	// Wait is how long an action waits for a person, and Good how long an
	// approval waits to be used; both within limits.ApprovalLongest.
	Wait, Good time.Duration
	// Remember is how long a value that a person said yes to needs no further
	// word; at most limits.RememberLongest.
	Remember time.Duration
	// Denied, where it is not nil, hears of each no, which stands by then.
	Denied func(context.Context, Entry)

	dir string
	now func() time.Time
	key func() ([]byte, error)
}

// Open returns the store, which is made when something is first held.
func Open(p paths.Paths, now func() time.Time) *Store {
	s := &Store{Wait: limits.ApprovalWait, Good: limits.ApprovalGood, Remember: limits.Remember, dir: p.Approvals(), now: now}
	s.key = sync.OnceValues(func() ([]byte, error) { return durable.Key(filepath.Join(s.dir, "key")) })
	return s
}

// Entry is one action and how far it came.
type Entry struct {
	ID      ID        `json:"id"`
	Action  Action    `json:"action"`
	State   State     `json:"state"`
	Held    time.Time `json:"held_at"`
	Until   time.Time `json:"until"` // when it, or its approval, runs out
	Decided time.Time `json:"decided_at,omitzero"`
	Via     Via       `json:"via,omitempty"`
}

// at is the entry as it is now. One of the future is over too: a clock that was
// set back must not give time.
func (e Entry) at(now time.Time) Entry {
	since := e.Held
	if e.State == Approved {
		since = e.Decided
	}
	if (e.State == Pending || e.State == Approved) && (now.After(e.Until) || now.Before(since.Add(-limits.ClockSkew))) {
		e.State = Expired
	}
	return e
}

// ParseID reads the id of an action as a person or a model wrote it.
func ParseID(text string) (ID, error) {
	if len(text) != idLength || strings.Trim(text, idLetters) != "" {
		return "", fault.New(fault.NotFound, "no_approval", "%s is no id of an action that waits", spec.Quote(text)).Hint("patch-git approve --list")
	}
	return ID(text), nil
}

const (
	idLength  = 16
	idLetters = "abcdefghijklmnopqrstuvwxyz234567"
)

func newID() ID { return ID(strings.ToLower(rand.Text()[:idLength])) }

// Hold puts an action before a person. The same call of the same session is held
// once: while it waits, or its approval does, its entry is returned as it is, and
// so is a denied one for as long as it would have waited, so that asking again
// does not wear a person down. Too many at a time are an error of kind Denied and
// reason "too_many_held"; a call of a tool that the person said no to again and again,
// with whatever arguments, one of reason "approval_denied".
func (s *Store) Hold(ctx context.Context, a Action) (Entry, error) {
	if err := a.check(); err != nil {
		return Entry{}, err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	s.sweep(kindAction, limits.ApprovalKept)
	s.sweep(kindSpent, limits.ApprovalSpent)
	list, _, err := s.list()
	if err != nil {
		return Entry{}, err
	}
	s.thin(list)
	now, waiting, mine, denied := s.now().UTC(), 0, 0, 0
	for _, e := range list {
		open := e.State == Pending || e.State == Approved || e.State == Denied && !now.After(e.Until)
		if open && e.Action.same(a) && told(a.Reasons, e.Action.Reasons) {
			return e, nil
		}
		switch same := e.Action.Session == a.Session; {
		case e.State == Pending:
			waiting++
			if same {
				mine++
			}
		case open && e.State == Denied && same && e.Action.Tool.Name == a.Tool.Name:
			denied++
		}
	}
	if denied >= limits.ApprovalsDenied {
		return Entry{}, fault.New(fault.Denied, "approval_denied", "a person said no to %d calls of %s, and is not asked again for a while", denied, a.Tool.Name)
	}
	if waiting >= limits.ApprovalsHeld || mine >= limits.ApprovalsOfOne {
		return Entry{}, fault.New(fault.Denied, "too_many_held", "%d calls wait for a person already", waiting).Hint("patch-git approve")
	}
	e := Entry{ID: newID(), Action: a, State: Pending, Held: now, Until: now.Add(within(s.Wait, limits.ApprovalLongest))}
	return e, s.save(kindAction, string(e.ID), e)
}

// thin removes the oldest of what is over, so that looking for what waits stays
// quick. The marks of what was used stay.
func (s *Store) thin(list []Entry) {
	for i, e := range list {
		if len(list)-i <= limits.ApprovalsKept {
			return
		}
		if e.State != Pending && e.State != Approved && s.now().After(e.Until) {
			_ = os.Remove(s.path(kindAction, string(e.ID)))
		}
	}
}

// told tells whether a person who saw the reasons in before knows all of now.
func told(now, before []Reason) bool {
	return !slices.ContainsFunc(now, func(r Reason) bool { return !slices.ContainsFunc(before, r.told) })
}

// within keeps a duration of a configuration in its bounds.
func within(d, most time.Duration) time.Duration { return min(max(d, 0), most) }

// Get returns an entry as it is now. One that is not there is of kind NotFound
// and reason "no_approval", one that was tampered with of kind NotVerified and
// reason "approval_damaged".
func (s *Store) Get(id ID) (Entry, error) {
	if _, err := ParseID(string(id)); err != nil {
		return Entry{}, err
	}
	var e Entry
	err := s.load(kindAction, string(id), &e)
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, fault.New(fault.NotFound, "no_approval", "no action %s waits or was decided lately", id).Hint("patch-git approve --list")
	}
	if err != nil {
		return Entry{}, err
	}
	return e.at(s.now()), nil
}

// List returns what waits and what was decided lately, the oldest first, and what
// could not be believed.
func (s *Store) List() (list []Entry, damaged []error, err error) { return s.list() }

func (s *Store) list() (list []Entry, damaged []error, err error) {
	names, err := s.names(kindAction)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range names {
		e, err := s.Get(ID(n))
		switch fault.KindOf(err) {
		case fault.NotFound: // removed meanwhile, or no file of ours
		case fault.NotVerified:
			if fault.ReasonOf(err) == "key_damaged" {
				return nil, nil, err
			}
			damaged = append(damaged, err)
		default:
			if err != nil {
				return nil, nil, err
			}
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return a.Held.Compare(b.Held) })
	return list, damaged, nil
}

// Decide records what a person said of a pending action. remember makes the
// tainted values of an approved one need no further word for this tool and input.
// What does not wait any more is of kind Denied and reason "approval_denied",
// "approval_expired", "approval_used" or "approval_decided", and stays as it is. An
// AI host's word for what it cannot attest is refused with reason
// "approval_channel".
func (s *Store) Decide(ctx context.Context, id ID, yes bool, via Via, remember bool) (Entry, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return Entry{}, err
	}
	defer unlock()
	e, err := s.Get(id)
	if err != nil {
		return Entry{}, err
	}
	if err := e.Open(); err != nil {
		return e, err
	}
	switch {
	case !via.decides():
		return e, fault.New(fault.Internal, "bad_channel", "%s is no way for a person to decide", spec.Quote(string(via)))
	case yes && via == ViaElicitation && (remember || !e.Action.Attestable()):
		return e, fault.New(fault.Denied, "approval_channel", "what waits as %s needs a person's own word, and not that of the AI host", id).
			Hint("patch-git approve %s", id)
	}
	e.Decided, e.Via, e.State = s.now().UTC(), via, Denied
	if yes {
		e.State, e.Until = Approved, e.Decided.Add(within(s.Good, limits.ApprovalLongest))
		if remember {
			if err := s.remember(e); err != nil {
				return Entry{}, err
			}
		}
	}
	err = s.save(kindAction, string(id), e)
	if err == nil && !yes && s.Denied != nil {
		s.Denied(ctx, e)
	}
	return e, err
}

// Take makes an approval into a grant, once: of many that try at the same time,
// also in other processes, one gets it. It has to be of the session that asked.
// Whatever is not approved is of kind Denied: reason "approval_pending",
// "approval_denied", "approval_expired", "approval_used" or "approval_session".
func (s *Store) Take(ctx context.Context, id ID, session string) (Grant, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return Grant{}, err
	}
	defer unlock()
	e, err := s.Get(id)
	if err != nil {
		return Grant{}, err
	}
	switch {
	case session == "" || e.Action.Session != session:
		return Grant{}, fault.New(fault.Denied, "approval_session", "%s was asked for by another session", id).
			Hint("call the tool again in this one, so that a person is asked")
	case e.State != Approved:
		return Grant{}, e.refusal()
	}
	// The mark comes first and is never written over: a file of the entry that
	// somebody kept and puts back is not taken again.
	if err := s.spend(string(id)); err != nil {
		return Grant{}, err
	}
	g := Grant{id: e.ID, action: e.Action, via: e.Via, at: e.Decided}
	e.State, e.Action = Taken, e.Action.bare()
	if err := s.save(kindAction, string(id), e); err != nil {
		return Grant{}, err
	}
	return g, nil
}

// spend marks something as used, durably and for good. The second time is of
// reason "approval_used".
func (s *Store) spend(name string) error {
	var mark string
	switch err := s.load(kindSpent, name, &mark); {
	case errors.Is(err, fs.ErrNotExist):
		return s.save(kindSpent, name, name)
	case err != nil:
		return err
	}
	return used(name)
}

func used(name string) error {
	return fault.New(fault.Denied, "approval_used", "%s was used already: an approval is for one run", name).
		Hint("call the tool again, so that a person is asked anew")
}

// Open refuses an entry that does not wait any more, as [Store.Decide] does.
func (e Entry) Open() error {
	if e.State == Pending {
		return nil
	}
	return e.refusal()
}

// refusal says why an entry cannot go on.
func (e Entry) refusal() error {
	again := "call the tool again, so that a person is asked anew"
	switch e.State {
	case Pending:
		return fault.New(fault.Denied, "approval_pending", "nobody has decided about %s yet", e.ID).Hint("patch-git approve %s", e.ID)
	case Denied:
		return fault.New(fault.Denied, "approval_denied", "a person said no to %s", e.ID)
	case Taken:
		return used(string(e.ID))
	case Approved:
		return fault.New(fault.Denied, "approval_decided", "%s is approved already", e.ID)
	}
	return fault.New(fault.Denied, "approval_expired", "%s waited for too long and ran out at %s", e.ID, e.Until.Format(time.RFC3339)).Hint("%s", again)
}

func (s *Store) lock(ctx context.Context) (func(), error) {
	return durable.Lock(ctx, filepath.Join(s.dir, ".lock"), limits.LockWait)
}
