package pump

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/backstep-net/backstep/transport"
)

// maxPrefix is the most bytes of a length prefix: 64 KiB needs 17 bits.
const maxPrefix = 3

// ErrPrefix means that a length prefix is not the canonical encoding of a number up to
// transport.MaxMessage. Nothing after it can be read.
var ErrPrefix = errors.New("transport: bad message length")

// AppendFrame appends msg in the framing of a byte stream: its length as an unsigned LEB128
// number (encoding/binary's uvarint), then its bytes.
func AppendFrame(dst, msg []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(msg)))
	return append(dst, msg...)
}

// Source is what ReadMessage reads from, for example a bufio.Reader.
type Source interface {
	io.Reader
	io.ByteReader
}

// ReadMessage reads one framed message. It checks the length before it allocates. The error
// is io.EOF between two messages, io.ErrUnexpectedEOF within one, an error that matches
// [ErrPrefix], or the source's.
func ReadMessage(r Source) ([]byte, error) {
	n, err := readPrefix(r)
	if err != nil {
		return nil, err
	}
	msg := make([]byte, n)
	if _, err := io.ReadFull(r, msg); err != nil {
		return nil, unexpectedEOF(err)
	}
	return msg, nil
}

// readPrefix reads a message's length: at most three bytes, at most transport.MaxMessage,
// in the shortest encoding, so that each message has exactly one encoding.
func readPrefix(r Source) (int, error) {
	n := 0
	for i := range maxPrefix {
		b, err := r.ReadByte()
		if err != nil {
			if i == 0 {
				return 0, err
			}
			return 0, unexpectedEOF(err)
		}
		n |= int(b&0x7f) << (7 * i)
		if b >= 0x80 {
			continue
		}
		if b == 0 && i > 0 {
			return 0, fmt.Errorf("%w: %d in more bytes than it needs", ErrPrefix, n)
		}
		if n > transport.MaxMessage {
			return 0, fmt.Errorf("%w: %d bytes, the limit is %d", ErrPrefix, n, transport.MaxMessage)
		}
		return n, nil
	}
	return 0, fmt.Errorf("%w: more than %d bytes of prefix", ErrPrefix, maxPrefix)
}

// unexpectedEOF turns io.EOF into io.ErrUnexpectedEOF.
func unexpectedEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// FrameLength reads the prefix of the framed message at the start of b: the message's length and the prefix's. The
// prefix is 0 where b ends within it. The error matches [ErrPrefix].
func FrameLength(b []byte) (length, prefix int, err error) {
	r := bytes.NewReader(b[:min(len(b), maxPrefix)])
	length, err = readPrefix(r)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return 0, 0, nil
	}
	return length, int(r.Size()) - r.Len(), err
}
