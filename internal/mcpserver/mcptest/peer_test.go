package mcptest

import (
	"strings"
	"testing"
)

// TestID: a long answer is known by its id wherever an SDK puts it, and what is no
// answer is read as a whole.
func TestID(t *testing.T) {
	long := strings.Repeat("x", longLine)
	for line, want := range map[string]string{
		`{"jsonrpc":"2.0","id":12,"result":{"a":"` + long + `"}}` + "\n":                       "12",
		`{"result":{"a":"` + long + `"},"jsonrpc":"2.0","id":3}` + "\n":                        "3",
		`{"jsonrpc":"2.0","id":12,"result":{}}` + "\n":                                         "",
		`{"jsonrpc":"2.0","id":12,"method":"x","params":{"a":"` + long + `"}}` + "\n":          "",
		`{"method":"x","params":{"a":"` + long + `"},"jsonrpc":"2.0","id":3}` + "\n":           "",
		`{"jsonrpc":"2.0","method":"x","params":{"a":"` + long + `"}}` + "\n":                  "",
		`{"jsonrpc":"2.0","id":12,"error":{"code":1,"message":"` + long + `"}}` + "\n":         "",
		`{"result":{"a":",\"jsonrpc\":\"2.0\",\"id\":3}` + long + `"},"jsonrpc":"2.0"}` + "\n": "",
	} {
		if got := string(idOf([]byte(line))); got != want {
			t.Errorf("%.60s has %q", line, got)
		}
	}
}

// TestListed: pages are held against each other when they are read.
func TestListed(t *testing.T) {
	page := func(text string) Message {
		m := Message{line: []byte(text)}
		return m
	}
	first, last := `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"b","tools":[{"name":"a"}]}}`, `{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"b"}]}}`
	if all, err := Listed([]Message{page(first), page(last)}); err != nil || len(all) != 2 || all[1].Name != "b" {
		t.Errorf("%v, %v", all, err)
	}
	for _, pages := range [][]Message{
		{page(first)},
		{page(last), page(last)},
		{page(strings.Replace(last, "2.0", "1.0", 1))},
		{page(`{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}`)},
		{page(last[:20])},
	} {
		if all, err := Listed(pages); err == nil {
			t.Errorf("%d pages were taken for %v", len(pages), all)
		}
	}
}
