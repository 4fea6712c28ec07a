package arcade_test

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/arcade"
	"github.com/patch-cat/patch-git/internal/arcade/arcadetest"
	"github.com/patch-cat/patch-git/internal/fault"
)

// Whatever an engine answers: it is one mode with what belongs to it, or nobody can
// tell; and no message has a control character or the token of an account.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		arcadetest.Value(`{"a":[1]}`), arcadetest.Failed("UNKNOWN", "x"), arcadetest.NeedsAccount("pending", "https://a.example", "s"),
		`{"success":true}`, `{"success":false,"output":{"artifact":{}}}`, `[]`, `{"success":true,"output":{"value":null,"value":1}}`,
	} {
		f.Add(seed)
	}
	engine := arcadetest.Start()
	f.Cleanup(engine.Close)
	f.Fuzz(func(t *testing.T, body string) {
		engine.Executes(arcadetest.Reply{Body: body})
		a, err := client(t, engine.URL).Execute(t.Context(), call)
		if err != nil {
			if fault.KindOf(err) != fault.Unavailable || strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		has := map[arcade.Mode]bool{
			arcade.ModeValue: a.Value != nil, arcade.ModeNull: string(a.Value) == "null", arcade.ModeError: a.Failure != nil,
			arcade.ModeAuthorize: a.Authorization != nil, arcade.ModeArtifact: a.Artifact != nil,
		}
		if !has[a.Mode] {
			t.Fatalf("%q: %+v", body, a)
		}
		if a.Authorization != nil && a.Authorization.URL != "" && !strings.HasPrefix(a.Authorization.URL, "http") {
			t.Fatalf("%q is to be shown", a.Authorization.URL)
		}
	})
}
