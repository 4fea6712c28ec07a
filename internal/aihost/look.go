package aihost

import (
	"github.com/patch-cat/patch-git/internal/host"
)

// State is what a host has of this program.
type State struct {
	Host  ID     `json:"host"`
	Title string `json:"title"`
	File  string `json:"file"`
	Here  bool   `json:"here"` // the host was started on this machine
	Entry *Entry `json:"entry,omitempty"`
	Hooks bool   `json:"hooks,omitempty"` // all of them are there
	// Problem says why the entry does not work, or why the file cannot be read.
	Problem string `json:"problem,omitempty"`
}

// Works tells whether the host starts this very program.
func (s State) Works() bool { return s.Entry != nil && s.Problem == "" }

// Look tells of every host what the user's file has. It starts nothing.
func Look(h *host.Host) []State {
	var out []State
	for _, k := range hosts {
		out = append(out, k.look(h))
	}
	return out
}

func (k known) look(h *host.Host) State {
	s := State{Host: k.id, Title: k.title, File: k.file(h)}
	if s.File == "" {
		return s
	}
	s.Here = k.here(h, s.File) || present(s.File)
	f, err := open(s.File, "")
	if err == nil {
		s.Entry, err = k.read(f.text)
	}
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	if s.Entry == nil {
		return s
	}
	s.Problem = s.Entry.problem(h)
	if k.id == ClaudeCode {
		s.Hooks = hooked(h)
	}
	return s
}

// here tells whether a host was started on this machine: at its first start it
// makes the folder of its file. Claude Code has it in the home itself, and makes
// another folder.
func (k known) here(h *host.Host, named string) bool {
	if k.id == ClaudeCode {
		named, _ = settings(h, User)
	}
	return folder(named)
}

// problem says why an entry would not start this program as it is now.
func (e Entry) problem(h *host.Host) string {
	here, same := e.runs(h)
	switch home := e.Env[homeVar]; {
	case !e.ours(h):
		return "the server called " + Server + " is another program"
	case !here:
		return "the program that it names is not there"
	case !same:
		return "it names another patch-git than this one"
	case home != "" && home != h.Paths.Root:
		return "it names another state than " + h.Paths.Root
	}
	return ""
}

// hooked tells whether Claude Code tells of what it reads.
func hooked(h *host.Host) bool {
	named, err := settings(h, User)
	if err != nil {
		return false
	}
	f, err := open(named, "")
	for _, k := range hooks {
		if err != nil {
			return false
		}
		var i int
		if _, i, err = k.find(f.text); i < 0 {
			return false
		}
	}
	return err == nil
}
