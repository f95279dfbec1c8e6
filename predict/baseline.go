package predict

// How a packet names the baseline of its first move.
const (
	baselineBits = 10  // low bits of its number that travel
	baselineAge  = 512 // moves: an older baseline is refused, since its bits could name another move
)

// baselineTable finds moves that the authority has run or refused, against which the first move of
// a packet may be coded. The slots of its queue hold a move until one that is 1,024 newer
// replaces it; it counts as forgotten after 512.
type baselineTable[C any] struct {
	last  uint32      // newest move that was run or refused; 0 before the first
	moves []queued[C] // by number
}

// find returns the newest move with these low bits of its number that was run or refused, as it
// was received, or nil if it is forgotten or never arrived.
func (b *baselineTable[C]) find(low uint32) *Command[C] {
	age := (b.last - low) & (1<<baselineBits - 1)
	n := b.last - age
	c := &b.moves[n%uint32(len(b.moves))].Command
	if age >= baselineAge || c.Number != n || c.Duration == 0 {
		return nil
	}
	return c
}
