package taint

// set holds 64-bit hashes, each with the latest document that had it. A slot
// keeps 32 bits of a hash beside those that its place stands for, so that a
// wrong yes has a chance of about one in a thousand million. It has a fixed
// size, because what is kept of a hash is not enough to find a new place.
type set struct {
	tags []uint32 // 0 is an empty slot
	docs []uint16 // beside tags
	n    int
}

// newSet returns a set with room for n hashes.
func newSet(n int) *set {
	size := 1 << 8
	for size*4 < n*5 {
		size *= 2
	}
	return &set{tags: make([]uint32, size), docs: make([]uint16, size)}
}

// room tells whether n more hashes leave enough empty slots to stop at.
func (s *set) room(n int) bool { return (s.n+n)*5 <= len(s.tags)*4 }

// slot is where a hash is, or would be.
func (s *set) slot(h uint64) (at int, tag uint32) {
	mask := uint64(len(s.tags) - 1)
	tag = max(uint32(h>>32), 1)
	i := h & mask
	for s.tags[i] != 0 && s.tags[i] != tag {
		i = (i + 1) & mask
	}
	return int(i), tag
}

func (s *set) add(h uint64, doc uint16) {
	at, tag := s.slot(h)
	if s.tags[at] == 0 {
		s.n++
		s.tags[at] = tag
	}
	s.docs[at] = doc
}

func (s *set) find(h uint64) (doc uint16, ok bool) {
	at, _ := s.slot(h)
	return s.docs[at], s.tags[at] != 0
}
