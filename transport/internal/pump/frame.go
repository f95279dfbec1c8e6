package pump

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/backstep-net/backstep/transport"
)

// maxPrefix is the most bytes a length prefix takes: 64 KiB needs 17 bits.
const maxPrefix = 3

// ErrPrefix means that a length prefix is not a canonical number up to
// transport.MaxMessage. The stream cannot be read any further.
var ErrPrefix = errors.New("transport: bad message length")

// AppendFrame appends msg as it stands on a byte stream: its length as an
// unsigned LEB128 number (encoding/binary's uvarint), then its bytes.
func AppendFrame(dst, msg []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(msg)))
	return append(dst, msg...)
}

// Source is what messages are read from; bufio.Reader is one.
type Source interface {
	io.Reader
	io.ByteReader
}

// ReadMessage reads one framed message. The length is checked before any
// memory is taken for it. The error is io.EOF when the stream ends between
// two messages, io.ErrUnexpectedEOF inside one, one that matches [ErrPrefix],
// or the source's own.
func ReadMessage(r Source) ([]byte, error) {
	n, err := readPrefix(r)
	if err != nil {
		return nil, err
	}
	msg := make([]byte, n)
	if _, err := io.ReadFull(r, msg); err != nil {
		return nil, inside(err)
	}
	return msg, nil
}

// readPrefix reads a message's length: at most three bytes, at most
// transport.MaxMessage, and in the shortest form, so that a message has one
// encoding only.
func readPrefix(r Source) (int, error) {
	n := 0
	for i := range maxPrefix {
		b, err := r.ReadByte()
		if err != nil {
			if i == 0 {
				return 0, err
			}
			return 0, inside(err)
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

// inside turns a plain end of file into an unexpected one.
func inside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
