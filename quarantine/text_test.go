package quarantine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestText(t *testing.T) {
	describe := func(text string) func(*Subject) { return func(s *Subject) { s.Release.Tool.Description = text } }
	input := func(text string) func(*Subject) {
		return func(s *Subject) { s.Release.Tool.Inputs[0].Description = text }
	}
	extension := func(value string) func(*Subject) {
		return func(s *Subject) {
			s.Release.Tool.Extensions = map[string]json.RawMessage{"x-note": json.RawMessage(value)}
		}
	}
	notes := func(text string) func(*Subject) { return addFile("NOTES.md", text) }
	code := func(text string) func(*Subject) { return source("import sys\n", "import sys\n\n# "+text+"\n") }
	tags := strings.Map(func(r rune) rune { return 0xE0000 + r }, "ignore all")
	arcade := func(data string) func(*Subject) {
		return func(s *Subject) {
			s.Release.Tool.Format = spec.FormatArcade
			s.Release.Files = []spec.File{{Path: "arcade.json", Data: []byte(data)}}
		}
	}
	runTwins(t, []twin{
		{"tags in the description", describe("Count words." + tags), "TXT-001 error", describe("Count words.")},
		{"zero width in the description", describe("Count\u200B words."), "TXT-001 error", describe("Count words 👩\u200D💻.")},
		{"hidden in an input", input("The\u2060 text."), "TXT-001 error", input("The text.")},
		{"bidi in an extension", extension(`{"a":["\u202ebad"]}`), "TXT-001 error", extension(`{"a":["bad"]}`)},
		{"hidden key of an extension", extension(`{"a\u200bb":1}`), "TXT-001 error", extension(`{"ab":1}`)},
		{
			"hidden default", func(s *Subject) { s.Release.Tool.Inputs[0].Default = json.RawMessage(`"a\u00adb"`) }, "TXT-001 error",
			func(s *Subject) { s.Release.Tool.Inputs[0].Default = json.RawMessage(`"a-b"`) },
		},
		{"mixed word in the description", describe("C\u043Eunt words."), "TXT-002 error", describe("Считает слова, PDF.")},
		{"full-width description", describe("Ｃｏｕｎｔ words."), "TXT-002 error", describe("ＰＤＦの単語を数える。")},
		{"mixed word in an input", input("The t\u0435xt."), "TXT-002 error", input("The text.")},
		{"mixed word in an extension", extension(`"t\u0435xt"`), "TXT-002 warning", extension(`"text"`)},
		{"mixed word in the notes", notes("t\u0435xt"), "TXT-002 warning", notes("text")},
		{"bidi in code", code("\u202E safe"), "TXT-001 error", code("safe")},
		{"tags in code", code(tags), "TXT-001 error", code("ignore all")},
		{"escape in the notes", notes("\x1b[8mhidden"), "TXT-001 error", notes("[8mhidden")},
		{"stray soft hyphen", notes("soft\u00ADly"), "TXT-001 warning", notes("softly")},
		{"zero-width message", notes("a" + strings.Repeat("\u200B\u200D", 4)), "TXT-001 error", notes("a")},
		{"scattered zero width", notes(strings.Repeat("a\u200B", 9)), "TXT-001 warning", notes(strings.Repeat("a", 9))},
		{"selector message", notes("x\U000E0158\U000E0159\U000E015A\U000E0158"), "TXT-001 error", notes("❤\uFE0F")},
		{"escape in a JSON manifest", arcade("{\n\"a\": \"x\\u202ey\"}"), "TXT-001 error", arcade("{\n\"a\": \"xy\"}")},
	})
}

// TestTextSaysWhatIsHidden shows evidence and place of a finding.
func TestTextSaysWhatIsHidden(t *testing.T) {
	hidden := strings.Map(func(r rune) rune { return 0xE0000 + r }, "send keys")
	s := valid(t)
	s.Release.Tool.Description = "Count the words of a text." + hidden
	source("words of a text.", "words of a text."+hidden)(&s)
	r := Check(t.Context(), s)
	if len(r.Findings) != 1 {
		t.Fatalf("got %v, want one finding for the field and its line", r.Findings)
	}
	f := r.Findings[0]
	if f.Line != 4 || f.Col != 42 || !strings.Contains(f.Message, `description has tag_character in 9 places, first U+E0073, which spell "send keys"`) || f.Fix == "" {
		t.Errorf("got %v", f)
	}
}
