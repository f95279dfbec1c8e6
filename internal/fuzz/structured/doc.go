// Package structured fuzzes decoders with inputs that know the format: valid messages, changed at
// the boundaries of their fields. It makes millions of them a second, where coverage-guided
// fuzzing makes thousands. Start at [Decoder] and [Run].
//
// A package describes its decoders once, in its tests. [Fuzz] makes a native fuzz target of a
// description, and [Run] the structured run, which is short in go test; internal/fuzz runs all of
// them for as many inputs as it is asked to. Inputs that were accepted become seeds of their own,
// so a run that begins with an empty message reaches the deep fields by itself. Everything follows
// from the seed: the same seed gives the same inputs.
package structured

import "github.com/backstep-net/backstep/bits"

// Decoder describes one decoder: how to call it, and what must hold of every input.
type Decoder struct {
	// Name is what the report calls it.
	Name string
	// Target is the package's fuzz target, whose corpus keeps an input that failed.
	Target string
	// Rest is what the target takes after the bytes, as lines of a corpus file, "" for nothing.
	Rest string
	// Seeds are valid messages.
	Seeds [][]byte
	// Read reads a message: it finds where the fields begin. Nil: any bit may begin a field.
	Read func(p *bits.Packer)
	// Decode decodes an input: whether it was accepted, and which property of the decoder it breaks.
	// A message that is accepted has to be written again as the same bytes.
	Decode func(b []byte) (accepted bool, broken error)
	// MaxBytes and PerByte bound what one input may allocate: MaxBytes + PerByte × its length, in
	// bytes. Zero of both: nothing at all.
	MaxBytes, PerByte int
	// Slow divides the number of inputs, for a decoder of whole files. Zero means 1.
	Slow int
	// Unmeasured: neither time nor memory of an input is measured: of a whole match, not a message.
	Unmeasured bool
}
