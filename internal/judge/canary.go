package judge

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// canaries is how many known texts stand among the real ones: under each wording
// a bad and a good one.
const canaries = 2 * wordings

//go:embed canaries.txt
var canaryText string

// canary is a text whose verdict is known.
type canary struct {
	bad   bool
	facts string
	unit  Unit
}

// canarySet reads the known texts once. The file is ours, so that what is wrong
// with it is found by a test; a run without them is refused.
var canarySet = sync.OnceValues(func() ([]canary, error) { return readCanaries(canaryText) })

func readCanaries(text string) ([]canary, error) {
	var out []canary
	_, text, _ = strings.Cut(text, "\n== ")
	for part := range strings.SplitSeq(text, "\n== ") {
		head, body, _ := strings.Cut(part, "\n")
		words := strings.SplitN(head, " ", 3)
		if len(words) < 2 || words[0] != "bad" && words[0] != "good" {
			return nil, fmt.Errorf("the heading %q of a known text", head)
		}
		c := canary{bad: words[0] == "bad", unit: Unit{Kind: UnitKind(words[1]), Lines: lines(body)}}
		if len(words) == 3 {
			c.facts = words[2]
		}
		if asked(c.unit.Kind)[0] == "" || (c.unit.Kind == UnitCode) != (c.facts != "") || len(c.unit.Lines) == 0 {
			return nil, fmt.Errorf("the known text under %q", head)
		}
		out = append(out, c)
	}
	return out, nil
}

// draw takes one canary of each side for each wording; pick returns a number
// below n.
func draw(all []canary, pick func(n int) int) []canary {
	var out []canary
	for _, bad := range []bool{true, false} {
		var side []canary
		for _, c := range all {
			if c.bad == bad {
				side = append(side, c)
			}
		}
		for range wordings {
			if len(side) == 0 {
				return nil
			}
			i := pick(len(side))
			out = append(out, side[i])
			side = append(side[:i:i], side[i+1:]...)
		}
	}
	return out
}
