package track

import "math/bits"

// idWords is the number of words with a bit for each ID.
const idWords = (int(MaxID) + 64) / 64

// nearWords is how many words of an idSet are part of it: a bit for each ID of most matches.
const nearWords = 4

// idSet is a set of IDs. It takes 64 bytes, and more only if it has large IDs: histories hold
// thousands of sets.
type idSet struct {
	words int // in use
	near  [nearWords]uint64
	far   []uint64 // the words after near
}

// has reports whether an ID is in the set.
func (s *idSet) has(id ID) bool {
	k := int(id / 64)
	return k < s.words && s.word(k)>>(id%64)&1 != 0
}

// word returns one of the words in use.
func (s *idSet) word(k int) uint64 {
	if k < nearWords {
		return s.near[k]
	}
	return s.far[k-nearWords]
}

// add adds an ID to the set.
func (s *idSet) add(id ID) {
	k := int(id / 64)
	s.words = max(s.words, k+1)
	if k < nearWords {
		s.near[k] |= 1 << (id % 64)
		return
	}
	for len(s.far) <= k-nearWords {
		s.far = append(s.far, 0)
	}
	s.far[k-nearWords] |= 1 << (id % 64)
}

// clear makes the set empty.
func (s *idSet) clear() { *s = idSet{far: s.far[:0]} }

// append appends the IDs of the set in ascending order.
func (s *idSet) append(into []ID) []ID {
	for k := range s.words {
		for word := s.word(k); word != 0; word &= word - 1 {
			into = append(into, ID(k*64+bits.TrailingZeros64(word)))
		}
	}
	return into
}
