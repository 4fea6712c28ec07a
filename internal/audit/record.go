package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/spec"
)

// Schema is the version of the record's shape. Fields are added to it, never
// renamed; a reader ignores fields that it does not know.
const Schema = "1"

// maxRecord is what a record can be: inputs, output, and room for the rest.
const maxRecord = limits.Arguments + limits.Stdout + limits.MiB

// Status is how far a run came.
type Status string

// A run is started, and then one of the other three. A run whose record still
// says started was killed, or goes on.
const (
	Started   Status = "started"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"  // the tool, its limits or the machine failed
	Refused   Status = "refused" // a check said no and nothing was run
)

// Record is everything that is kept of one run; runs/<run_id>.json is its JSON
// form. The journal sets Schema, Prev, RunID, StartedAt, EndedAt and the
// digests of the streams; the caller sets the rest.
type Record struct {
	Schema     string      `json:"schema_version"`
	Seq        uint64      `json:"seq,omitempty"` // which one of the chain it is, from 1; 0 while started
	Prev       spec.Digest `json:"prev,omitzero"` // of the record finished before; zero at the first, and while started
	RunID      RunID       `json:"run_id"`
	Status     Status      `json:"status"`
	StartedAt  time.Time   `json:"ran_at"` // UTC
	EndedAt    time.Time   `json:"ended_at,omitzero"`
	DurationMS int64       `json:"duration_ms"` // of the tool; the whole run's where the caller gives none
	Tool       Tool        `json:"tool"`
	Operation  *Operation  `json:"operation,omitempty"` // of a tool that has several; nil of a Patch tool
	Registry   string      `json:"registry,omitempty"`  // the registry's name in the user's configuration
	Sandbox    Sandbox     `json:"sandbox"`
	Trigger    Trigger     `json:"trigger"`

	// Stages are the steps of the security stack that the call came to, in their
	// order, each once; the last one may have stopped it [AR-18].
	Stages []Stage `json:"stages,omitempty"`
	// Parents are the runs whose output is in the inputs, as far as it was seen.
	Parents  []RunID   `json:"parents,omitempty"`
	Taint    *Taint    `json:"taint,omitempty"`
	Approval *Approval `json:"approval,omitempty"` // by which this run was let through
	Replay   RunID     `json:"replay_of,omitempty"`

	// Inputs and Output are JSON, as given and as answered; only white space
	// between tokens may differ.
	Inputs json.RawMessage `json:"inputs,omitempty"`
	Output json.RawMessage `json:"output,omitempty"`
	// Redacted tells that a secret was struck from inputs or output, and
	// InputsRedacted that it was from the inputs.
	Redacted       bool `json:"redacted,omitempty"`
	InputsRedacted bool `json:"inputs_redacted,omitempty"`
	// Replayable is false where the run did not succeed or its inputs are not
	// kept in full; nil in a record of an older patch-git.
	Replayable *bool `json:"replayable,omitempty"`
	// OutputCode is that of the output before anything was struck from it, as
	// [Journal.OutputCode] has it; "" where there is none.
	OutputCode string `json:"output_hmac,omitempty"`

	// Network are the places that the tool asked for, and what came of it, where
	// its network led through us; the sandbox's own words say where it did not.
	Network []Reached `json:"network,omitempty"`
	// NetworkMore counts wishes for places that are not listed.
	NetworkMore int `json:"network_more,omitempty"`
	// Assertions say of each capability what was declared and what held it.
	Assertions []Assertion `json:"capability_assertions,omitempty"`

	StdoutSHA256 spec.Digest `json:"stdout_sha256,omitzero"`
	StderrSHA256 spec.Digest `json:"stderr_sha256,omitzero"`
	StdoutNoise  bool        `json:"stdout_noise,omitempty"` // there was more on stdout than the result [C-3]
	ExitCode     int         `json:"exit_code"`              // of the process; -1 when a signal ended it
	Error        *Failure    `json:"error,omitempty"`        // present unless the run succeeded

	// Key is the public key (Ed25519, base64url) by which the record is signed,
	// and Signature what it says; see sign.go. The journal alone sets both.
	Key       string `json:"key,omitempty"`
	Signature string `json:"sig,omitempty"`
}

// CanReplay is nil where the run can be run again from its record, and otherwise
// says why not: a *fault.Error of kind Denied with reason "not_replayable".
func (r *Record) CanReplay() error {
	switch {
	case r.Status != Succeeded:
		return fault.New(fault.Denied, "not_replayable", "run %s did not succeed: its status is %s", r.RunID, r.Status)
	case r.InputsRedacted, r.Replayable == nil && r.Redacted:
		return fault.New(fault.Denied, "not_replayable", "run %s had a secret in its inputs, which is not kept", r.RunID)
	case r.Replayable != nil && !*r.Replayable:
		return fault.New(fault.Denied, "not_replayable", "run %s cannot be replayed", r.RunID)
	}
	return nil
}

// Tool names what ran, down to its bytes.
type Tool struct {
	Name    spec.Name    `json:"name"`
	Version spec.Version `json:"version,omitempty"`
	Release spec.Digest  `json:"release_sha256,omitzero"` // of release.json
	Source  spec.Digest  `json:"source_sha256,omitzero"`  // of the main file
}

// Operation says which operation of a tool was called, and how that was done.
type Operation struct {
	Name     string      `json:"name"`
	Kind     string      `json:"invocation"`              // as spec.InvocationKind has it
	Install  spec.Digest `json:"install_sha256,omitzero"` // of what the artifact was acquired from, where there is one
	Attempts int         `json:"attempts,omitempty"`      // that were made; 0 where none was
	Status   int         `json:"http_status,omitempty"`   // of the last answer
}

// Sandbox says under what the tool ran.
type Sandbox struct {
	Driver       string           `json:"driver,omitempty"`
	NotEnforced  []string         `json:"not_enforced,omitempty"` // what the driver could not enforce
	Capabilities spec.Permissions `json:"capabilities"`           // the ceiling
	Internet     bool             `json:"allow_internet_access"`  // what was really given
	Grants       []Grant          `json:"grants,omitempty"`
	AllowNet     []string         `json:"allow_net,omitempty"` // what the network reached beyond the internet
	Hidden       []string         `json:"hidden,omitempty"`    // paths in the grants that the tool could not see
	Limits       Limits           `json:"limits,omitzero"`
	Python       Python           `json:"python,omitzero"`
	Packages     []string         `json:"packages_installed,omitempty"` // name==version
	EnvKeys      []string         `json:"envs_keys,omitempty"`          // names alone, never values
}

// Grant is a path of the user's that the tool could reach.
type Grant struct {
	Path   string `json:"path"`
	Write  bool   `json:"write,omitempty"`
	From   Origin `json:"from,omitempty"`
	Secret bool   `json:"secret,omitempty"` // a known place of secrets, given because it was named
}

// Origin says who named a grant.
type Origin string

// A grant is typed as a flag, named by an argument of the tool, or stands in
// the user's configuration.
const (
	FromFlag     Origin = "flag"
	FromArgument Origin = "argument"
	FromConfig   Origin = "config"
)

// Limits are the numbers that bounded the run; 0 is "not limited".
type Limits struct {
	TimeMS    int64 `json:"time_ms,omitempty"`
	Memory    int64 `json:"memory_bytes,omitempty"`
	Processes int64 `json:"processes,omitempty"`
	Files     int64 `json:"open_files,omitempty"`
	FileSize  int64 `json:"file_bytes,omitempty"`
	Scratch   int64 `json:"scratch_bytes,omitempty"`
}

// Python is the interpreter that ran the tool.
type Python struct {
	Version string `json:"version,omitempty"`
	Path    string `json:"path,omitempty"`
	Note    string `json:"note,omitempty"` // such as: newer than the tool asked for
}

// Reached is one place that a tool asked for.
type Reached struct {
	Network string `json:"network"` // "tcp", "udp" or "dns"
	Address string `json:"address"` // address:port, or the name that was asked for
	Times   int    `json:"times"`
	Verdict string `json:"verdict"` // "reached", "sent" for a datagram or a question, "failed" or "refused"
}

// Assertion is what became of one capability in a run.
type Assertion struct {
	Capability string `json:"capability"` // "network", "filesystem", "human_confirm" or "external_auth"
	Declared   string `json:"declared"`   // by the manifest: "true", "false", "none", "read-only" or "read-write"
	Given      string `json:"given"`      // to this run, in words of the same kind
	// Enforced tells that the tool could not have done more than it was given.
	Enforced bool   `json:"enforced"`
	By       string `json:"by,omitempty"` // the driver of the sandbox, or the person's word
}

// Stage is one step of the security stack and what it said.
type Stage struct {
	Name    string `json:"name"`             // "validation", "sanitizer", "quarantine", "taint", "confirmation", "sandbox", "labelling", "audit"
	Verdict string `json:"verdict"`          // "passed", "held" or "refused"
	Reason  string `json:"reason,omitempty"` // of what was held or refused, as package fault has it
}

// Taint says what of a run nobody vouches for.
type Taint struct {
	Output string         `json:"output"` // "untrusted", "derived" of tainted inputs, or "trusted"
	Inputs []TaintedInput `json:"inputs,omitempty"`
}

// TaintedInput is a value that was seen in an untrusted output before.
type TaintedInput struct {
	Input  string `json:"input"`
	Path   string `json:"path,omitempty"` // JSON pointer into the inputs
	How    string `json:"how"`
	Source RunID  `json:"source,omitempty"` // "" where it was not one of our runs
}

// Approval is the word of a person that a run needed.
type Approval struct {
	ID  string    `json:"id"`
	Via string    `json:"approved_via"` // "terminal", "page", "notification", "elicitation", "remembered"
	At  time.Time `json:"approved_at"`
}

// Trigger says who asked for the run.
type Trigger struct {
	Session     string `json:"session,omitempty"` // the conversation, a random id of ours
	MCPVersion  string `json:"mcp_client_version,omitempty"`
	TraceParent string `json:"traceparent,omitempty"` // W3C, as the client claims it
	HostApp     string `json:"host_app,omitempty"`    // "cli", or the AI host's name
	MCPClient   string `json:"mcp_client_name,omitempty"`
	User        string `json:"user,omitempty"`
	PromptHash  string `json:"user_prompt_hash,omitempty"`
}

// Failure is why a run did not succeed; the words of package fault.
type Failure struct {
	Kind    string `json:"kind"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
}

// FailureOf puts an error into a record.
func FailureOf(err error) *Failure {
	return &Failure{Kind: fault.KindOf(err).String(), Reason: fault.ReasonOf(err), Message: err.Error()}
}

// encode checks a record and writes it as one line of JSON.
func encode(r *Record) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("record run: %w", err)
	}
	b, ok := appendRecord(make([]byte, 0, recordRoom+len(r.Inputs)+len(r.Output)), r)
	if !ok {
		var buffer bytes.Buffer
		enc := json.NewEncoder(&buffer)
		enc.SetEscapeHTML(false) // inputs stay as they were given
		if err := enc.Encode(r); err != nil {
			return nil, fmt.Errorf("record run: %w", err)
		}
		b = buffer.Bytes()
	}
	if len(b) > maxRecord {
		return nil, fault.New(fault.Usage, "too_large", "record run: inputs and output take %d bytes, allowed are %d", len(b), maxRecord)
	}
	return b, nil
}

// recordRoom is what a record takes beside inputs and output, mostly.
const recordRoom = 2 << 10

// ParseRecord reads a record that any process, or anybody, may have written.
func ParseRecord(b []byte) (Record, error) {
	var r Record
	if len(b) > maxRecord {
		return Record{}, fmt.Errorf("record has %d bytes, allowed are %d", len(b), maxRecord)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return Record{}, fmt.Errorf("parse record: %w", err)
	}
	if err := r.check(); err != nil {
		return Record{}, fmt.Errorf("parse record: %w", err)
	}
	return r, nil
}

// check holds for every record, before it is written and after it is read.
func (r *Record) check() error {
	final := r.Status == Succeeded || r.Status == Failed || r.Status == Refused
	switch {
	case r.Schema != Schema:
		return fmt.Errorf("schema_version is %s, known is %q", spec.Quote(r.Schema), Schema)
	case !final && r.Status != Started:
		return fmt.Errorf("status is %s", spec.Quote(string(r.Status)))
	case r.RunID == "":
		return errors.New("run_id is missing")
	case r.Tool.Name == "":
		return errors.New("name of the tool is missing")
	case r.StartedAt.IsZero():
		return errors.New("ran_at is missing")
	case final == r.EndedAt.IsZero():
		return fmt.Errorf("status is %s, which does not go with ended_at", r.Status)
	case !final && (!r.Prev.IsZero() || r.Seq != 0 || r.Key != ""):
		return errors.New("prev is set before the run is finished")
	case (r.Seq == 0) != (r.Key == ""):
		return errors.New("seq does not go with key")
	case final && r.StdoutSHA256.IsZero(), final && r.StderrSHA256.IsZero():
		return errors.New("digest of stdout or stderr is missing")
	case r.DurationMS < 0:
		return errors.New("duration_ms is negative")
	case (r.Error != nil) != (final && r.Status != Succeeded):
		return fmt.Errorf("status is %s, which does not go with error", r.Status)
	}
	// A caller that hands over "NAME=value" would store the value.
	if i := slices.IndexFunc(r.Sandbox.EnvKeys, func(k string) bool { return strings.ContainsAny(k, "=\x00\n") }); i >= 0 {
		return fmt.Errorf("envs_keys[%d] is not the name of a variable", i)
	}
	return nil
}
