package toolbox

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Deployed is what became of an install manifest on this machine: what a person gave
// for it that is no secret, where the secrets are, and whether it was seen to work.
// It is written after the receipt; a receipt without it is a tool whose values are
// not there yet.
type Deployed struct {
	Schema  int               `json:"schema"`
	Release spec.Digest       `json:"release"`
	Values  map[string]string `json:"values,omitempty"`
	// Secrets says for each secret that was given in which kind of store it is.
	Secrets map[string]string `json:"secrets,omitempty"`
	Skipped []string          `json:"skipped,omitempty"` // what a person gave no value for
	Smoke   Smoked            `json:"smoke"`
	// Net is what the person let the tool reach beyond the internet, for its smoke run
	// and its kill switch.
	Net []string `json:"allow_net,omitempty"`
}

// Smoked is how the last smoke run ended.
type Smoked struct {
	State string   `json:"state"`         // one of the below; "" is that there was none yet
	Why   []string `json:"why,omitempty"` // what did not hold
	At    string   `json:"at,omitempty"`
}

// How a smoke run ends.
const (
	SmokePassed = "passed"
	SmokeFailed = "failed" // the tool is marked as not working
	SmokeUntold = "untold" // nobody could tell, such as without a network
)

const (
	deployedSchema = 1
	deployedFile   = "deployed.json"
)

// Deployed returns what became of an installed release; ok is false where nothing is
// known. One that is damaged is an error: what is given to a tool is not guessed.
func (t *Toolbox) Deployed(r Receipt) (d Deployed, ok bool, err error) {
	path := filepath.Join(t.receiptDir(r.Name, r.Version), deployedFile)
	data, err := durable.ReadFileNoFollow(path, limits.SecretsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return d, false, nil
	}
	if err == nil && (json.Unmarshal(data, &d) != nil || d.Schema != deployedSchema || d.Release != r.Release) {
		err = fault.New(fault.NotVerified, "deployed_damaged", "what was given to %s cannot be read: %s is damaged", r.Ref().At(), spec.Quote(path)).
			Hint("patch-git remove %s && patch-git pull %s", r.Ref().At(), r.Ref().At())
	}
	return d, err == nil, err
}

// KeepDeployed keeps it.
func (t *Toolbox) KeepDeployed(r Receipt, d Deployed) error {
	d.Schema, d.Release = deployedSchema, r.Release
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fault.New(fault.Internal, "deployed", "%w", err)
	}
	return t.beside(r, deployedFile, append(data, '\n'))
}
