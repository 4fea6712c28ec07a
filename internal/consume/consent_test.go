package consume

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/toolbox"
	"github.com/patch-cat/patch-git/spec"
)

// memory are consents that a test looks at.
type memory struct {
	list    []toolbox.Agreed
	agreed  bool
	carried spec.Version
	err     error
}

func (m *memory) before() ([]toolbox.Agreed, error) { return m.list, m.err }
func (*memory) lasting() bool                       { return true }
func (m *memory) agree(carried spec.Version, _ bool) error {
	m.agreed, m.carried = true, carried
	return nil
}

func asking(m *memory, c spec.Capabilities) *Subject {
	return &Subject{
		Tool: &spec.Tool{Name: "ask_twice", Version: "2.0.0", Capabilities: c}, Ref: spec.Ref{Name: "ask_twice", Version: "2.0.0"}, consent: m,
	}
}

// TestEachQuestionByItself: a word for one thing is no word for another.
func TestEachQuestionByItself(t *testing.T) {
	secret := &granted{Grant: audit.Grant{Path: "/home/me/.ssh/config", From: audit.FromArgument, Secret: true}}
	file := &granted{Grant: audit.Grant{Path: "/home/me/a", Write: true, From: audit.FromArgument}}
	all := spec.Capabilities{Network: true, HumanConfirm: true, Filesystem: spec.FilesystemReadWrite}
	for _, c := range []struct {
		o    RunOptions
		want string
	}{
		{RunOptions{}, ReasonConfirm},
		{RunOptions{Agree: true, Secrets: true}, ReasonConfirm},
		{RunOptions{Confirm: true}, ReasonSecret},
		{RunOptions{Confirm: true, Agree: true}, ReasonSecret},
		{RunOptions{Confirm: true, Secrets: true}, ReasonConsent},
		{RunOptions{Confirm: true, Secrets: true, Agree: true}, ""},
	} {
		m := &memory{}
		err := admit(asking(m, all), c.o, &grants{list: []*granted{secret, file}}, reach{filtered: true})
		if fault.ReasonOf(err) != c.want || m.agreed != (c.want == "") || err != nil && fault.KindOf(err) != fault.Denied {
			t.Errorf("%+v: %v, agreed %v", c.o, err, m.agreed)
		}
		if c.want == ReasonConsent && (!strings.Contains(err.Error(), "internet") || !strings.Contains(err.Error(), `write "/home/me/a"`)) {
			t.Errorf("the question is %v", err)
		}
		if c.want == ReasonSecret && (!strings.Contains(err.Error(), `read "/home/me/.ssh/config"`) || !slices.Contains(fault.HintsOf(err), `add --allow-read "/home/me/.ssh/config"`)) {
			t.Errorf("the question is %v, %v", err, fault.HintsOf(err))
		}
	}
}

// TestByName: no consent covers secrets and what other programs obey, one question names
// them all, and what a person is told names each for what it is.
func TestByName(t *testing.T) {
	secret := &granted{Grant: audit.Grant{Path: "/home/me/.env", From: audit.FromArgument, Secret: true}}
	rc := &granted{Grant: audit.Grant{Path: "/home/me/.bashrc", Write: true, From: audit.FromArgument}, obeyed: []string{"/home/me/.bashrc"}}
	repo := &granted{Grant: audit.Grant{Path: "/work", Write: true, From: audit.FromArgument}, obeyed: []string{"/work/.git", "/work/a/.git"}}
	agreed := []toolbox.Agreed{{Version: "2.0.0", Consent: toolbox.Consent{Permissions: spec.Permissions{Filesystem: spec.FilesystemReadWrite}}}}
	for name, c := range map[string]struct {
		list   []*granted
		reason string
		says   string
		hints  []string
		kinds  []string
	}{
		"obeyed": {
			[]*granted{rc},
			ReasonObeyed, `ask_twice is to write "/home/me/.bashrc", which other programs run or obey`,
			[]string{`add --allow-write "/home/me/.bashrc"`},
			[]string{approval.KindObeyed},
		},
		"in a folder": {
			[]*granted{repo},
			ReasonObeyed, `ask_twice is to write "/work" with "/work/.git", "/work/a/.git" in it, which other programs run or obey`,
			[]string{`add --allow-write "/work"`},
			[]string{approval.KindObeyed},
		},
		"both": {
			[]*granted{rc, secret},
			ReasonSecret, `ask_twice is to read "/home/me/.env", where secrets lie, and to write "/home/me/.bashrc", which other programs run or obey`,
			[]string{`add --allow-read "/home/me/.env" --allow-write "/home/me/.bashrc"`},
			[]string{approval.KindSecret, approval.KindObeyed},
		},
	} {
		s := asking(&memory{list: agreed}, spec.Capabilities{Filesystem: spec.FilesystemReadWrite})
		err := admit(s, RunOptions{Agree: true, Confirm: true}, &grants{list: c.list}, reach{filtered: true})
		if fault.ReasonOf(err) != c.reason || fault.KindOf(err) != fault.Denied || err.Error() != c.says || !slices.Equal(fault.HintsOf(err), c.hints) {
			t.Errorf("%s: %v, %q", name, err, fault.HintsOf(err))
		}
		if err := admit(s, RunOptions{Secrets: true}, &grants{list: c.list}, reach{filtered: true}); err != nil {
			t.Errorf("%s, with a word: %v", name, err)
		}
		list, _, err := asks(s, RunOptions{Session: NewSession("")}, &grants{list: c.list}, reach{filtered: true})
		var kinds []string
		for _, a := range list {
			kinds = append(kinds, a.Kind)
			if one := (approval.Action{Reasons: []approval.Reason{a.Reason}}); one.Attestable() {
				t.Errorf("%s: a host's word is enough for %s", name, a.Kind)
			}
		}
		if err != nil || !slices.Equal(kinds, c.kinds) {
			t.Errorf("%s in a conversation: %v, %v", name, kinds, err)
		}
	}
	// The twin: a file that nobody obeys, which the consent covers.
	plain := &granted{Grant: audit.Grant{Path: "/home/me/bashrc", Write: true, From: audit.FromArgument}}
	s := asking(&memory{list: agreed}, spec.Capabilities{Filesystem: spec.FilesystemReadWrite})
	if err := admit(s, RunOptions{}, &grants{list: []*granted{plain}}, reach{filtered: true}); err != nil {
		t.Error(err)
	}
	if list, _, err := asks(s, RunOptions{Session: NewSession("")}, &grants{list: []*granted{plain}}, reach{filtered: true}); err != nil || len(list) != 1 || list[0].Kind != approval.KindFiles {
		t.Errorf("in a conversation: %+v, %v", list, err)
	}
}

// TestWhatNeedsNoWord: a path that somebody named apart from the arguments, and
// a tool that is given nothing.
func TestWhatNeedsNoWord(t *testing.T) {
	files := spec.Capabilities{Filesystem: spec.FilesystemReadWrite}
	for _, list := range [][]*granted{
		nil,
		{{Grant: audit.Grant{Path: "/a", From: audit.FromFlag}}},
		{{Grant: audit.Grant{Path: "/a", Write: true, From: audit.FromConfig}}},
		{{Grant: audit.Grant{Path: "/home/me/.ssh/config", From: audit.FromFlag, Secret: true}}},
	} {
		m := &memory{err: errors.New("nobody needs to look")}
		if err := admit(asking(m, files), RunOptions{}, &grants{list: list}, reach{filtered: true}); err != nil || m.agreed {
			t.Errorf("%v: %v", list, err)
		}
	}
	m := &memory{err: errors.New("somebody looked")}
	if err := admit(asking(m, files), RunOptions{}, &grants{list: []*granted{{Grant: audit.Grant{Path: "/a", From: audit.FromArgument}}}}, reach{filtered: true}); !errors.Is(err, m.err) {
		t.Errorf("the twin: %v", err)
	}
}

// TestConsentCarriesOver where the version asks for no more than one before.
func TestConsentCarriesOver(t *testing.T) {
	said := func(v spec.Version, network bool, f spec.Filesystem) toolbox.Agreed {
		return toolbox.Agreed{Version: v, Consent: toolbox.Consent{Permissions: spec.Permissions{Network: network, Filesystem: f}}}
	}
	file := []*granted{{Grant: audit.Grant{Path: "/a", From: audit.FromArgument}}}
	ro, rw, none := spec.FilesystemReadOnly, spec.FilesystemReadWrite, spec.FilesystemNone
	for name, c := range map[string]struct {
		before  []toolbox.Agreed
		network bool
		fs      spec.Filesystem
		files   []*granted
		carried spec.Version
		more    string // what the refusal names; "" where there is none
	}{
		"the same":            {[]toolbox.Agreed{said("1.2.0", true, ro)}, true, ro, file, "1.2.0", ""},
		"less":                {[]toolbox.Agreed{said("1.2.0", true, rw)}, false, ro, file, "1.2.0", ""},
		"an older one covers": {[]toolbox.Agreed{said("1.2.0", false, none), said("1.1.0", false, ro)}, false, ro, file, "1.1.0", ""},
		"its own":             {[]toolbox.Agreed{said("2.0.0", false, ro)}, false, ro, file, "", ""},
		"network":             {[]toolbox.Agreed{said("1.2.0", false, ro)}, true, ro, file, "", "more than 1.2.0, which you agreed to: network"},
		"writing":             {[]toolbox.Agreed{said("1.2.0", false, ro)}, false, rw, file, "", "more than 1.2.0, which you agreed to: filesystem read-write"},
		"reading":             {[]toolbox.Agreed{said("1.2.0", true, none)}, true, ro, file, "", "more than 1.2.0, which you agreed to: filesystem read-only"},
		// Nobody was asked about files, and none is given.
		"the network alone": {[]toolbox.Agreed{said("2.0.0", true, none)}, true, ro, nil, "", ""},
		"nothing before":    {nil, true, none, nil, "", "nobody agreed to that yet"},
	} {
		m := &memory{list: c.before}
		err := admit(asking(m, spec.Capabilities{Network: c.network, Filesystem: c.fs}), RunOptions{}, &grants{list: c.files}, reach{filtered: true})
		if c.more != "" {
			if fault.ReasonOf(err) != ReasonConsent || !strings.HasSuffix(err.Error(), c.more) || m.agreed {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || m.agreed != (c.carried != "") || m.carried != c.carried {
			t.Errorf("%s: %v, carried from %q", name, err, m.carried)
		}
	}
}
