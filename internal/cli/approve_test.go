package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/internal/approval"
)

// TestQuestionInOrder: letters that run from right to left turn nothing around that a
// person reads before the word is given: neither our sentences, nor the parts of a value.
func TestQuestionInOrder(t *testing.T) {
	e := approval.Entry{Action: approval.Action{
		Client:    "host \u05d0",
		Arguments: json.RawMessage(`{"to":"\u05d0\u05d1 100, \u05d2","word":"\u05e9\u05dc\u05d5\u05dd"}`),
		Reasons:   []approval.Reason{{Kind: approval.KindTainted, Text: "the input to is \"\u05d0\u05d1 100\", which was read in an answer of mail"}},
	}}
	text := question(e, false)
	for _, want := range []string{
		`asked by what calls itself "host \u{5D0}"`,
		`why   the input to is "\u{5D0}\u{5D1} 100", which was read in an answer of mail`,
		`take care: it runs in two directions, and a screen may show its parts in another order than this: "\u{5D0}\u{5D1} 100, \u{5D2}"`,
		"with  word = \"\u05e9\u05dc\u05d5\u05dd\"", // the twin, which nothing turns
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "take care"); n != 1 {
		t.Errorf("%d warnings in\n%s", n, text)
	}
}
