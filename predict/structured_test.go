package predict

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// movesDecoder reads the moves of a datagram as an authority does that has run three.
func movesDecoder() structured.Decoder {
	o, a := heard()
	d := structured.Decoder{Name: "predict.Authority", Target: "FuzzReceive"}
	for i := range clock.Micros(20) {
		o.Advance(950000+i*20000, 16667+i%3*40*i, toyInput{X: int(i % 2), Fire: i == 3})
		d.Seeds = append(d.Seeds, sealed(o, 1000))
	}
	const now = clock.Second
	out, past := make([]byte, 1<<14), pastOf(a)
	var m packet[toyState, toyInput]
	var p bits.Packer
	var rules Rules[toyState, toyInput] = toy{}
	d.Read = func(p *bits.Packer) { m.pack(p, rules, now, past) }
	d.Decode = func(b []byte) (bool, error) {
		p.Read(b)
		if m.pack(&p, rules, now, past); m.missingBaseline {
			return false, nil
		}
		if p.End(); p.Err() != nil {
			return false, nil
		}
		for i := range m.count {
			c := &m.moves[i]
			if c.Duration < TimeQuantum || c.Duration > MaxDuration || c.Duration%TimeQuantum != 0 || c.Stamp%TimeQuantum != 0 {
				return true, fmt.Errorf("move %d: %+v", i, *c)
			}
		}
		p.Write(out)
		if m.pack(&p, rules, now, past); p.Err() != nil || !bytes.Equal(p.Bytes(), b) {
			return true, errors.New("written again it is other bytes")
		}
		return true, nil
	}
	return d
}

// verdictDecoder reads a verdict on moves.
func verdictDecoder() structured.Decoder {
	var rules Rules[toyState, toyInput] = toy{}
	pack := func(v *toyVerdict, p *bits.Packer) { PackVerdict(p, rules, v) }
	fine := func(v *toyVerdict) error {
		if !v.State.Pos.Finite() || !v.State.Vel.Finite() || v.Cause > Throttle {
			return fmt.Errorf("out of range: %+v", *v)
		}
		return nil
	}
	return structured.Packed("predict.Verdict", "FuzzVerdict", pack, nil, fine, toyVerdict{Number: 7},
		toyVerdict{Number: 7, Correction: true, Cause: Teleport, Epoch: 3, State: toyState{Pos: geom.V(1, 2, 3), Ammo: 7}})
}

// Inputs that know the format find no moves and no verdict that panic, are accepted in two forms, are
// out of range or allocate. [THR-13, THR-14, THR-15]
func TestStructuredInputs(t *testing.T) { structured.Run(t, movesDecoder(), verdictDecoder()) }

// FuzzVerdict: any bytes are a verdict or an error. [THR-13]
func FuzzVerdict(f *testing.F) { structured.Fuzz(f, verdictDecoder()) }
