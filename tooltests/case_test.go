// Package tooltests plays every case of every tool in tools/ the way a user
// would run it: arguments checked, sandbox, interpreter, result checked.
//
// A case is testdata/<name>/<version>/<case>.json, or testdata/<name>/all/ for
// one that every version must pass:
//
//	{"args": {"path": "$FILES/abc.txt"}, "result": {"size": 3}}       the whole result, exactly
//	{"args": {"path": "$FILES/abc.txt"}, "check": {"/size": 3}}       values at JSON pointers (RFC 6901)
//	{"args": {"path": "$FILES"}, "error": "is not a regular file"}    part of the refusal
//
// $FILES is testdata/<name>/files, of which a tool that may write gets a copy;
// $OUT is an empty directory; $SERVER is an HTTP server on loopback that
// answers what "server" says: {"/path": {"status": 200, "headers": {}, "body": ""}}.
// Numbers are compared as they are spelled: 1 is not 1.0.
//
// Nothing here leaves the machine but for [TestPackages], which runs only when
// PATCH_GIT_NETWORK_TESTS=1.
package tooltests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testdata has a directory per tool.
const testdata = "testdata"

// everyVersion is the directory of cases that all versions of a tool share.
const everyVersion = "all"

// testCase is one case. Exactly one of Result, Check and Error is there.
type testCase struct {
	Args   map[string]json.RawMessage `json:"args"`
	Result json.RawMessage            `json:"result"`
	Check  map[string]json.RawMessage `json:"check"`
	Error  string                     `json:"error"`
	Server map[string]answer          `json:"server"`

	name string
	text string // of the file, with its placeholders
}

// answer is what the server says to a request for one path.
type answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// placeholder matches one as a whole word: $OUTPUT is none.
var placeholder = regexp.MustCompile(`\$(FILES|OUT|SERVER)\b`)

// parseCase reads a case strictly: a misspelled key would make a case that
// asks for nothing.
func parseCase(text string) (testCase, error) {
	var c testCase
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return c, err
	}
	if _, err := d.Token(); err != io.EOF {
		return c, errors.New("there is more than one JSON value")
	}
	asks := 0
	for _, there := range []bool{c.Result != nil, len(c.Check) > 0, c.Error != ""} {
		if there {
			asks++
		}
	}
	switch {
	case c.Args == nil:
		return c, errors.New("there are no args")
	case asks != 1:
		return c, errors.New("exactly one of result, check and error must be there and not be empty")
	case (c.Server != nil) != strings.Contains(text, "$SERVER"):
		return c, errors.New("$SERVER and server go together")
	}
	c.text = text
	return c, nil
}

// expand puts real places where the placeholders are, in the whole case, so
// that an expected result can name them too.
func (c testCase) expand(places map[string]string) (testCase, error) {
	var missing error
	text := placeholder.ReplaceAllStringFunc(c.text, func(word string) string {
		place, ok := places[word]
		if !ok {
			missing = fmt.Errorf("%s is not available here", word)
		}
		quoted, err := json.Marshal(place)
		if err != nil {
			missing = err
			return ""
		}
		return string(quoted[1 : len(quoted)-1])
	})
	out, err := parseExpanded(text)
	out.name = c.name
	return out, errors.Join(missing, err)
}

// parseExpanded is parseCase for a text whose placeholders are gone.
func parseExpanded(text string) (testCase, error) {
	c := testCase{text: text}
	return c, json.Unmarshal([]byte(text), &c)
}

// uses tells whether the arguments name a placeholder.
func (c testCase) uses(word string) bool {
	for _, v := range c.Args {
		if slices.Contains(placeholder.FindAllString(string(v), -1), word) {
			return true
		}
	}
	return false
}

// casesOf reads the cases of one version of a tool, by name.
func casesOf(t *testing.T, name, version string) []testCase {
	t.Helper()
	var out []testCase
	for _, dir := range []string{everyVersion, version} {
		paths, err := filepath.Glob(filepath.Join(testdata, name, dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := parseCase(string(text))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			c.name = strings.TrimSuffix(filepath.Base(path), ".json")
			if slices.ContainsFunc(out, func(o testCase) bool { return o.name == c.name }) {
				t.Errorf("%s: %s has a case of this name", path, everyVersion)
				continue
			}
			out = append(out, c)
		}
	}
	return out
}

func TestParseCase(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"args": {}, "result": null}`,
		`{"args": {"a": "$SERVER/x"}, "check": {"/a": 1}, "server": {"/x": {"status": 200, "body": ""}}}`,
		`{"args": {}, "error": "no"}`,
	} {
		if _, err := parseCase(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{
		``,
		`{"args": {}}`,
		`{"result": 1}`,
		`{"args": {}, "error": ""}`,
		`{"args": {}, "check": {}}`,
		`{"args": {}, "result": 1, "error": "no"}`,
		`{"args": {}, "resutl": 1, "error": "no"}`,
		`{"args": {}, "error": "no"} {}`,
		`{"args": {"a": "$SERVER/x"}, "error": "no"}`,
		`{"args": {}, "error": "no", "server": {"/x": {"status": 200, "body": ""}}}`,
	} {
		if _, err := parseCase(text); err == nil {
			t.Errorf("accepted: %s", text)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	c, err := parseCase(`{"args": {"path": "$FILES/a", "text": "$OUTPUT \ud800"}, "check": {"/p": "$OUT"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if !c.uses("$FILES") || c.uses("$OUT") {
		t.Errorf("uses: got %v and %v, want true and false", c.uses("$FILES"), c.uses("$OUT"))
	}
	if _, err := c.expand(map[string]string{"$FILES": "/f"}); err == nil {
		t.Error("a placeholder without a place was accepted")
	}
	got, err := c.expand(map[string]string{"$FILES": `/f "q"`, "$OUT": "/o"})
	if err != nil {
		t.Fatal(err)
	}
	// Text that is no placeholder reaches the tool byte for byte.
	for what, pair := range map[string][2]string{
		"path":  {string(got.Args["path"]), `"/f \"q\"/a"`},
		"text":  {string(got.Args["text"]), `"$OUTPUT \ud800"`},
		"check": {string(got.Check["/p"]), `"/o"`},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
		}
	}
}
