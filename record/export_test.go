package record

import (
	"io"

	"github.com/backstep-net/backstep/clock"
)

// Sizes that tests forge.
const (
	ChunkHeader = chunkHeader
	MaxBacklog  = maxBacklog
)

// Forge writes a file like f with inputs changed by a function, and without outputs.
func Forge(to io.WriteCloser, f *File, change func(n int, in *Input)) error {
	w, err := New(to, f.head, f.packed)
	if err != nil {
		return err
	}
	n := 0
	for in, err := range f.Inputs() {
		if err != nil {
			return err
		}
		c := *in
		c.Bytes = append([]byte(nil), in.Bytes...)
		change(n, &c)
		n++
		if w.input(&c); c.Kind == Ticked {
			w.tick = uint32(c.At * clock.Micros(f.head.TickRate) / clock.Second)
			w.in.note(max(w.tick, 1))
		}
	}
	return w.Close()
}

// Chunk appends a chunk with any raw length to dst.
func Chunk(dst []byte, k uint8, raw uint32, first, last uint32, packed []byte) []byte {
	c := chunk{kind: kind(k), raw: raw, first: first, last: last}
	return c.append(dst, packed)
}

var testPacker = newPacker()

// Packed compresses as a file does.
func Packed(b []byte) []byte {
	return testPacker.EncodeAll(b, nil)
}

// Begun returns the beginning of a file: magic, head and world.
func Begun(head, world []byte) []byte {
	b := Chunk([]byte(magic), 1, uint32(len(head)), 0, 0, Packed(head))
	return Chunk(b, 2, uint32(len(world)), 0, 0, Packed(world))
}

// Chunks returns the offsets of the chunks.
func (f *File) Chunks() (at []int64) {
	for i := range f.chunks {
		at = append(at, f.chunks[i].offset)
	}
	return at
}

// Reread returns a shot as it is read again, and the error if it is truncated by so many bytes.
func Reread(h Shot, less int) (Shot, error) {
	b := h.append(nil)[1:]
	s := source{b: b[:max(len(b)-less, 0)]}
	var again Shot
	again.read(&s)
	return again, s.err
}
