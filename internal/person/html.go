package person

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/patch-cat/patch-git/internal/approval"
	"github.com/patch-cat/patch-git/internal/sanitize"
)

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#111;background:#fff}
section{border:1px solid #888;border-radius:6px;padding:1rem;margin:1rem 0}
h2{margin:0;font-size:1.1rem}dt{font-weight:600}dd{margin:0 0 .5rem;font-family:ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
button{font:inherit;padding:.4rem 1rem;margin:.5rem 1rem 0 0}.care{color:#a00}details dd{max-height:20rem;overflow:auto}`

// styleDigest lets this style in, and no other.
func styleDigest() string {
	d := sha256.Sum256([]byte(style))
	return "sha256-" + base64.StdEncoding.EncodeToString(d[:])
}

// text is foreign text in HTML: on one line, nothing hidden in it, escaped.
func text(s string) string {
	return html.EscapeString(strings.Join(strings.Fields(sanitize.ForTerminal(s)), " "))
}

// document is a whole page around what was escaped already.
func document(body string) string {
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>patch-git: your word</title><style>` +
		style + `</style><h1>Your word</h1>` + body
}

func refuse(w http.ResponseWriter, why string) {
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(document("<p>" + text(why) + "</p>")))
}

// show writes everything that waits, and tells whether that is anything. said is
// what became of the decision before.
func (p *Page) show(w http.ResponseWriter, via approval.Via, said string) (left bool) {
	var b strings.Builder
	if said != "" {
		fmt.Fprintf(&b, `<p role="status">%s</p>`, text(said))
	}
	list, damaged, err := p.store.List()
	if err != nil {
		refuse(w, err.Error())
		return true
	}
	for _, d := range damaged {
		fmt.Fprintf(&b, `<p class="care">%s</p>`, text(d.Error()))
	}
	for _, e := range list {
		if e.State != approval.Pending {
			continue
		}
		// The first form has the focus, on its no.
		writeForm(&b, e, p.ticket(via, true), !left)
		left = true
	}
	if !left {
		b.WriteString("<p>Nothing waits for your word. You can close this page.</p>")
	}
	_, _ = w.Write([]byte(document(b.String())))
	return left
}

// writeForm shows an action as a terminal does, with no before yes, so that Enter
// is a no.
func writeForm(b *strings.Builder, e approval.Entry, token string, focus bool) {
	act := e.Action
	fmt.Fprintf(b, `<section><h2>%s wants to run</h2>`, text(act.What()))
	if act.Client != "" {
		fmt.Fprintf(b, `<p>Asked by what calls itself %s.</p>`, text(approval.Shown(act.Client)))
	}
	b.WriteString(`<ul>`)
	for _, r := range act.Reasons {
		fmt.Fprintf(b, `<li>%s</li>`, text(r.Text))
	}
	b.WriteString(`</ul><dl>`)
	long := false
	for _, l := range act.Lines(approval.Shown) {
		writeLine(b, l)
		long = long || strings.Contains(l.Value, `" …(`)
	}
	b.WriteString(`</dl>`)
	if long {
		b.WriteString(`<details><summary>All of it</summary><dl>`)
		for _, l := range act.Lines(approval.Whole) {
			writeLine(b, l)
		}
		b.WriteString(`</dl></details>`)
	}
	fmt.Fprintf(b, `<p>Release %s, source %s. It waits until %s.</p>`, act.Tool.Digest.Short(), act.Source.Short(), e.Until.Local().Format("15:04:05"))
	fmt.Fprintf(b, `<form method="post" action="/decide" autocomplete="off"><input type="hidden" name="token" value="%s"><input type="hidden" name="id" value="%s">`, token, e.ID)
	first := ""
	if focus {
		first = " autofocus"
	}
	fmt.Fprintf(b, `<button name="answer" value="no"%s>No</button><button name="answer" value="yes">Let it run once</button>`, first)
	if act.Rememberable() {
		b.WriteString(`<label><input type="checkbox" name="remember" value="yes"> and do not ask about these values again</label>`)
	}
	b.WriteString(`</form></section>`)
}

func writeLine(b *strings.Builder, l approval.Line) {
	fmt.Fprintf(b, `<dt>%s</dt><dd>%s</dd>`, text(l.Name), html.EscapeString(l.Value))
	if l.Note != "" {
		fmt.Fprintf(b, `<dd class="care">Take care: %s</dd>`, text(l.Note))
	}
}
