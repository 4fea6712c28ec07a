package site

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/internal/sanitize"
	"github.com/patch-cat/patch-git/ledger"
	"github.com/patch-cat/patch-git/registry"
	"github.com/patch-cat/patch-git/registry/registrytest"
	"github.com/patch-cat/patch-git/spec"
)

// hostile are texts that want to be more than text.
func hostile() []string {
	return []string{
		`</p><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `<!--`, `]]>`,
		`&lt;b&gt;`, `javascript:alert(1)`, "\u202eevil", "{{.}} ${{ secrets.X }}", `<svg/onload=alert(1)>`, `%s%s+`, "a\x00b\x1b[31m\uFFFE",
		`</code></pre></main><iframe src=//evil.example>`, `</template><base href=//evil.example>`, "`;echo pwned;`", "'; touch /tmp/pwned; '",
	}
}

// hostileRegistry has such texts wherever people write anything: descriptions,
// owners, tags, licences, examples, reasons, sources, pull requests, reports.
func hostileRegistry(t *testing.T) *registrytest.Registry {
	t.Helper()
	r := registrytest.New(t)
	r.Doc.Source = `https://evil.example/"><script>`
	r.Doc.Mirrors = []string{"javascript:alert(1)", "https://a.example/x y", "https://b.example/x&reboot", "https://ok.example/tools", `git+https://"><script>`}
	var batch registry.Batch
	for i, text := range hostile() {
		rel := registrytest.Release(fmt.Sprintf("tool_%d", i), "1.0.0")
		rel.Tool.Description, rel.Tool.Examples = printable(text), []string{printable(text)}
		rel.Tool.ExternalAuth = []string{text}
		rel.Tool.Inputs = []spec.Input{{Name: printable(text), Type: spec.TypeString, Description: printable(text), Required: true}}
		quoted, err := json.Marshal(printable(text))
		if err != nil {
			t.Fatal(err)
		}
		rel.Files[1].Data = []byte(strings.NewReplacer(
			"text: {type", "- {name: text, type",
			"Does what "+string(rel.Ref.Name)+" says.", string(quoted), "What to work on.", string(quoted), "runtime:", "x-examples: ["+string(quoted)+"]\n# runtime:",
			"output: {type: object}", "outputs: {type: object, description: "+string(quoted)+"}",
		).Replace(string(rel.Files[1].Data)))
		rel.Files[0].Data = fmt.Appendf(nil, `{"findings":[{"id":"X","message":%q,"waived":{"approver":%q,"reason":%q}}]}`, "a"+text, "b"+text, "c"+text)
		rel.Files[1].Data = append(rel.Files[1].Data, strings.ReplaceAll(text, "\x00", "")+"\n# "+text+"\n\""+text+"\ndef "+text+"\n"...)
		batch.Accept = append(batch.Accept, registry.Acceptance{
			Release: rel, Contributor: ledger.Owner{Login: printable(text), ID: 7}, Report: spec.DigestOf(rel.Files[0].Data), PullRequest: text,
		})
		batch.Meta = append(batch.Meta, registry.ToolMeta{Name: rel.Ref.Name, Owners: []ledger.Owner{{Login: printable(text), ID: 7}}, Deprecated: printable(text)})
	}
	r.Seal(t, batch)
	for i, text := range hostile() {
		name := spec.Name(fmt.Sprintf("tool_%d", i))
		more := registrytest.Release(string(name), "2.0.0")
		more.Tool.Description = printable(strings.Join(hostile(), " "))
		more.Files[1].Data = append(more.Files[1].Data, "# "+text+"\n"...)
		r.Publish(t, more)
		switch i % 3 {
		case 0:
			r.Withdraw(t, ledger.EventYank, spec.Ref{Name: name, Version: "1.0.0"}, printable(text))
		case 1:
			r.Withdraw(t, ledger.EventRevoke, spec.Ref{Name: name, Version: "2.0.0"}, printable(text))
		}
	}
	return r
}

// printable is a text without control characters, which no login may have.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, s)
}

// known are the tags that the templates have, with what attributes.
var known = regexp.MustCompile(`^<(!doctype html|html lang="en"( data-up="(\.\./)*")?|head|meta [^<>]*|title|style|body|link rel="[a-z]+" href="(\.\./)*(assets/[a-z]+\.(css|svg|js)|feed\.xml)"[^<>]*|` +
	`script type="module" src="(\.\./)*assets/page\.js"|a( class="[a-z]+")?( data-slot="name")?( id="find")?( href="[A-Za-z0-9_./:#&;-]*")?( rel="(next|prev)")?( aria-current="true")?|` +
	`(header|nav|main|div|section|h1|h2|h3|p|pre|code|span|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|th|td|details|summary|footer|form|label|input|kbd|button|template|time|strong|b|u|i|em|var|ins|del|br)` +
	`( (class|id|aria-labelledby|aria-label|role|scope|colspan|data-v|type|name|for|autocomplete|spellcheck|autocapitalize|placeholder|tabindex|datetime|data-slot|data-value|data-copy-from|data-tool|data-version|aria-pressed)="[A-Za-z0-9_ .:/?-]*"| hidden| open| data-copy)*|/[a-z0-9]+)>$`)

// TestForeignTextStaysText: of whatever people write, no page gets markup, and
// no page can load or run anything but its own.
func TestForeignTextStaysText(t *testing.T) {
	dir := t.TempDir()
	render(t, hostileRegistry(t), dir)
	pages := files(t, dir)
	tags := regexp.MustCompile(`<[^>]*>`)
	for path, text := range pages {
		if strings.Contains(text, "\u202e") || strings.ContainsAny(text, "\x00\x1b") {
			t.Errorf("%s has a character that hides something", path)
		}
		if !strings.HasSuffix(path, ".html") {
			continue
		}
		markup := text
		if path == "404.html" {
			before, rest, _ := strings.Cut(text, "<style>")
			_, after, _ := strings.Cut(rest, "</style>")
			markup = before + after
		}
		for _, tag := range tags.FindAllString(markup, -1) {
			if !known.MatchString(tag) {
				t.Errorf("%s has the tag %q", path, tag)
			}
		}
		policy := strings.Index(text, `http-equiv="Content-Security-Policy" content="default-src 'none'; s`)
		if policy < 0 || policy > strings.Index(text, "<title>") || policy > strings.Index(text+"<link ", "<link ") {
			t.Errorf("%s has no policy before everything else", path)
		}
		if strings.Contains(text, "connect-src") != (path == "index.html") || strings.Contains(text, "unsafe") {
			t.Errorf("the policy of %s", path)
		}
		for _, address := range []string{`="//`, `="http:`, `="javascript`, `href="https://evil`, `href="https://a.example`} {
			if strings.Contains(text, address) {
				t.Errorf("%s leads to %s", path, address)
			}
		}
		for _, m := range regexp.MustCompile(` (?:src|srcset|action)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if !strings.HasSuffix(m[1], "assets/page.js") {
				t.Errorf("%s loads %s", path, m[1])
			}
		}
	}
	says(t, pages, "t/tool_0/1.0.0/index.html", "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;", "a&lt;/p&gt;", "b&lt;/p&gt;", "c&lt;/p&gt;")
	says(t, pages, "t/tool_9/1.0.0/index.html", "&lt;svg/onload=alert(1)&gt;</p>", "<li>&lt;svg/onload=alert(1)&gt;</li>", "</strong>. &lt;svg/onload", "</td><td>&lt;svg/onload")
	says(t, pages, "registry/index.html", `href="https://ok.example/tools"`, "<pre id=\"c-add\">patch-git registry add https://ok.example/tools</pre>", "javascript:alert(1)")
	// What is copied into a shell, or into the notes of an agent, has nothing of
	// a stranger but names and addresses without anything that a shell minds.
	for path, text := range pages {
		for _, m := range regexp.MustCompile(`<pre id="c-[a-z-]+">([^<]*)</pre>`).FindAllStringSubmatch(text, -1) {
			for _, bad := range []string{"pwned", "alert", "secrets", "evil", "reboot"} {
				if strings.Contains(m[1], bad) {
					t.Errorf("%s has the command %q", path, m[1])
				}
			}
		}
	}
}

// TestSameAsHTMLTemplate: what the press prints is what html/template prints of
// the same templates and the same data, byte for byte, so that what html/template
// knows about places and escaping holds here: a template with a value where
// another escaping is due would differ, or be refused.
func TestSameAsHTMLTemplate(t *testing.T) {
	p, err := newPress()
	if err != nil {
		t.Fatal(err)
	}
	oracle := template.Must(template.ParseFS(sources, "templates/*.html"))
	r := &renderer{src: hostileRegistry(t), press: p}
	var counting sync.Mutex // pages are made side by side
	seen := map[string]int{}
	r.print = func(name string, data any) ([]byte, error) {
		got, err := p.page(name, data)
		if err != nil || name == "feed" || strings.HasPrefix(name, "lost") { // XML, and parts of a page
			return got, err
		}
		var want bytes.Buffer
		if err := oracle.ExecuteTemplate(&want, name, cleaned(data)); err != nil {
			return nil, err
		}
		if !bytes.Equal(got, want.Bytes()) {
			at := 0
			for at < len(got) && at < want.Len() && got[at] == want.Bytes()[at] {
				at++
			}
			t.Errorf("%s differs:\n%.200q\n%.200q", name, got[max(at-80, 0):], want.Bytes()[max(at-80, 0):])
		}
		counting.Lock()
		defer counting.Unlock()
		seen[name]++
		return got, nil
	}
	if r.w, err = newWriter(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer r.w.close()
	if err := r.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"start", "browse", "list", "tool", "difference", "changes", "registry"} {
		if seen[name] == 0 {
			t.Errorf("no page was made by %s", name)
		}
	}
}

// cleaned is a deep copy in which every text is as the press shows it.
func cleaned(data any) any {
	v := reflect.ValueOf(data).Elem()
	out := reflect.New(v.Type())
	out.Elem().Set(v)
	clean(out.Elem())
	return out.Interface()
}

func clean(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(sanitize.ForTerminal(v.String()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() || f.Anonymous {
				clean(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() > 0 && v.CanSet() {
			fresh := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(fresh, v)
			v.Set(fresh)
		}
		for i := range v.Len() {
			clean(v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() && v.CanSet() {
			fresh := reflect.New(v.Type().Elem())
			fresh.Elem().Set(v.Elem())
			v.Set(fresh)
			clean(fresh.Elem())
		}
	}
}

// TestFeed: the feed is Atom as RFC 4287 has it, says when by the log, and stays
// text, too.
func TestFeed(t *testing.T) {
	r := hostileRegistry(t)
	dir := t.TempDir()
	render(t, r, dir)
	type link struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Author  string   `xml:"author>name"`
		Links   []link   `xml:"link"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Links   []link `xml:"link"`
			Summary string `xml:"summary"`
		} `xml:"entry"`
	}
	text := files(t, dir)["feed.xml"]
	d := xml.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&feed); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if feed.ID == "" || feed.Title == "" || feed.Author == "" || len(feed.Links) != 2 || len(feed.Entries) == 0 {
		t.Errorf("got %+v", feed)
	}
	ids := map[string]bool{feed.ID: true}
	last := feed.Updated
	for _, e := range feed.Entries {
		if ids[e.ID] || !regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(e.ID) {
			t.Errorf("the id %q", e.ID)
		}
		ids[e.ID] = true
		if _, err := time.Parse(time.RFC3339, e.Updated); err != nil || e.Updated > last {
			t.Errorf("%q after %q", e.Updated, last)
		}
		last = e.Updated
		if e.Title == "" || len(e.Links) != 1 || e.Links[0].Rel != "alternate" || files(t, dir)[e.Links[0].Href] == "" {
			t.Errorf("got %+v", e)
		}
	}
	// The head moves on without an entry: the feed is what it was.
	other := t.TempDir()
	render(t, r, other)
	if files(t, other)["feed.xml"] != text {
		t.Error("the same log made another feed")
	}
}

func TestOutside(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://github.com/acme/tools/pull/7": true, "https://a.example": true, "https://a.example:8443/x?y=z#w": false, "http://a.example/": false,
		"javascript:alert(1)": false, "https://": false, "https:///x": false, "https://a@b/": false, "https://a.example/\"": false, "https://a.example/ü": false,
		"https://a.example/<": false, " https://a.example": false, "HTTPS://a.example": false, "https://a.example/'": false,
	} {
		if got := outside(address); (got == address) != ok || !ok && got != "" {
			t.Errorf("%q leads to %q", address, got)
		}
	}
}

// FuzzBeside: what lies beside a release may be anything.
func FuzzBeside(f *testing.F) {
	f.Add([]byte(`{"findings":[{"id":"X","waived":{"approver":"a"}}]}`))
	f.Add([]byte(`{"dsseEnvelope":{"payload":"e30="}}`))
	f.Add([]byte(`{"dsseEnvelope":{"payload":7},"findings":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := len(waived(data)); n > maxRows {
			t.Fatalf("%d findings", n)
		}
		if a := acceptance(data); a != nil && a.Name == "" {
			t.Fatal("an acceptance of nothing")
		}
	})
}
