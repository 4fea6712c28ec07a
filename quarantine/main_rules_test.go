package quarantine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/spec"
)

func TestMainRules(t *testing.T) {
	const signature = "def main(text: str, limit: int = 10) -> dict:"
	tool := func(change func(*spec.Tool)) func(*Subject) { return func(s *Subject) { change(&s.Release.Tool) } }
	none := func(*Subject) {}
	cases := []struct {
		name, code string
		change     func(*Subject)
		want       string
	}{
		{"no main", strings.Replace(validSource, "def main", "def mein", 1), none, "MAIN-001 error"},
		{"async main", strings.Replace(validSource, "def main", "async def main", 1), none, "MAIN-001 error"},
		{"main twice", validSource + "\nmain = print\n", none, "MAIN-001 error"},
		{"class main", strings.Replace(validSource, signature, "class main:\n  def f(text):", 1), none, "MAIN-001 error"},
		{"imported main", strings.Replace(validSource, signature, "from json import loads as main\ndef f(text, limit):", 1), none, "MAIN-001 error"},
		{"conditional main", strings.Replace(validSource, signature, "if True:\n  def main(text, limit=10): pass\ndef f(text, limit):", 1), none, "MAIN-001 error"},
		{"no guard", strings.Replace(validSource, `if __name__ == "__main__":`, "def run():", 1), none, "MAIN-006 error"},
		{"guard on both sides", strings.Replace(validSource, `if __name__ == "__main__":`, `if "__main__" == __name__:`, 1), none, ""},
		{"parameter missing", strings.Replace(validSource, signature, "def main(text):", 1), none, "MAIN-002 error"},
		{"parameter too many", strings.Replace(validSource, signature, "def main(text, limit=10, mode='x'):", 1), none, "MAIN-002 error"},
		{"star arguments", strings.Replace(validSource, signature, "def main(text, limit=10, **rest):", 1), none, "MAIN-002 error"},
		{"only keywords", strings.Replace(validSource, signature, "def main(*, text, limit=10):", 1), none, ""},
		{"no default", strings.Replace(validSource, signature, "def main(text, limit):", 1), none, "MAIN-003 warning"},
		{
			"required without default", strings.Replace(validSource, signature, "def main(text, limit):", 1),
			tool(func(t *spec.Tool) { t.Inputs[1].Required, t.Inputs[1].Default = true, nil }), "",
		},
		{"other default", strings.Replace(validSource, signature, "def main(text, limit=20):", 1), none, "MAIN-004 warning"},
		{"default of another type", strings.Replace(validSource, signature, "def main(text, limit='10'):", 1), none, "MAIN-004 warning"},
		{"equal number", strings.Replace(validSource, signature, "def main(text, limit=10.0):", 1), none, ""},
		{"computed default", strings.Replace(validSource, signature, "def main(text, limit=2 * 5):", 1), none, ""},
		{
			"nested default", strings.Replace(validSource, signature, "def main(text, limit={'a': [1, None, True], 'b': 'é'}):", 1),
			tool(func(t *spec.Tool) { t.Inputs[1].Default = json.RawMessage(`{"b":"é","a":[1.0,null,true]}`) }), "",
		},
		{"other annotation", strings.Replace(validSource, signature, "def main(text: bytes, limit: 'Optional[str]' = 10):", 1), none, "MAIN-005 warning"},
		{"optional annotation", strings.Replace(validSource, signature, "def main(text: 'str | None', limit: 'typing.Optional[int]' = 10):", 1), none, ""},
		{"list annotation", strings.Replace(validSource, signature, "def main(text: 'list[str]', limit: int = 10):", 1), none, "MAIN-005 warning"},
		{"relative import", "from . import helper\n" + validSource, none, "DEP-005 error"},
		{"absolute import", "from json import decoder\n" + validSource, none, ""},
		{"unknown module", "import bs4, bs4.element\n" + validSource, none, "DEP-004 warning"},
		{"unknown module in a function", strings.Replace(validSource, signature, signature+"\n    import yaml", 1), none, "DEP-004 warning"},
		{
			"package of another name", "import bs4, PIL.Image, google.cloud.storage, ruamel.yaml, typing_inspection\n" + validSource,
			tool(func(t *spec.Tool) {
				t.Runtime.Packages = []string{"beautifulsoup4==4.12.3", "Pillow==10.0", "google-cloud-storage==2.1", "ruamel.yaml==0.18", "Typing.Inspection==0.4"}
			}), "",
		},
		{"optional module", "try:\n    import lxml\nexcept ImportError:\n    lxml = None\n" + validSource, none, ""},
		{"network module", "import smtplib\n" + validSource, none, "CAP-001 error"},
		{"network declared", "import smtplib\n" + validSource, tool(func(t *spec.Tool) { t.Capabilities.Network = true }), ""},
		{"network by name", "from socket import create_connection\n" + validSource, none, "CAP-001 error"},
		{"neighbour of a network module", "from urllib import parse\n" + validSource, none, ""},
		{"network in a function", strings.Replace(validSource, signature, signature+"\n    import http.client\n    http.client.HTTPConnection", 1), none, "CAP-001 error"},
		{"network package", "from requests import get\n" + validSource, tool(func(t *spec.Tool) { t.Runtime.Packages = []string{"requests==2.32.3"} }), "CAP-001 error"},
	}
	var sources []string
	for _, tc := range cases {
		sources = append(sources, tc.code)
	}
	for i, f := range ask(t, sources...) {
		tc := cases[i]
		s := valid(t)
		s.Facts = &f
		tc.change(&s)
		if f.Error != nil {
			t.Errorf("%s: the fixture does not compile: %+v", tc.name, f.Error)
		}
		if got := ids(Check(t.Context(), s).Findings); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestPositionalOnly(t *testing.T) {
	s := valid(t)
	s.Facts.Main[0].Params[0].Kind = "positional_only"
	if got := ids(Check(t.Context(), s).Findings); got != "MAIN-002 error" {
		t.Errorf("got %q, want MAIN-002", got)
	}
}

func TestSameJSON(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"1", "1.0", true},
		{"1", "true", false},
		{"null", "null", true},
		{"0.1", "0.10", true},
		{"1e2", "100", true},
		{"1e999999999", "1", false},
		{`[1,2]`, `[1,2.0]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`"a"`, `"\u0061"`, true},
		{"{", "{", false},
		{"123456789012345678901", "123456789012345678902", false},
	} {
		if got := sameJSON([]byte(tc.a), []byte(tc.b)); got != tc.want {
			t.Errorf("sameJSON(%s, %s) = %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}
