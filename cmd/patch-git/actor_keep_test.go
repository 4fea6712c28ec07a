package main

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// keep VARIABLE PATH sets a variable to a text of the JSON document on stdout, as
// a script would that goes on with it. PATH is like that of json.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep variable path")
	}
	var at any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &at))
	for step := range strings.SplitSeq(args[1], ".") {
		list, _ := at.([]any)
		members, _ := at.(map[string]any)
		at = members[step]
		if i, err := strconv.Atoi(step); err == nil && i < len(list) {
			at = list[i]
		}
		if at == nil {
			ts.Fatalf("stdout has no %s", args[1])
		}
	}
	text, ok := at.(string)
	if !ok {
		ts.Fatalf("%s is no text", args[1])
	}
	ts.Setenv(args[0], text)
}
