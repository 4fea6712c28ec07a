package indextest

import (
	"math"
	"slices"
	"time"
)

// Measures are means over the requests of a set, from 0 to 1, and times of one
// search.
type Measures struct {
	NDCG     float64 // at 10, binary relevance
	Recall1  float64 // share of what is right that the first hit, … are
	Recall5  float64
	Recall10 float64
	MRR      float64 // one through the rank of the first right hit among the first 10
	P50, P99 time.Duration
	Refused  int // requests that could not be asked at all
}

// Search returns the ids of tools that an engine finds, best first; ok is false
// where it refuses the text.
type Search func(text string) (ids []string, ok bool)

// Measure asks everything once. Without a clock no times are taken.
func Measure(s *Set, search Search, now func() time.Time) Measures {
	if now == nil {
		now = func() time.Time { return time.Time{} }
	}
	var m Measures
	times := make([]time.Duration, 0, len(s.Requests))
	for _, r := range s.Requests {
		began := now()
		ids, ok := search(r.Text)
		times = append(times, now().Sub(began))
		if !ok {
			m.Refused++
		}
		m.add(ids, r.Relevant)
	}
	n := float64(max(1, len(s.Requests)))
	for _, v := range []*float64{&m.NDCG, &m.Recall1, &m.Recall5, &m.Recall10, &m.MRR} {
		*v /= n
	}
	slices.Sort(times)
	if len(times) > 0 {
		m.P50, m.P99 = times[len(times)/2], times[len(times)*99/100]
	}
	return m
}

// add counts one request.
func (m *Measures) add(ids, relevant []string) {
	ids = ids[:min(10, len(ids))]
	var gain, ideal, first float64
	for i := range min(10, len(relevant)) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	for i, id := range ids {
		if !slices.Contains(relevant, id) || slices.Contains(ids[:i], id) {
			continue
		}
		gain += 1 / math.Log2(float64(i+2))
		if first == 0 {
			first = 1 / float64(i+1)
		}
		for _, at := range []struct {
			k int
			v *float64
		}{{1, &m.Recall1}, {5, &m.Recall5}, {10, &m.Recall10}} {
			if i < at.k {
				*at.v += 1 / float64(len(relevant))
			}
		}
	}
	m.NDCG += gain / ideal
	m.MRR += first
}
