package contribute

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"testing"
)

// entry is what the recorder writes for a body.
func entry(key []byte, body string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(body))
	return fmt.Sprintf("\x00%x%s\n", mac.Sum(nil), body)
}

func TestRecord(t *testing.T) {
	key, other := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	begin := entry(key, `[1,7,"patch.begin","","",0,"",["/tmp","/lib/",["/lib"]]]`)
	two := entry(key, `[2,7,"open","/tmp/tool.py","/tmp/tool.py",3,"",["/etc/passwd","r",0]]`)
	end := entry(key, `[3,7,"patch.end","","",0,"",[0]]`)
	for _, c := range []struct {
		name, stdout string
		damage       string
		ended        bool
		events       int
		printed      string
	}{
		{"whole", begin + two + end, "", true, 1, ""},
		{"between what is printed", "a\x00b" + begin + "{}" + two + "\n" + end + "x", "", true, 1, "a\x00b{}\nx"},
		{"in another order", two + end + begin, "", true, 1, ""},
		{"of two processes", begin + two + entry(key, `[3,8,"os.fork","","",0,"",[]]`) + end, "", true, 2, ""},
		{"without an end", begin + two, "", false, 1, ""},
		{"nothing", "", "it is empty", false, 0, ""},
		{"a gap", begin + end, "1 of 3 entries are missing", true, 0, ""},
		{"no beginning", two, "it has no beginning", false, 1, ""},
		{"twice", begin + two + two + end, "entry 2 is there twice", true, 1, ""},
		{"of another key", begin + entry(other, `[2,7,"patch.end","","",0,"",[0]]`), "", false, 0, entry(other, `[2,7,"patch.end","","",0,"",[0]]`)},
		{"an edited entry", begin + two[:70] + "9" + two[71:] + end, "1 of 3 entries are missing", true, 0, two[:70] + "9" + two[71:]},
		{"an end by the tool", begin + entry(key, `[2,7,"patch.end","/tmp/tool.py","/tmp/tool.py",3,"",[0]]`), "", false, 1, ""},
		{"an end by another process", begin + two + entry(key, `[3,8,"patch.end","","",0,"",[0]]`), "", false, 2, ""},
		{"not readable", begin + entry(key, `{}`), "an entry is not readable", false, 0, ""},
		{"too short", begin + entry(key, `[2,7]`), "an entry is not readable", false, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readRecord([]byte(c.stdout), key)
			damage := ""
			if r.damage != nil {
				damage = r.damage.Error()
			}
			if r.ended != c.ended || len(r.events) != c.events || string(r.stdout) != c.printed || (c.damage == "") != (damage == "") || !bytes.HasPrefix([]byte(damage), []byte(c.damage)) {
				t.Errorf("%+v, %q", r, damage)
			}
		})
	}
}

// FuzzRecord: whatever a tool prints around the entries, none is forged or lost.
func FuzzRecord(f *testing.F) {
	key := bytes.Repeat([]byte{3}, 32)
	begin := entry(key, `[1,7,"patch.begin","","",0,"",["/tmp","/lib/",["/lib"]]]`)
	seen := entry(key, `[2,7,"open","/tmp/tool.py","/tmp/tool.py",3,"",["/etc/passwd","r",0]]`)
	f.Add([]byte("a"), []byte("\x00"), `["x"]`)
	f.Add([]byte(seen), []byte(begin), `[2,7,"open","","",0,"",[{},null,1]]`)
	f.Fuzz(func(t *testing.T, before, after []byte, body string) {
		if bytes.Contains(before, []byte(seen[1:60])) || bytes.Contains(after, []byte(seen[1:60])) || bytes.Contains(before, []byte(begin[1:60])) || bytes.Contains(after, []byte(begin[1:60])) {
			return // a copy is noticed, which TestRecord holds
		}
		r := readRecord([]byte(string(before)+"\n"+begin+string(after)+"\n"+seen), key)
		if r.damage != nil || len(r.events) != 1 || r.events[0].arg(0) != "/etc/passwd" || string(r.stdout) != string(before)+"\n"+string(after)+"\n" {
			t.Fatalf("%+v", r)
		}
		// What the tool is called, and by what it reaches for what, is its own.
		if e, err := readEvent([]byte(body)); err == nil {
			observe(nil, record{events: []event{e}}, around{tool: "/tmp/tool.py", scratch: "/tmp", reads: []string{"/lib"}}, "import")
		}
	})
}
