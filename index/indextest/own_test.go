package indextest

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patch-cat/patch-git/spec"
)

// published is nDCG@10 on testdata/own, tools and requests written for this
// project; whoever makes the ranking better raises it.
const published = 0.468

func TestRanking(t *testing.T) {
	s, err := Read("testdata/own")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tools) < 60 || len(s.Requests) < 150 {
		t.Fatalf("got %d tools and %d requests, want at least 60 and 150", len(s.Tools), len(s.Requests))
	}
	search, done, err := Ours(t.Context(), s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := Measure(s, search, time.Now)
	if err := done(); err != nil {
		t.Error(err)
	}
	t.Logf("nDCG@10 %.4f, recall@1/5/10 %.3f %.3f %.3f, MRR %.3f, p50 %v, p99 %v", m.NDCG, m.Recall1, m.Recall5, m.Recall10, m.MRR, m.P50, m.P99)
	if m.Refused > 0 || m.NDCG < published-0.01 {
		t.Errorf("nDCG@10 is %.4f with %d requests refused, want at least %.4f and none: the ranking became worse", m.NDCG, m.Refused, published-0.01)
	}
	if m.NDCG > published+0.01 {
		t.Logf("the ranking became better: raise published to %.3f", m.NDCG)
	}
}

// TestRankingCanFail: the same measure sees a ranking that is no good.
func TestRankingCanFail(t *testing.T) {
	s, err := Read("testdata/own")
	if err != nil {
		t.Fatal(err)
	}
	m := Measure(s, func(string) ([]string, bool) { return []string{s.Tools[0].ID, s.Tools[1].ID}, true }, nil)
	if m.NDCG >= published-0.01 {
		t.Errorf("two tools for every request get %.3f", m.NDCG)
	}
}

func TestMeasures(t *testing.T) {
	s := &Set{Requests: []Request{{Text: "a", Relevant: []string{"x", "y"}}, {Text: "b", Relevant: []string{"z"}}, {Text: "c", Relevant: []string{"z"}}}}
	m := Measure(s, func(text string) ([]string, bool) {
		switch text {
		case "a":
			return []string{"w", "x", "x", "v", "u", "y"}, true
		case "b":
			return []string{"z", "x"}, true
		}
		return nil, false
	}, nil)
	a := (1/math.Log2(3) + 1/math.Log2(7)) / (1 + 1/math.Log2(3))
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"nDCG@10", m.NDCG, (a + 1) / 3},
		{"recall@1", m.Recall1, 1. / 3},
		{"recall@5", m.Recall5, 1.5 / 3},
		{"recall@10", m.Recall10, 2. / 3},
		{"MRR", m.MRR, 1.5 / 3},
		{"refused", float64(m.Refused), 1},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestRegistered(t *testing.T) {
	for name, want := range map[string]spec.Name{
		"TripAdvice.getAll": "trip_advice_get_all", "ABCmouse": "abcmouse", "3D_print": "tool_3d_print", "go": "go_tool",
		"天气": "tool", strings.Repeat("a_", 60): spec.Name(strings.Repeat("a_", 21) + "a"),
	} {
		if got := registered(name); got != want {
			t.Errorf("%s is registered as %s, want %s", name, got, want)
		}
		if _, err := spec.ParseName(string(want)); err != nil {
			t.Error(err)
		}
	}
}

func TestSynthetic(t *testing.T) {
	a, requests := Synthetic(500, 20)
	b, same := Synthetic(500, 20)
	if len(a) != 500 || len(requests) != 20 || !slices.Equal(requests, same) || a[7].Description != b[7].Description {
		t.Error("a catalogue is not the same twice")
	}
	for i := range a {
		if _, err := spec.ParseName(string(a[i].Name)); err != nil {
			t.Fatal(err)
		}
		if i > 0 && a[i-1].Name >= a[i].Name {
			t.Fatalf("%s stands before %s", a[i-1].Name, a[i].Name)
		}
	}
}
