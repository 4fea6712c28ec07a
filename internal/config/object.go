package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/patch-cat/patch-git/spec"
)

// object reads one JSON object. into says where the value of a member goes, nil
// for a member that is not known. The standard library alone would take a name
// in other letters, and the last of two.
func object(data []byte, into func(name string) any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("it is no JSON object")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, ok := t.(string)
		if !ok {
			return errors.New("a member has no name")
		}
		if seen[name] {
			return fmt.Errorf("%s is there twice", spec.Quote(name))
		}
		seen[name] = true
		to := into(name)
		if to == nil {
			return fmt.Errorf("%s is not known", spec.Quote(name))
		}
		if err := d.Decode(to); err != nil {
			return fmt.Errorf("%s: %w", spec.Quote(name), err)
		}
	}
	if _, err := d.Token(); err != nil {
		return errors.New("it is cut short")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after its end")
	}
	return nil
}
