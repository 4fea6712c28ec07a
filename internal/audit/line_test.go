package audit

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// reflected is a record as encoding/json writes it.
func reflected(r *Record) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return b.Bytes(), err
}

// alike fails where the two encoders differ in a byte, or where ours takes what the
// other one refuses.
func alike(t *testing.T, r *Record) (ok bool) {
	t.Helper()
	want, err := reflected(r)
	got, ok := appendRecord(nil, r)
	switch {
	case ok && err != nil:
		t.Fatalf("encoding/json refuses (%v) what is written here as %s", err, got)
	case ok && !bytes.Equal(got, want):
		t.Fatalf("this is written:\n%s\nand this is encoding/json's:\n%s", got, want)
	}
	return ok
}

// fill sets every field that there is, of any depth, by chance: a field that somebody
// adds to a record, or to what it holds, comes here by itself. How often one stays
// zero, one of so many tells; 0 is never.
func fill(v reflect.Value, r *rand.Rand, zero int, text func() string) {
	if zero > 0 && r.IntN(zero) == 0 {
		return
	}
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		zones := []*time.Location{time.UTC, time.FixedZone("", 3600), time.FixedZone("", -5400)}
		*x = time.Unix(r.Int64N(1<<33), r.Int64N(1e9)/int64(1+r.IntN(2)*(1e9-1))).In(zones[r.IntN(3)])
		return
	case *json.RawMessage:
		var err error
		if *x, err = json.MarshalIndent(map[string]any{text(): []any{text(), 1.5, nil}}, "", " "); err != nil {
			panic(err)
		}
		return
	case *spec.Digest:
		*x = spec.DigestOf([]byte(text()))
		return
	}
	switch v.Kind() { //nolint:exhaustive // the others panic, which is how a new kind of field shows
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, r, zero, text)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), r, zero, text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			fill(v.Index(i), r, zero, text)
		}
	case reflect.String:
		v.SetString(text())
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 + r.Int64()>>1)
	case reflect.Uint64:
		v.SetUint(1 + r.Uint64()>>1)
	default:
		panic(v.Type().String())
	}
}

// TestLine: the same bytes as encoding/json's, whatever a record holds.
func TestLine(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	words := []string{"plain", "", "a \"b\" \\ \n\t\x00\x1f\x7f", "é \u2028 \u2029 <&> 😀", "cut \xff\xc3", "/tmp/x"}
	text := func() string { return words[r.IntN(len(words))] }
	for i := range 3000 {
		var rec Record
		fill(reflect.ValueOf(&rec).Elem(), r, i%6, text) // the first of six has every field
		if !alike(t, &rec) {
			t.Fatalf("left to encoding/json: %+v", rec)
		}
	}
	if !alike(t, &Record{}) {
		t.Error("an empty record is left to encoding/json")
	}
}

// TestLineOdd: what cannot be written is an error as before, and no line.
func TestLineOdd(t *testing.T) {
	good := Record{Schema: Schema, Status: Started, RunID: "x", Tool: Tool{Name: "abc"}, StartedAt: time.Unix(1, 0), Inputs: json.RawMessage(`{"a": 1}`)}
	for name, change := range map[string]func(*Record){
		"inputs that are no JSON":  func(r *Record) { r.Inputs = json.RawMessage(`{"a":`) },
		"two values":               func(r *Record) { r.Inputs = json.RawMessage(`{} {}`) },
		"a time of no year":        func(r *Record) { r.StartedAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"a time of half a minute":  func(r *Record) { r.StartedAt = r.StartedAt.In(time.FixedZone("", 24*3600)) },
		"the same (twin: written)": func(*Record) {},
	} {
		rec := good
		change(&rec)
		_, want := reflected(&rec)
		b, err := encode(&rec)
		if (err == nil) != (want == nil) || (err == nil) != (len(b) > 0) {
			t.Errorf("%s: %s, %v; encoding/json says %v", name, b, err, want)
		}
		if alike(t, &rec) != (want == nil) {
			t.Errorf("%s: taken here is another answer than %v", name, want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add(uint64(1), 3, "text", []byte(`{"a": [1, "b"]}`))
	f.Add(uint64(2), 0, "\u2028\xff\"<", []byte(`"<\u2028>"`))
	f.Fuzz(func(t *testing.T, seed uint64, zero int, s string, raw []byte) {
		r := rand.New(rand.NewPCG(seed, 1))
		var rec Record
		fill(reflect.ValueOf(&rec).Elem(), r, zero, func() string { return s[:r.IntN(len(s)+1)] })
		rec.Inputs = raw
		alike(t, &rec)
	})
}
