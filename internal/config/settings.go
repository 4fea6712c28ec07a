package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/patch-cat/patch-git/spec"
)

// Setting is one member of [MCP] that is a word or a number, as a person sees it.
type Setting struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Default string `json:"default"`
	Allowed string `json:"allowed"`
	// Guards says that it decides what is believed or kept, not only what is shown.
	Guards bool `json:"guards"`
}

// Settings are all of them, in the order of the file.
func (m MCP) Settings() []Setting {
	var out []Setting
	std := DefaultMCP()
	others := std.members()
	for i, f := range m.members() {
		if f.words == nil && f.most == 0 {
			continue // a list
		}
		s := Setting{
			Name: f.name, Value: fmt.Sprint(reflect.ValueOf(f.at).Elem()), Default: fmt.Sprint(reflect.ValueOf(others[i].at).Elem()),
			Allowed: strings.Join(f.words, ", "), Guards: f.guards,
		}
		if f.words == nil {
			s.Allowed = fmt.Sprintf("%d to %d", f.least, f.most)
		}
		out = append(out, s)
	}
	return out
}

// Set gives one of the settings another value. An unknown name and a value that the
// file could not have are errors, and change nothing.
func (m *MCP) Set(name, value string) error {
	for _, f := range m.members() {
		if f.name != name || f.words == nil && f.most == 0 {
			continue
		}
		old := *m
		v := reflect.ValueOf(f.at).Elem()
		if f.words != nil {
			v.SetString(value)
		} else {
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("%s is no number", spec.Quote(value))
			}
			v.SetInt(int64(n))
		}
		if err := f.check(); err != nil {
			*m = old
			return err
		}
		return nil
	}
	return fmt.Errorf("there is no setting %s", spec.Quote(name))
}
