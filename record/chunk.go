package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

// FormatVersion is the version of the format of recordings: files of another one are refused.
const FormatVersion = 3

// magic begins a file, trailer ends one that was closed. The last byte is FormatVersion.
const (
	magic   = "BSTPREC" + string(rune(FormatVersion))
	trailer = "BSTPEND" + string(rune(FormatVersion))
)

// Sizes of the parts of a file, in bytes.
const (
	chunkHeader = 24
	trailerSize = 16 // the index's offset and trailer
	// maxChunk bounds a chunk of inputs, of outputs or the head; maxWorld the level.
	// Both are uncompressed sizes: larger chunks are not written, and refused before they are
	// unpacked.
	maxChunk = 8 << 20
	maxWorld = 64 << 20
)

// kind is the content of a chunk.
type kind uint8

const (
	headChunk  kind = 1 + iota // Head as JSON, once, first
	worldChunk                 // the packed world, once, second
	inputChunk
	outputChunk
	indexChunk // once, last, in a file that was closed
	kinds
)

func (k kind) String() string {
	names := [...]string{"", "head", "world", "inputs", "outputs", "index"}
	if int(k) < len(names) {
		return names[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// maxSize returns the largest uncompressed size of a chunk of the kind, in bytes.
func (k kind) maxSize() uint32 {
	if k == worldChunk {
		return maxWorld
	}
	return maxChunk
}

// chunk is the header of a chunk: 24 bytes, little-endian, in the order of the fields, with three
// bytes of zeros after the kind.
type chunk struct {
	offset      int64 // of the header in the file; not in the header
	length      uint32
	raw         uint32
	kind        kind
	first, last uint32 // ticks; 0 for none
	sum         uint32
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// append appends the header; its checksum covers the header before it and the payload.
func (c *chunk) append(dst, payload []byte) []byte {
	from := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, c.raw)
	dst = append(dst, byte(c.kind), 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, c.first)
	dst = binary.LittleEndian.AppendUint32(dst, c.last)
	sum := crc32.Update(crc32.Checksum(dst[from:], castagnoli), castagnoli, payload)
	dst = binary.LittleEndian.AppendUint32(dst, sum)
	return append(dst, payload...)
}

// Damages of a chunk.
var (
	errTorn   = errors.New("record: the file ends within a chunk")
	errHeader = errors.New("record: not the header of a chunk")
	errSum    = errors.New("record: wrong checksum")
	errSize   = errors.New("record: the unpacked size differs from the header")
)

// parse parses a header of chunkHeader bytes.
func (c *chunk) parse(b []byte) error {
	c.length = binary.LittleEndian.Uint32(b)
	c.raw = binary.LittleEndian.Uint32(b[4:])
	c.kind = kind(b[8])
	c.first = binary.LittleEndian.Uint32(b[12:])
	c.last = binary.LittleEndian.Uint32(b[16:])
	c.sum = binary.LittleEndian.Uint32(b[20:])
	switch {
	case c.kind < headChunk || c.kind >= kinds || b[9]|b[10]|b[11] != 0 || c.first > c.last:
		return errHeader
	case c.raw > c.kind.maxSize() || c.length > c.kind.maxSize()+1024: // incompressible data grows by less
		return fmt.Errorf("record: a chunk of %d bytes, %d unpacked, is too large", c.length, c.raw)
	}
	return nil
}

// whole reports whether header and payload have the checksum.
func (c *chunk) whole(header, payload []byte) bool {
	return crc32.Update(crc32.Checksum(header[:chunkHeader-4], castagnoli), castagnoli, payload) == c.sum
}

// packer compresses chunks, unpacker decompresses them; each serves one goroutine.
type (
	packer   struct{ *zstd.Encoder }
	unpacker struct{ *zstd.Decoder }
)

// newPacker returns a packer without zstd's own checksum, since a chunk has one that covers its
// header too.
func newPacker() packer {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithZeroFrames(true))
	if err != nil {
		panic(err) // the options are wrong
	}
	return packer{e}
}

// newUnpacker returns an unpacker that unpacks no more than the slice that it is given has room for:
// a few bytes of a hostile file could otherwise fill the memory. [THR-17]
func newUnpacker() unpacker {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(maxWorld+1024))
	if err != nil {
		panic(err) // the options are wrong
	}
	return unpacker{d}
}

// unpack returns the uncompressed payload, in into's storage where that is large enough. A payload
// that is longer than the header says is refused before it is unpacked.
func (u unpacker) unpack(c *chunk, payload, into []byte) ([]byte, error) {
	if uint32(cap(into)) < c.raw {
		into = make([]byte, 0, c.raw)
	}
	b, err := u.DecodeAll(payload, into[:0:c.raw])
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) || err == nil && uint32(len(b)) != c.raw {
		err = errSize
	}
	return b, err
}
