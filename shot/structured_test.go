package shot

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/track"
)

// decoders are the messages of this package.
func decoders() []structured.Decoder {
	r := rand.New(rand.NewPCG(1, 0))
	var receipts []Receipt
	for range 16 {
		receipts = append(receipts, anyReceipt(r))
	}
	claim := Claim{Fire: true, Yaw: 1, View: track.View{At: clock.Second, Seen: track.Received{Newest: 100, Mask: 7},
		Mode: track.DrawExponential, ArrivedTicks: 1<<2 | 1<<9, ArrivedAt: track.ArrivalTimes{2, 16}}}
	return []structured.Decoder{
		structured.Packed("shot.Claim", "FuzzClaim", (*Claim).Pack, nil, func(c *Claim) error {
			if !c.Aim().Finite() || c.View.At < 0 || !c.View.Mode.Valid() || c.Weapon >= MaxWeapons || c.Quantise() != *c {
				return fmt.Errorf("out of range: %+v", *c)
			}
			return nil
		}, Claim{}, Claim{Fire: true}, claim),
		structured.Packed("shot.Receipt", "FuzzReceipt", (*Receipt).Pack, nil, func(c *Receipt) error {
			if !c.Outcome.Point.Finite() || c.Verdict > Launched || c.EventCount > MaxDamageEvents || c.Quantise() != *c {
				return fmt.Errorf("out of range: %+v", *c)
			}
			return nil
		}, receipts...),
		structured.Packed("shot.Ammo", "FuzzAmmo", (*Ammo).Pack, nil, nil, Ammo{12, -500, 3}),
		structured.Packed("shot.Loadout", "FuzzArms", (*Loadout).Pack, nil, nil, rack().Loadout()),
		structured.Packed("shot.Trigger", "FuzzTrigger", (*Trigger).Pack, nil, nil, Trigger{}, Trigger{Claim: claim, Select: 2}),
		table(),
	}
}

// table is the table of weapons, which the welcome carries: reading it allocates its rows.
func table() structured.Decoder {
	return structured.Decoder{
		Name: "shot.Table", Target: "FuzzTable", MaxBytes: 64 << 10, PerByte: 64,
		Seeds: [][]byte{Table{Rifle(), everything()}.Append(nil)},
		Decode: func(b []byte) (bool, error) {
			t, err := ReadTable(b)
			if err == nil && !bytes.Equal(t.Append(nil), b) {
				return true, fmt.Errorf("wrote %x", t.Append(nil))
			}
			return err == nil, nil
		},
	}
}

// What knows the format finds no input of a shot's messages that panics, is accepted in two forms or
// allocates. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) { structured.Run(t, decoders()...) }

// FuzzTrigger: the same for what a command carries of weapons. [THR-13]
func FuzzTrigger(f *testing.F) {
	structured.Fuzz(f, structured.Packed("shot.Trigger", "FuzzTrigger", func(t *Trigger, p *bits.Packer) { t.Pack(p) }, nil, nil, Trigger{Select: 2}))
}
