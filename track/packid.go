package track

import "github.com/backstep-net/backstep/bits"

// idBits is how many bits an ID takes in most matches; largeID in their place says that the rest
// follows.
const (
	idBits  = 10
	largeID = 1<<idBits - 1
)

// IDBits returns how many bits PackID takes for an ID, at most.
func IDBits(id ID) int {
	if id < largeID {
		return idBits
	}
	return idBits + 11
}

// PackID packs an ID of least … MaxID, in 10 bits if it is below 1023. Only matches with that many
// seats and entities have larger ones.
func PackID(p *bits.Packer, id *ID, least ID) {
	n := int(*id) - int(least)
	low := min(n, largeID)
	p.Ranged(&low, 0, largeID)
	if low == largeID {
		rest := n - largeID
		p.Ranged(&rest, 0, int(MaxID)-largeID-int(least))
		low += rest
	}
	*id = ID(low) + least
}
