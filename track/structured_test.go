package track

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/fuzz/structured"
)

// decoders are the messages of this package. Samples are read against the same few references: what
// they refer to is no part of the input.
func decoders() []structured.Decoder {
	r := rand.New(rand.NewPCG(8, 0))
	ref := Quantise(anyThing(r))
	next := Quantise(soon(ref, r))
	next.At = clock.Second
	var near, alone, keys []Sample
	for range 20 {
		near, alone = append(near, Quantise(soon(ref, r))), append(alone, Quantise(anyThing(r)))
		key := Quantise(soon(next, r))
		key.At = next.At - clock.Micros(1+r.IntN(20))*StampGrid
		keys = append(keys, key)
	}
	fine := func(s *Sample) error {
		if Quantise(*s) != *s || !s.Position.Finite() || !s.Velocity.Finite() {
			return fmt.Errorf("quantised %+v is %+v", *s, Quantise(*s))
		}
		return nil
	}
	return []structured.Decoder{
		structured.Packed("track.Sample.delta", "", func(s *Sample, p *bits.Packer) { s.PackDelta(p, 1e6, &ref, 9e5) }, nil, fine, near...),
		structured.Packed("track.Sample.alone", "FuzzSample", func(s *Sample, p *bits.Packer) { s.PackDelta(p, 1e6, nil, 9e5) }, nil, fine, alone...),
		structured.Packed("track.Sample.keyframe", "FuzzKeyframe", func(s *Sample, p *bits.Packer) { s.PackKeyframe(p, &next) }, nil, fine, keys...),
		structured.Packed("track.Received", "FuzzReceived", (*Received).Pack, nil, nil, Received{}, Received{Newest: 900, Mask: 1<<40 - 7}, Received{Newest: 5, Mask: 5}),
	}
}

// Inputs that know the format find no sample that panics, is accepted in two forms, is not a number or
// allocates. [THR-13, THR-14, THR-15]
func TestStructuredInputs(t *testing.T) { structured.Run(t, decoders()...) }

// FuzzSample: a sample without a reference. [THR-13]
func FuzzSample(f *testing.F) { structured.Fuzz(f, decoders()[1]) }

// FuzzKeyframe: a keyframe before a sample. [THR-13]
func FuzzKeyframe(f *testing.F) { structured.Fuzz(f, decoders()[2]) }

// FuzzReceived: which snapshots have come. [THR-13]
func FuzzReceived(f *testing.F) { structured.Fuzz(f, decoders()[3]) }
