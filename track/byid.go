package track

// ByID has a T for each ID, zero until it is set. It is as long as the largest ID that was set, so a
// match with small IDs takes little memory.
type ByID[T any] []T

// At returns an ID's T, to set or change it. The pointer is valid until the next At.
func (l *ByID[T]) At(id ID) *T {
	if int(id) >= len(*l) {
		l.grow(id)
	}
	return &(*l)[id]
}

func (l *ByID[T]) grow(id ID) { *l = append(*l, make([]T, int(id)+1-len(*l))...) }

// Get returns an ID's T.
func (l ByID[T]) Get(id ID) (v T) {
	if int(id) < len(l) {
		v = l[id]
	}
	return v
}
