package branch

import (
	"bufio"
	"strings"
	"testing"
)

// FuzzListing: whatever paths a commit has, what is read of its listing lies
// below v1/ and names an object.
func FuzzListing(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add("100644 blob " + id + "\tv1/head.json\x00040000 tree " + id + "\tv1/log\x00")
	f.Add("100644 blob " + id + "\tv1/a\tb\nc\x00120000 blob " + id + "\tREADME.md\x00")
	f.Add("100644 blob " + id[1:] + "\tv1/short\x00160000 commit\tv1/x\x00\t\x00")
	f.Fuzz(func(t *testing.T, listing string) {
		most := strings.Count(listing, "\tv1/")
		parseListing(listing, func(path, kind string, e entry) {
			if most--; most < 0 {
				t.Errorf("more entries than paths below v1/ in %q", listing)
			}
			if !isID(e.blob) || kind == "" || e.mode == "" || strings.Contains(path, "\x00") {
				t.Errorf("%q: path %q, kind %q, entry %+v", listing, path, kind, e)
			}
		})
	})
}

// FuzzCatFile: an answer is the blob that was asked for, whole, or an error, and
// a size in it costs no more memory than was allowed.
func FuzzCatFile(f *testing.F) {
	id := strings.Repeat("a1", 20)
	f.Add(id+" blob 5\nhello\n", int64(5))
	f.Add(id+" blob 6\nhello!\n", int64(5))
	f.Add(id+" missing\n", int64(5))
	f.Add(id+" tree 3\nabc\n", int64(5))
	f.Add(id+" blob 9223372036854775807\n", int64(5))
	f.Add(id+" blob -1\n\n", int64(5))
	f.Fuzz(func(t *testing.T, answer string, most int64) {
		most = min(max(most, 0), 1<<16)
		cat := &catFile{answer: bufio.NewReader(strings.NewReader(answer))}
		data, large, err := cat.next(id, most)
		switch _, body, _ := strings.Cut(answer, "\n"); {
		case err != nil:
		case large && data != nil, !large && !strings.HasPrefix(body, string(data)):
			t.Errorf("%q: %q, large %v", answer, data, large)
		case int64(len(data)) > most:
			t.Errorf("%q: %d bytes, allowed are %d", answer, len(data), most)
		}
	})
}

// FuzzDifference: whatever a comparison of two trees lists, what is read of it
// lies below v1/ and names an object.
func FuzzDifference(f *testing.F) {
	one, none := strings.Repeat("a1", 20), strings.Repeat("0", 40)
	f.Add(":100644 100644 " + one + " " + one + " M\x00v1/head.json\x00:000000 100644 " + none + " " + one + " A\x00v1/records/ab/x.json\x00")
	f.Add(":120000 000000 " + one + " " + none + " D\x00README.md\x00:100644\x00v1/a\x00")
	f.Add("\x00\x00:::\x00v1/\x00")
	f.Fuzz(func(t *testing.T, answer string) {
		most := strings.Count(answer, "\x00")/2 + 1
		parseDifference(answer, func(path string, e entry) {
			if most--; most < 0 {
				t.Errorf("more entries than pairs in %q", answer)
			}
			if !isID(e.blob) || e.mode == "" || strings.Contains(path, "\x00") {
				t.Errorf("%q: path %q, entry %+v", answer, path, e)
			}
		})
	})
}
