//go:build linux

package acttest

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// interpolate evaluates the expressions of a text, as far as the groups of
// concurrency have any, of which act knows nothing: names, strings, == and !=,
// && and ||.
func interpolate(text string, value func(name string) (string, bool)) (string, error) {
	var err error
	out := expression.ReplaceAllStringFunc(text, func(e string) string {
		v, e1 := evaluate(expression.FindStringSubmatch(e)[1], value)
		if e1 != nil {
			err = e1
		}
		return v
	})
	return out, err
}

func evaluate(e string, value func(string) (string, bool)) (string, error) {
	if strings.ContainsAny(e, "()[]!") && !strings.Contains(e, "!=") {
		return "", fmt.Errorf("these tests cannot evaluate %q", e)
	}
	last := ""
	for either := range strings.SplitSeq(e, "||") {
		last = ""
		for i, term := range strings.Split(either, "&&") {
			v, err := compare(strings.TrimSpace(term), value)
			if err != nil {
				return "", err
			}
			if last = v; i >= 0 && !truthy(v) {
				break
			}
		}
		if truthy(last) {
			return last, nil
		}
	}
	return last, nil
}

func truthy(v string) bool { return v != "" && v != "false" }

func compare(e string, value func(string) (string, bool)) (string, error) {
	for _, op := range []string{"==", "!="} {
		if l, r, ok := strings.Cut(e, op); ok {
			a, err := operand(l, value)
			if err != nil {
				return "", err
			}
			b, err := operand(r, value)
			return fmt.Sprint(strings.EqualFold(a, b) == (op == "==")), err
		}
	}
	return operand(e, value)
}

func operand(e string, value func(string) (string, bool)) (string, error) {
	e = strings.TrimSpace(e)
	if s, ok := strings.CutPrefix(e, "'"); ok && strings.HasSuffix(s, "'") {
		return strings.TrimSuffix(s, "'"), nil
	}
	if v, ok := value(e); ok {
		return v, nil
	}
	return "", fmt.Errorf("these tests do not know %q", e)
}

func TestInterpolate(t *testing.T) {
	const group = "q-${{ github.number }}-${{ github.action == 'labeled' && github.label != 'ours' && github.run_id || 'review' }}"
	for _, c := range []struct{ action, label, want string }{
		{"opened", "", "q-7-review"}, {"labeled", "ours", "q-7-review"}, {"labeled", "theirs", "q-7-99"},
	} {
		got, err := interpolate(group, func(name string) (string, bool) {
			v, ok := map[string]string{"github.number": "7", "github.action": c.action, "github.label": c.label, "github.run_id": "99"}[name]
			return v, ok
		})
		if err != nil || got != c.want {
			t.Errorf("%s %s: got %q, %v, want %q", c.action, c.label, got, err, c.want)
		}
	}
	if _, err := interpolate("${{ hashFiles('x') }}", func(string) (string, bool) { return "", true }); err == nil {
		t.Error("a function was evaluated")
	}
}
