package consume

import (
	"strings"

	"github.com/patch-cat/patch-git/internal/audit"
	"github.com/patch-cat/patch-git/quarantine"
)

// leaks finds secrets in what is recorded by the rule that finds them in what is
// published. The journal sits below the rules and cannot ask them itself.
func leaks(text string) []audit.Secret {
	found := quarantine.Leaks(text)
	out := make([]audit.Secret, len(found))
	for i, l := range found {
		out[i] = audit.Secret{Rule: ruleName(l.What), From: l.From, To: l.To}
	}
	return out
}

// ruleName makes one word of "a GitHub token". What has a whole sentence for a
// name, such as a value that was found by the name before it, is "named".
func ruleName(what string) string {
	_, name, _ := strings.Cut(strings.ToLower(what), " ")
	if words := strings.Fields(name); len(words) <= 4 {
		return strings.Join(words, "-")
	}
	return "named"
}
