package cli

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/patch-cat/patch-git/internal/durable"
	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/limits"
	"github.com/patch-cat/patch-git/manifest"
	"github.com/patch-cat/patch-git/spec"
)

// flagName is how an input is spelled on the command line.
func flagName(input string) string { return strings.ReplaceAll(input, "_", "-") }

// runFlagSet has the flags that every run knows, whatever the tool.
func (a *app) runFlagSet(r *runFlags) *pflag.FlagSet {
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	a.ownFlags(f, r)
	f.BoolVarP(&r.help, "help", "h", false, "")
	f.BoolVar(&a.json, "json", a.json, "")
	f.StringVar(&a.color, "color", a.color, "")
	f.BoolVarP(&a.quiet, "quiet", "q", a.quiet, "")
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(flagName(name))
	})
	return f
}

// inputFlag is the flag of an input, "" where it has none because the name is
// one of ours: what an author calls an input must not lead anybody to type
// --yes or --unsafe-no-sandbox.
func (a *app) inputFlag(input string) string {
	if a.runFlagSet(&runFlags{}).Lookup(flagName(input)) != nil || !isFlag(flagName(input)) {
		return ""
	}
	return "--" + flagName(input)
}

// howToGive is what help says of an input: its flag, or the way around.
func (a *app) howToGive(input string) string {
	if f := a.inputFlag(input); f != "" {
		return f
	}
	return `--args '{"` + safe(oneLine(input)) + `":…}'`
}

// parseRun reads the flags of one run: our own, and one for each input of the
// tool. An input that has the name of one of our flags goes through --args.
func (a *app) parseRun(t *spec.Tool, args []string) (*runFlags, json.RawMessage, error) {
	return a.parseFlags(t, "run "+t.Name.String(), args)
}

// parseFlags is parseRun for a command that begins with those words.
func (a *app) parseFlags(t *spec.Tool, words string, args []string) (*runFlags, json.RawMessage, error) {
	r := &runFlags{}
	f := a.runFlagSet(r)
	if strings.HasPrefix(words, "call ") {
		a.outputFlag(f, r)
	}
	values := map[string]*[]string{}
	for _, in := range t.Inputs {
		if f.Lookup(flagName(in.Name)) != nil || !isFlag(flagName(in.Name)) {
			continue
		}
		values[in.Name] = f.StringArray(flagName(in.Name), nil, "")
		if in.Type == spec.TypeBoolean {
			f.Lookup(flagName(in.Name)).NoOptDefVal = "true"
		}
	}
	if err := f.Parse(args); err != nil {
		if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
			return nil, nil, fault.New(fault.Usage, manifest.ReasonUnknown, "%s has no input or flag %s", strings.TrimPrefix(strings.TrimPrefix(words, "run "), "call "), spec.Quote(unknown.GetSpecifiedName())).
				Hint("patch-git %s --help", words)
		}
		return nil, nil, usage("%w", err).Hint("patch-git %s --help", words)
	}
	r.sandboxGiven = f.Changed("sandbox")
	a.guessed = false
	if err := a.out.setColor(a.color); err != nil {
		return nil, nil, err
	}
	if most := int64(math.MaxInt64 / limits.MiB); r.memory < 1 || r.memory > most || r.timeout <= 0 {
		return nil, nil, usage("--memory and --timeout must be more than nothing, and --memory at most %d", most)
	}
	if r.help {
		return r, nil, nil
	}
	given := map[string]json.RawMessage{}
	for _, in := range t.Inputs {
		texts := values[in.Name]
		if texts == nil || len(*texts) == 0 {
			continue
		}
		v, err := inputValue(in, *texts)
		if err != nil {
			return nil, nil, err
		}
		given[in.Name] = v
	}
	raw, err := a.wholeArguments(r, f.Args(), len(given) > 0)
	if err != nil || raw != nil {
		return r, raw, err
	}
	raw, err = json.Marshal(given)
	return r, raw, err
}

// isFlag tells whether a name can be one of a flag: an author of a schema calls inputs
// what they like.
func isFlag(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '-'):
		default:
			return false
		}
	}
	return name != ""
}

// inputValue turns the texts of one flag into JSON. A flag that is given more
// than once makes an array of an array input. Where a schema names no one type, what
// reads as JSON is JSON, and anything else a text.
func inputValue(in spec.Input, texts []string) (json.RawMessage, error) {
	if in.Type == "" && len(texts) == 1 {
		if json.Valid([]byte(texts[0])) {
			return json.RawMessage(texts[0]), nil
		}
		in.Type = spec.TypeString
	}
	if len(texts) == 1 {
		v, err := manifest.ArgumentFromText(in, texts[0])
		if err == nil || in.Type != spec.TypeArray {
			return v, err
		}
	}
	if in.Type != spec.TypeArray {
		return nil, usage("--%s is given %d times", flagName(in.Name), len(texts))
	}
	item := spec.Input{Name: in.Name, Type: itemType(in.Items)}
	var out []json.RawMessage
	for _, t := range texts {
		v, err := manifest.ArgumentFromText(item, t)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return json.Marshal(out)
}

// itemType is the type of an array's elements, string where none is stated.
func itemType(items json.RawMessage) spec.Type {
	var s struct {
		Type spec.Type `json:"type"`
	}
	if json.Unmarshal(items, &s) != nil || s.Type == "" {
		return spec.TypeString
	}
	return s.Type
}

// wholeArguments reads --args or "-"; nil when neither was given.
func (a *app) wholeArguments(r *runFlags, rest []string, haveFlags bool) (json.RawMessage, error) {
	stdin := len(rest) == 1 && rest[0] == "-"
	switch {
	case len(rest) > 0 && !stdin && (rest[0] == "true" || rest[0] == "false"):
		return nil, usage("unexpected argument %s", rest[0]).Hint("a yes or no is given with =, as in --input=%s", rest[0])
	case len(rest) > 0 && !stdin:
		return nil, usage("unexpected argument %s", spec.Quote(rest[0])).Hint("values are given by flags: --input value")
	case !stdin && r.args == "":
		return nil, nil
	case stdin && r.args != "", haveFlags:
		return nil, usage("arguments are given in more than one way").Hint("use flags, or --args, or -")
	case stdin:
		data, err := io.ReadAll(io.LimitReader(a.host.Stdin, limits.Arguments+1))
		if err != nil {
			return nil, fault.New(fault.Unavailable, "stdin", "reading arguments: %w", err)
		}
		return data, nil
	}
	if file, ok := strings.CutPrefix(r.args, "@"); ok {
		data, err := durable.ReadFile(a.path(file), limits.Arguments)
		if errors.Is(err, os.ErrNotExist) {
			return nil, fault.New(fault.NotFound, "no_file", "there is no file %s", spec.Quote(file))
		}
		if err != nil && fault.KindOf(err) == fault.Findings { // too large, or no file to read at all
			return nil, fault.New(fault.Usage, fault.ReasonOf(err), "--args: %w", err)
		}
		return data, err
	}
	return json.RawMessage(r.args), nil
}
