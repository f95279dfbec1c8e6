package record

import (
	"encoding/binary"
	"errors"
	"math"
)

// Errors inside a chunk with a valid checksum: of another version, or forged.
var (
	errShort = errors.New("record: a record is longer than its chunk")
	errValue = errors.New("record: a value is out of range")
	errOp    = errors.New("record: a record of an unknown kind")
)

// appendFloat appends x as float32, little-endian.
func appendFloat(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x)))
}

// appendBytes appends the length of b and b.
func appendBytes(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}

// source reads records from a chunk. Its first error is kept, and every read after it is zero.
type source struct {
	b   []byte
	err error
}

func (s *source) more() bool { return s.err == nil && len(s.b) > 0 }

func (s *source) fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.b = nil
}

func (s *source) byte() byte {
	if len(s.b) == 0 {
		s.fail(errShort)
		return 0
	}
	x := s.b[0]
	s.b = s.b[1:]
	return x
}

// uvarint reads a number of at most max.
func (s *source) uvarint(max uint64) uint64 {
	x, n := binary.Uvarint(s.b)
	if n <= 0 {
		s.fail(errShort)
		return 0
	}
	if s.b = s.b[n:]; x > max {
		s.fail(errValue)
		return 0
	}
	return x
}

func (s *source) varint() int64 {
	x, n := binary.Varint(s.b)
	if n <= 0 {
		s.fail(errShort)
		return 0
	}
	s.b = s.b[n:]
	return x
}

// take reads n bytes, in the chunk's storage.
func (s *source) take(n int) []byte {
	if n > len(s.b) {
		s.fail(errShort)
		return nil
	}
	b := s.b[:n:n]
	s.b = s.b[n:]
	return b
}

// bytes reads a length and as many bytes, at most max.
func (s *source) bytes(max uint64) []byte { return s.take(int(s.uvarint(max))) }

func (s *source) float() float64 {
	b := s.take(4)
	if b == nil {
		return 0
	}
	x := float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		s.fail(errValue)
		return 0
	}
	return x
}
