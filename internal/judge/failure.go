package judge

import (
	"slices"
	"strings"

	"github.com/patch-cat/patch-git/internal/fault"
)

// Failure is why nobody knows what the model thinks.
type Failure string

// The failures, of which none is a yes.
const (
	Disabled    Failure = "disabled"    // no model is configured
	Unreachable Failure = "unreachable" // no answer in time, or only that it is busy
	Refused     Failure = "refused"     // the provider does not take the request: key, model, shape
	Malformed   Failure = "malformed"   // an answer that is none
	Canary      Failure = "canary"      // a text whose verdict is known was judged wrongly
	Budget      Failure = "budget"      // there is more than a model is asked about
	Unreadable  Failure = "unreadable"  // there is no text to be judged
)

var failures = []Failure{Disabled, Unreachable, Refused, Malformed, Canary, Budget, Unreadable}

// Words says a failure as the end of a sentence.
func (f Failure) Words() string {
	switch f {
	case Disabled:
		return "no model is configured"
	case Unreachable:
		return "the model did not answer in time"
	case Refused:
		return "the provider does not take the request"
	case Malformed:
		return "an answer of the model was not of the one form that is taken"
	case Canary:
		return "the model judged a text wrongly whose verdict is known, so nothing that it said in this run counts"
	case Budget:
		return "there is more text than a model is asked about"
	case Unreadable:
		return "there is no text that a model could be given"
	}
	return "nobody knows why"
}

// Flag is one of the flags of a summary [requirements: quarantine output].
type Flag string

// What a text may do to a model that reads it.
const (
	FlagImperative   Flag = "imperative_instruction"
	FlagOverride     Flag = "instruction_override_attempt"
	FlagEncoded      Flag = "encoded_payload"
	FlagDirective    Flag = "tool_directive"
	FlagManipulation Flag = "agent_manipulation"
)

// Why nobody can tell.
const (
	FlagError       Flag = "quarantine_error"
	FlagMalformed   Flag = "malformed_response"
	FlagUnreachable Flag = "quarantine_unreachable"
	FlagDisabled    Flag = "quarantine_disabled"
)

// modelFlags are those that a model may set; of what it cannot tell it is no judge.
var modelFlags = []Flag{FlagImperative, FlagOverride, FlagEncoded, FlagDirective, FlagManipulation}

// Operational tells whether a flag says that nobody could tell.
func (f Flag) Operational() bool { return !slices.Contains(modelFlags, f) }

// Flag is the documented flag of a failure.
func (f Failure) Flag() Flag {
	switch f {
	case Disabled:
		return FlagDisabled
	case Unreachable:
		return FlagUnreachable
	case Malformed:
		return FlagMalformed
	}
	return FlagError
}

const reasonPrefix = "judge_"

// failed makes an error of a failure: kind Unavailable, because nobody could tell.
func failed(f Failure, format string, args ...any) *fault.Error {
	return fault.New(fault.Unavailable, reasonPrefix+string(f), format, args...)
}

// FailureOf tells which failure an error of this package is; what is none is a
// request that did not come through.
func FailureOf(err error) Failure {
	word, ok := strings.CutPrefix(fault.ReasonOf(err), reasonPrefix)
	if f := Failure(word); ok && slices.Contains(failures, f) {
		return f
	}
	return Unreachable
}
