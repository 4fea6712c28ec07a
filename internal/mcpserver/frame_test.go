package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patch-cat/patch-git/internal/limits"
)

// Each refusal with what is answered, and the twin that differs in that one point.
func TestParse(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	const parse, invalid, params = jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeInvalidParams
	for _, c := range []struct {
		name, frame string
		code        int64
		id          any
		twin        string
	}{
		{"no JSON", `{"jsonrpc":"2.0","id":1,"method":"ping"`, parse, int64(1), `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"text after it", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, parse, int64(1), `{"jsonrpc":"2.0","id":1,"method":"ping"} `},
		{"no UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xffng\"}", parse, int64(1), `{"jsonrpc":"2.0","id":1,"method":"pïng"}`},
		{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, parse, int64(1), `{"jsonrpc":"2.0","id":1,"method":"\ud83d\ude00"}`},
		{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, parse, nil, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"NaN", `{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":NaN}}`, parse, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":0}}`},
		{"a text", `"ping"`, invalid, nil, `{"jsonrpc":"2.0","method":"ping"}`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, invalid, nil, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"no version", `{"id":1,"method":"ping"}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"old version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"version by another case", `{"JSONRPC":"2.0","id":1,"method":"ping"}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"nested too deep", `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":` + deep(limits.JSONDepth) + `}}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":` + deep(limits.JSONDepth-2) + `}}`},
		{"a key twice", `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":1,"\u0061":2}}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":1,"A":2}}`},
		{"a method twice", `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a"}`},
		{"an id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}`, invalid, nil, `{"jsonrpc":"2.0","id":1,"method":"a"}`},
		{"id of null", `{"jsonrpc":"2.0","id":null,"method":"a"}`, invalid, nil, `{"jsonrpc":"2.0","id":0,"method":"a"}`},
		{"id of a half", `{"jsonrpc":"2.0","id":1.5,"method":"a"}`, invalid, nil, `{"jsonrpc":"2.0","id":-15,"method":"a"}`},
		{"id as a power", `{"jsonrpc":"2.0","id":1e3,"method":"a"}`, invalid, nil, `{"jsonrpc":"2.0","id":"1e3","method":"a"}`},
		{"id that floats miss", `{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}`, invalid, nil, `{"jsonrpc":"2.0","id":9007199254740992,"method":"a"}`},
		{"id of an object", `{"jsonrpc":"2.0","id":{},"method":"a"}`, invalid, nil, `{"jsonrpc":"2.0","id":"{}","method":"a"}`},
		{"method of a number", `{"jsonrpc":"2.0","id":1,"method":1}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"1"}`},
		{"params of a list", `{"jsonrpc":"2.0","id":1,"method":"a","params":[]}`, params, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`},
		{"params of null", `{"jsonrpc":"2.0","id":1,"method":"a","params":null}`, params, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a"}`},
		{"question and answer", `{"jsonrpc":"2.0","id":1,"method":"a","result":{}}`, invalid, int64(1), `{"jsonrpc":"2.0","id":1,"method":"a"}`},
		{"neither", `{"jsonrpc":"2.0","id":1}`, invalid, nil, `{"jsonrpc":"2.0","id":1,"result":null}`},
		{"answer to nothing", `{"jsonrpc":"2.0","result":{}}`, invalid, nil, `{"jsonrpc":"2.0","id":"x","result":{}}`},
		{"two answers", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, invalid, nil, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`},
		{"error without a code", `{"jsonrpc":"2.0","id":1,"error":{"message":"a"}}`, invalid, nil, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"a"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, r := parse2(t, c.frame)
			if m != nil || r == nil {
				t.Fatalf("it is taken as %#v", m)
			}
			if r.code != c.code || r.id.Raw() != c.id {
				t.Errorf("code %d with id %#v, want %d with %#v: %s", r.code, r.id.Raw(), c.code, c.id, r.text)
			}
			if m, r := parse2(t, c.twin); m == nil {
				t.Errorf("the twin is refused: %s", r.text)
			}
		})
	}
}

// parse2 is parse, and holds its answer against what it promises.
func parse2(t *testing.T, frame string) (jsonrpc.Message, *refusal) {
	t.Helper()
	m, r := parse([]byte(frame))
	if (m == nil) == (r == nil) {
		t.Fatalf("parse(%q) is %v and %v", frame, m, r)
	}
	if r != nil {
		checkLine(t, r.line())
	}
	return m, r
}

// checkLine holds a line against JSON-RPC.
func checkLine(t *testing.T, line []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if bytes.Count(line, []byte{'\n'}) != 1 || line[len(line)-1] != '\n' || json.Unmarshal(line, &m) != nil {
		t.Fatalf("%q is no line of JSON", line)
	}
	_, id := m["id"]
	_, method := m["method"]
	_, result := m["result"]
	_, wrong := m["error"]
	if m["jsonrpc"] != "2.0" || !method && !id || method == (result || wrong) || result && wrong {
		t.Fatalf("%q is no message of JSON-RPC", line)
	}
	return m
}

// Of a message that is too long only the head is kept, and the id found in it.
func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", limits.FrameHead)
	for frame, want := range map[string]any{
		`{"jsonrpc":"2.0","id":"a","method":"b","params":{"c":"` + long:      "a",
		`{"jsonrpc":"2.0","method":"b","params":{"c":"` + long + `"},"id":1`: nil, // it stands behind the head
		`{"jsonrpc":"2.0","params":{"id":7,"c":"` + long:                     nil,
		long: nil,
	} {
		r := tooLong([]byte(frame[:limits.FrameHead]))
		if r.code != jsonrpc.CodeInvalidRequest || r.id.Raw() != want {
			t.Errorf("%.40s…: code %d, id %v", frame, r.code, r.id.Raw())
		}
		checkLine(t, r.line())
	}
}

// FuzzParse: whatever is accepted means for the SDK what it means here, and
// whatever is refused is answered with one line of JSON-RPC.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"a","params":{"b":[1,null,"é😀"]}}`,
		`{"jsonrpc":"2.0","id":"x","result":{"a":-0.0}}`, `{"jsonrpc":"2.0","id":-9,"error":{"code":-32000,"message":"m","data":[]}}`,
		`{"id":1,"id":2}`, `[`, `{"jsonrpc":"2.0","id":1e9,"method":"\ud83d\ude00"}`, "\x00", `{"jsonrpc":"2.0","id":9007199254740993}`,
		`{"jsonrpc":"2.0","id":1,"Method":"a","method":"b","PARAMS":1}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, r := parse(frame)
		if r != nil {
			if m != nil {
				t.Fatal("refused and accepted")
			}
			checkLine(t, r.line())
			return
		}
		theirs, err := jsonrpc.DecodeMessage(frame)
		if err != nil {
			t.Fatalf("the SDK refuses it: %v", err)
		}
		if got, want := spelled(t, m), spelled(t, theirs); got != want {
			t.Fatalf("read as %s, by the SDK as %s", got, want)
		}
		line, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			t.Fatal(err)
		}
		again, r := parse(line)
		if r != nil || spelled(t, again) != spelled(t, m) {
			t.Fatalf("%s comes back as %v, %+v", line, again, r)
		}
	})
}

// spelled is a message as text, in which only what it means counts.
func spelled(t *testing.T, m jsonrpc.Message) string {
	t.Helper()
	value := func(raw json.RawMessage) any {
		if len(raw) == 0 {
			return nil
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		return v
	}
	switch m := m.(type) {
	case *jsonrpc.Request:
		return fmt.Sprintf("request %#v %q %#v", m.ID.Raw(), m.Method, value(m.Params))
	case *jsonrpc.Response:
		var e any
		if m.Error != nil {
			wire, ok := errors.AsType[*jsonrpc.Error](m.Error)
			if !ok {
				t.Fatalf("an error of type %T", m.Error)
			}
			e = []any{wire.Code, wire.Message, value(wire.Data)}
		}
		return fmt.Sprintf("response %#v %#v %#v", m.ID.Raw(), value(m.Result), e)
	}
	t.Fatalf("%v is no message", reflect.TypeOf(m))
	return ""
}

// An id comes back as it was.
func TestIDs(t *testing.T) {
	for _, id := range []string{`0`, `-1`, fmt.Sprint(1 << 53), `""`, `"1"`, `"\u0000"`, `"é"`} {
		m, r := parse2(t, `{"jsonrpc":"2.0","id":`+id+`,"method":"a"}`)
		if r != nil {
			t.Errorf("%s: %s", id, r.text)
			continue
		}
		line, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: m.(*jsonrpc.Request).ID, Result: json.RawMessage("{}")})
		if err != nil {
			t.Fatal(err)
		}
		var back struct{ ID json.RawMessage }
		if err := json.Unmarshal(line, &back); err != nil || string(back.ID) != id {
			t.Errorf("%s comes back as %s", id, back.ID)
		}
	}
	if _, r := parse2(t, `{"jsonrpc":"2.0","id":`+fmt.Sprint(math.MaxInt64)+`,"method":"a"}`); r == nil {
		t.Error("an id that the SDK would round is taken")
	}
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{100, 10_000} {
		frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"` + strings.Repeat("x", size) + `"}}}`)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(frame)))
			b.ReportAllocs()
			for b.Loop() {
				if _, r := parse(frame); r != nil {
					b.Fatal(r.text)
				}
			}
		})
	}
}
