package consume

import "testing"

func TestRuleName(t *testing.T) {
	for what, want := range map[string]string{
		"a GitHub token": "github-token", "an AWS key id": "aws-key-id", "a value drawn by lot under the name of a secret": "named",
		"an address with a password": "address-with-a-password", "": "",
	} {
		if got := ruleName(what); got != want {
			t.Errorf("%q: %q, want %q", what, got, want)
		}
	}
}
