package predict

// baseBits is how many bits of a base's number travel: it is one of the last 1,024.
const baseBits = 10

// past is what an authority knows of the moves that it has run or refused: what the
// first move of a packet may be coded against. The slots of the queue hold them until
// moves 1,024 newer take their place.
type past[C any] struct {
	last  uint32      // newest move that was run or refused; 0 before the first
	moves []queued[C] // by number
}

// find returns the move, not newer than the newest, whose number ends in these bits, as it was
// received; nil where it is not known any more, or never was.
func (b *past[C]) find(low uint32) *Command[C] {
	n := b.last - (b.last-low)&(1<<baseBits-1)
	c := &b.moves[n%uint32(len(b.moves))].Command
	if c.Number != n || c.Duration == 0 {
		return nil
	}
	return c
}
