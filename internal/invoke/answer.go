package invoke

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// Reply is what came back, by whatever way.
type Reply struct {
	Body   []byte // the standard output, or the body of an answer
	Exit   int    // of a process; 0 of HTTP
	Status int    // of HTTP; 0 of a process
	Failed bool   // it says so itself, as an MCP tool does
}

// ok tells whether whoever answered says that it went well.
func (r Reply) ok() bool {
	return !r.Failed && r.Exit == 0 && (r.Status == 0 || r.Status >= 200 && r.Status < 300)
}

// Answer is what an operation answered.
type Answer struct {
	Format spec.OutputFormat
	// Result is the answer as JSON: the document; an array of the records; a text as
	// a string; of bytes {"bytes":N,"base64":"…"}; null where there is none.
	Result json.RawMessage
	Bytes  []byte // as it came, of text and binary
}

// FormatOf is the form in which an operation answers; one that says nothing of it
// answers with a text, which anything is that a program prints.
func FormatOf(op *spec.Operation) spec.OutputFormat {
	if op.Output == nil {
		return spec.OutputText
	}
	return op.Output.Format
}

// Read makes an answer of a reply. name is the tool's and the operation's, for
// messages. The error is a *[Failure] where whoever answered says that it failed, and
// else a *fault.Error of kind ToolFailed with the reason of [manifest.ReasonResult].
func Read(op *spec.Operation, check *manifest.Operation, name string, r Reply) (*Answer, error) {
	if f := failureOf(op, name, r); f != nil {
		return nil, f
	}
	a := &Answer{Format: FormatOf(op)}
	var err error
	switch a.Format {
	case spec.OutputJSON:
		a.Result, err = check.Result(r.Body)
	case spec.OutputNDJSON:
		a.Result, err = records(check, name, r.Body)
	case spec.OutputText:
		a.Bytes = r.Body
		if !utf8.Valid(r.Body) {
			return nil, wrong(name, "it is not UTF-8")
		}
		a.Result, err = encode(string(r.Body))
	case spec.OutputBinary:
		a.Bytes = r.Body
		a.Result, err = encode(struct {
			Size   int    `json:"bytes"`
			Base64 string `json:"base64"`
		}{len(r.Body), base64.StdEncoding.EncodeToString(r.Body)})
	case spec.OutputNone:
		a.Result = json.RawMessage("null")
	default:
		return nil, fault.New(fault.Findings, ReasonTemplate, "%s answers in the format %s, which is not known", name, spec.Quote(string(a.Format)))
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func wrong(name, format string, args ...any) error {
	return fault.New(fault.ToolFailed, manifest.ReasonResult, "result of "+strings.ReplaceAll(name, "%", "%%")+": "+format, args...)
}

// records reads an ndjson-stream [TI-P27].
func records(check *manifest.Operation, name string, body []byte) (json.RawMessage, error) {
	out := []byte{'['}
	n, line := 0, 0
	for text := range bytes.SplitSeq(body, []byte("\n")) {
		line++
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if n++; n > limits.CallRecords {
			return nil, wrong(name, "there are more than %d records", limits.CallRecords)
		}
		if text[0] != '{' {
			return nil, wrong(name, "line %d is not a JSON object", line)
		}
		record, err := check.Result(text)
		if err != nil {
			return nil, fault.New(fault.ToolFailed, manifest.ReasonResult, "line %d: %w", line, err)
		}
		if n > 1 {
			out = append(out, ',')
		}
		out = append(out, record...)
	}
	return append(out, ']'), nil
}
