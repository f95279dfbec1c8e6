package replicate

import (
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// Inputs that know the format find no part of a snapshot that panics or makes an inbox hold more than
// a snapshot may have. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	have, seen, at, packets := played()
	for _, parts := range snapshots(12, 2, 150, Rules{}) {
		packets = append(packets, parts...)
	}
	var in Inbox
	var p bits.Packer
	structured.Run(t, structured.Decoder{
		Name: "replicate.Inbox", Target: "FuzzInbox", Seeds: packets,
		Read: func(p *bits.Packer) { in.Read(p, at, 1_700_000, seen, have) },
		Decode: func(b []byte) (bool, error) {
			p.Read(b)
			in.Read(&p, at, 1_700_000, seen, have)
			return p.Err() == nil, nil
		},
	})
}
