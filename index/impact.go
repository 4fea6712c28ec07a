package index

// The ranking is BM25 with k1 = 6/5 and b = 3/4 over weighted words, in
// integers: floating point differs between processors (some multiply and add in
// one step), and an index must be the same wherever it is made.

const (
	mostImpact = 240       // of the rarest word in a text of nothing else
	mostWeight = 1<<12 - 1 // of one term in one text
	mostLength = 1<<16 - 1 // of one text
)

// log2 is the logarithm of a/b in 1/65536, rounded down; a is not below b.
func log2(a, b uint64) int64 {
	var n int64
	for a >= 2*b {
		b *= 2
		n++
	}
	m := a << 31 / b // 1 ≤ m < 2, in 1/2³¹
	for range 16 {
		m = m * m >> 31
		n <<= 1
		if m >= 1<<32 {
			m >>= 1
			n |= 1
		}
	}
	return n
}

// statistics are those of one field of a whole catalogue.
type statistics struct {
	docs int64 // N
	mean int64 // m, of the lengths
	top  int64 // idf of a term in one document
}

// newStatistics is of docs documents, whose lengths have a sum.
func newStatistics(docs int, sum int64) statistics {
	n := int64(docs)
	return statistics{docs: n, mean: max(1, (2*sum+n)/max(1, 2*n)), top: log2(uint64(2*n+2), 3)}
}

// idf of a term in df documents.
func (s statistics) idf(df int) int64 { return log2(uint64(2*s.docs+2), uint64(2*df+1)) }

// impact of a term with a weight and an idf in a document with a length.
func (s statistics) impact(weight, length, idf int64) int64 {
	mean := min(s.mean, mostLength)
	fraction := 5 * mean * min(weight, mostWeight)
	whole := fraction + 12*(mean+3*min(length, mostLength))
	// idf/top and fraction/whole are at most 1.
	return max(1, (mostImpact*(idf*65536/max(1, s.top))*(fraction*65536/whole)+1<<31)>>32)
}
