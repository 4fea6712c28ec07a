package index

import (
	"strings"
	"testing"

	"github.com/patch-cat/patch-git/ledger"
)

func TestRequestWeights(t *testing.T) {
	for word, want := range map[string]int32{
		"hoping": weightCall, "2023": weightCall, "information": weightAny, "provide": weightAny,
		"check": weightMild, "csv": weightFull, "base64": weightFull, "٣": weightFull, "": weightFull,
	} {
		if got := requestWeight(stem(word)); got != want {
			t.Errorf("%q counts %d quarters, want %d", word, got, want)
		}
	}
	seen := map[string]bool{}
	for _, list := range requestWeights() {
		if !strings.HasPrefix(list, " ") || !strings.HasSuffix(list, " ") {
			t.Errorf("no blanks around %.20q…", list)
		}
		for term := range strings.FieldsSeq(list) {
			if seen[term] || isStop(term) {
				t.Errorf("%s is in two lists", term)
			}
			seen[term] = true
		}
	}
}

// The words that carry a request must not outvote the one that names the tool.
func TestRequestWordsCountLess(t *testing.T) {
	x := opened(t,
		tool("aaa", "Find great information, give details and provide what was found."),
		tool("moon_phase", "The phase of the moon on some day."),
	)
	r, err := x.Search(t.Context(), Query{Text: "find and provide information about the moon"}, 10)
	if err != nil || len(r.Hits) == 0 || r.Hits[0].Tool.Name != "moon_phase" {
		t.Errorf("got %v, %v, want moon_phase first", r, err)
	}
}

func TestSynonyms(t *testing.T) {
	all := synonymTerms()
	for a, others := range all {
		for _, b := range others {
			found := false
			for _, c := range all[b] {
				found = found || c == a
			}
			if !found || a == b {
				t.Errorf("%s is a synonym of %s, but not the other way", b, a)
			}
		}
	}
	x := opened(t,
		tool("blur", "Blurs a photo."),
		tool("crop", "Crops a picture."),
		tool("weather", "Tells the weather."),
	)
	r, err := x.Search(t.Context(), Query{Text: "picture"}, 10)
	if err != nil || len(r.Hits) != 2 || r.Hits[0].Tool.Name != "crop" || r.Hits[1].Tool.Name != "blur" {
		t.Fatalf("got %v, %v, want what has the word, then what has a synonym of it", r, err)
	}
	// Two thirds of the impact, rounded down, times the weight of the word.
	if less := 2*r.Hits[0].Score - 3*r.Hits[1].Score; less < 0 || less >= 3*weightFull {
		t.Errorf("a synonym counts %d, the word itself %d", r.Hits[1].Score, r.Hits[0].Score)
	}
	if got := r.Hits[1].Why; len(got) != 1 || got[0] != (Match{"meaning", "picture"}) {
		t.Errorf("a synonym is found because of %v", got)
	}
}

func TestGlued(t *testing.T) {
	known := map[string]bool{}
	for w := range strings.FieldsSeq("air quality forecast fore cast for ecast the rapist therapist user") {
		known[w] = true
	}
	for word, want := range map[string]string{
		"airquality": "air quality", "airqualityforecast": "air quality forecast", "therapist": "",
		"userx": "", "unknown": "", "useruseruseruser": "",
	} {
		if got := strings.Join(parts(word, func(w string) bool { return known[w] }), " "); got != want {
			t.Errorf("%s is cut to %q, want %q", word, got, want)
		}
	}
	x := opened(t,
		tool("airquality", "How clean it is outside.", func(l *ledger.Listing) { l.Owners = nil }),
		tool("other", "Something of high quality."),
		tool("planes", "What flies in the air."),
	)
	r, err := x.Search(t.Context(), Query{Text: "quality of the air"}, 10)
	if err != nil || len(r.Hits) == 0 || r.Hits[0].Tool.Name != "airquality" {
		t.Errorf("got %v, %v, want airquality first", r, err)
	}
}
