package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/patch-cat/patch-git/internal/fault"
	"github.com/patch-cat/patch-git/internal/host"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

// printer writes to the two streams. Everything that comes from a registry, a
// tool or a file goes through safe before a terminal sees it.
type printer struct {
	mu       sync.Mutex
	out      *answer
	err      io.Writer
	host     *host.Host
	colored  bool // stdout
	errColor bool
	line     bool // a progress line stands on stderr
}

// answer is stdout; it keeps the first failure to write, because an answer that
// was lost must not end in success.
type answer struct {
	io.Writer
	failed error
}

func (w *answer) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil && w.failed == nil {
		w.failed = fault.New(fault.Unavailable, "stdout", "writing the answer: %w", err)
	}
	return n, err
}

func newPrinter(h *host.Host) *printer {
	p := &printer{out: &answer{Writer: h.Stdout}, err: h.Stderr, host: h}
	_ = p.setColor("auto")
	return p
}

// setColor obeys --color and NO_COLOR (no-color.org).
func (p *printer) setColor(mode string) error {
	switch mode {
	case "always":
		p.colored, p.errColor = true, true
	case "never":
		p.colored, p.errColor = false, false
	case "auto":
		plain := p.host.Getenv("NO_COLOR") != "" || p.host.Getenv("TERM") == "dumb"
		p.colored, p.errColor = p.host.Terminal.Stdout && !plain, p.host.Terminal.Stderr && !plain
	default:
		return usage("--color is %q, allowed are auto, always and never", mode)
	}
	return nil
}

func (p *printer) printf(format string, args ...any) {
	p.endProgress()
	fmt.Fprintf(p.out, format, args...)
}

// document prints a JSON answer.
func (p *printer) document(v any) error {
	p.endProgress()
	return writeJSON(p.out, v)
}

// table prints rows in columns.
func (p *printer) table(rows [][]string) {
	p.endProgress()
	w := tabwriter.NewWriter(p.out, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		for i, cell := range r {
			r[i] = oneLine(cell) // a reason with line breaks makes no rows of its own
		}
		fmt.Fprintln(w, strings.TrimRight(strings.Join(r, "\t"), "\t"))
	}
	_ = w.Flush()
}

func (p *printer) paint(code, s string) string {
	if !p.colored {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *printer) bold(s string) string  { return p.paint("1", s) }
func (p *printer) dim(s string) string   { return p.paint("2", s) }
func (p *printer) green(s string) string { return p.paint("32", s) }
func (p *printer) red(s string) string   { return p.paint("31", s) }

// warn says something on stderr that stops nothing.
func (p *printer) warn(text string) {
	p.endProgress()
	fmt.Fprintf(p.err, "patch-git: warning: %s\n", indented(text))
}

// say talks on stderr.
func (p *printer) say(format string, args ...any) {
	p.endProgress()
	fmt.Fprintf(p.err, format+"\n", args...)
}

// progress shows one line that the next one replaces, and only to a person.
func (p *printer) progress(what string, done, total int64) {
	if !p.host.Terminal.Stderr {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := what
	if total > 0 {
		text += fmt.Sprintf(" %d%%", done*100/total)
	}
	width := p.host.Terminal.Width
	if width <= 0 {
		width = 80
	}
	fmt.Fprintf(p.err, "\r\x1b[K%s", sanitize.Fit(text, max(width-1, 1)))
	p.line = true
}

func (p *printer) endProgress() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line {
		fmt.Fprint(p.err, "\r\x1b[K")
		p.line = false
	}
}

// errorDocument is the shape of an error with --json.
type errorDocument struct {
	Schema  int      `json:"schema"`
	Type    string   `json:"type"`
	Kind    string   `json:"kind"`
	Reason  string   `json:"reason,omitempty"`
	Message string   `json:"message"`
	Hints   []string `json:"hints,omitempty"`
	Exit    int      `json:"exit"`
}

// warn says something on stderr that stops nothing. With --json it is a line
// of JSON like an error, so that a program can read all of stderr.
func (a *app) warn(text string) {
	if !a.wantsJSON() {
		a.out.warn(text)
		return
	}
	a.out.endProgress()
	_ = writeJSON(a.host.Stderr, map[string]any{"schema": 1, "type": "warning", "message": text})
}

func (a *app) printError(err error) {
	kind := fault.KindOf(err)
	if a.wantsJSON() {
		_ = writeJSON(a.host.Stderr, errorDocument{1, "error", kind.String(), fault.ReasonOf(err), err.Error(), fault.HintsOf(err), kind.ExitCode()})
		return
	}
	label := "error:"
	if a.out.errColor {
		label = "\x1b[31merror:\x1b[0m"
	}
	fmt.Fprintf(a.host.Stderr, "patch-git: %s %s\n", label, indented(err.Error()))
	for _, h := range fault.HintsOf(err) {
		fmt.Fprintf(a.host.Stderr, "patch-git: hint: %s\n", indented(h))
	}
}
