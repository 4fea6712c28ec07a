package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/patch-cat/patch-git/internal/consume"
	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/invoke"
	"github.com/patch-cat/patch-git/spec"
)

// sink is where the answer of a call goes: a file, or with "" standard output.
type sink struct{ file string }

// sinkOf refuses, before anything runs, what could not be given to the person after.
func (a *app) sinkOf(s *consume.Subject, output string) (sink, error) {
	op := s.Tool.Operations[0]
	if output == "" {
		if invoke.FormatOf(&op) == spec.OutputBinary && a.host.Terminal.Stdout && !a.json {
			return sink{}, usage("%s %s answers with bytes, which are not for a terminal", s.Tool.Name, op.Name).
				Hint("-o FILE writes them to a file").Hint("--json prints them in base64")
		}
		return sink{}, nil
	}
	file := a.path(output)
	switch info, err := os.Stat(file); {
	case err == nil && !info.Mode().IsRegular():
		return sink{}, usage("%s is no file that can be written", spec.Quote(output))
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return sink{}, usage("-o %s: %w", spec.Quote(output), err)
	}
	if info, err := os.Stat(filepath.Dir(file)); err != nil || !info.IsDir() {
		return sink{}, fault.New(fault.NotFound, "no_folder", "there is no folder for %s", spec.Quote(output))
	}
	return sink{file}, nil
}

// printCalled gives the person the answer of a call.
func (a *app) printCalled(ran *consume.Ran, verbose bool, to sink) error {
	for _, n := range ran.Notes {
		a.warn(n)
	}
	if to.file != "" {
		if err := durable.WriteFile(to.file, answerBytes(ran), 0o644); err != nil {
			return err
		}
		if a.json {
			ran.Result = json.RawMessage("null")
		}
	}
	if a.json {
		return a.printRan(ran, verbose)
	}
	a.talkOf(ran, verbose)
	switch {
	case to.file != "":
		a.out.say("wrote %s", safe(oneLine(spec.Quote(to.file))))
	case ran.Format == spec.OutputNone:
	case ran.Format == spec.OutputBinary:
		_, err := a.out.out.Write(ran.Bytes)
		return err
	case ran.Format == spec.OutputText && a.host.Terminal.Stdout:
		a.out.printf("%s\n", safe(strings.TrimSuffix(string(ran.Bytes), "\n")))
	case ran.Format == spec.OutputText:
		a.out.printf("%s\n", strings.TrimSuffix(string(ran.Bytes), "\n"))
	case ran.Format == spec.OutputNDJSON:
		return a.printRecords(ran.Result)
	default:
		a.out.printf("%s\n", terminalJSON(ran.Result, a.host.Terminal.Stdout))
	}
	return nil
}

// printRecords prints one on each line, as they came.
func (a *app) printRecords(result json.RawMessage) error {
	var records []json.RawMessage
	if err := json.Unmarshal(result, &records); err != nil {
		return fault.New(fault.Internal, "records", "read records: %w", err)
	}
	for _, r := range records {
		a.out.printf("%s\n", terminalJSON(r, a.host.Terminal.Stdout))
	}
	return nil
}

// answerBytes are what a file gets: what came, or the JSON of it.
func answerBytes(ran *consume.Ran) []byte {
	switch ran.Format {
	case spec.OutputText, spec.OutputBinary:
		return ran.Bytes
	case spec.OutputNone:
		return nil
	case spec.OutputNDJSON:
		var records []json.RawMessage
		var out []byte
		if json.Unmarshal(ran.Result, &records) == nil {
			for _, r := range records {
				out = append(append(out, r...), '\n')
			}
			return out
		}
	}
	return append([]byte(ran.Result), '\n')
}
