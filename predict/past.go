package predict

// How a base is named.
const (
	baseBits = 10  // of its number travel
	baseAge  = 512 // moves: an older one is refused, lest it be taken for another
)

// past is what an authority knows of the moves that it has run or refused: what the
// first move of a packet may be coded against. The slots of the queue hold them until
// moves 1,024 newer take their place; they count as forgotten sooner.
type past[C any] struct {
	last  uint32      // newest move that was run or refused; 0 before the first
	moves []queued[C] // by number
}

// find returns the move, not newer than the newest, whose number ends in these bits, as
// it was received; nil where it is not known any more, or never was.
func (b *past[C]) find(low uint32) *Command[C] {
	age := (b.last - low) & (1<<baseBits - 1)
	n := b.last - age
	c := &b.moves[n%uint32(len(b.moves))].Command
	if age >= baseAge || c.Number != n || c.Duration == 0 {
		return nil
	}
	return c
}
