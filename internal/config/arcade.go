package config

import (
	"encoding/json"
	"errors"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Arcade is the engine that runs Arcade definitions, and for whom. The zero value is
// Arcade's own engine, for nobody. The key is never in the file.
type Arcade struct {
	BaseURL string `json:"base_url,omitempty"` // "" is Arcade's own
	UserID  string `json:"user_id,omitempty"`  // the person's name there
}

// parseArcade reads the object. What the values mean is for who uses them to check.
func parseArcade(data json.RawMessage) (Arcade, error) {
	var a Arcade
	if data == nil {
		return a, nil
	}
	if err := object(data, func(name string) any {
		return map[string]any{"base_url": &a.BaseURL, "user_id": &a.UserID}[name]
	}); err != nil {
		return Arcade{}, err
	}
	if len(a.BaseURL) > limits.ArcadeUser*4 || len(a.UserID) > limits.ArcadeUser {
		return Arcade{}, errors.New("a value is too long")
	}
	return a, nil
}
