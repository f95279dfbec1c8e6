package pump

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/backstep-net/backstep/transport"
)

func TestFramesAreGolden(t *testing.T) {
	long := bytes.Repeat([]byte{7}, 300)
	got := AppendFrame(AppendFrame(AppendFrame(nil, nil), []byte("hi")), long)
	want := append([]byte{0, 2, 'h', 'i', 0xac, 0x02}, long...)
	if !bytes.Equal(got, want) {
		t.Errorf("got % x…, want % x…", got[:8], want[:8])
	}
}

func TestBadPrefixesAreRefusedBeforeAnyMemoryIsTaken(t *testing.T) { // THR-14
	for _, c := range []struct {
		name string
		in   []byte
		want error
	}{
		{"nothing", nil, io.EOF},
		{"half a prefix", []byte{0x80}, io.ErrUnexpectedEOF},
		{"half a message", []byte{5, 'a'}, io.ErrUnexpectedEOF},
		{"no message at all", []byte{5}, io.ErrUnexpectedEOF},
		{"one byte too long", binary.AppendUvarint(nil, transport.MaxMessage+1), ErrPrefix},
		{"2 MiB", []byte{0xff, 0xff, 0x7f}, ErrPrefix},
		{"four bytes of prefix", []byte{0x80, 0x80, 0x80, 0x01}, ErrPrefix},
		{"a prefix without end", bytes.Repeat([]byte{0xff}, 100), ErrPrefix},
		{"two in two bytes", []byte{0x82, 0x00, 'h', 'i'}, ErrPrefix},
		{"nothing in three bytes", []byte{0x80, 0x80, 0x00}, ErrPrefix},
	} {
		if _, err := ReadMessage(bytes.NewReader(c.in)); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// Whatever comes in, each message read is within bounds, and framed again
// gives the very bytes that were read.
func FuzzReadMessage(f *testing.F) { // THR-13
	f.Add([]byte{0, 2, 'h', 'i'}, 3)
	f.Add([]byte{0xac, 0x02, 1, 2, 3}, 1)
	f.Add([]byte{0x80, 0x80, 0x04}, 1)
	f.Add([]byte{0x80, 0x00}, 2)
	f.Fuzz(func(t *testing.T, in []byte, chunk int) {
		r := bufio.NewReaderSize(&slow{in, chunk}, 16)
		var again []byte
		for {
			msg, err := ReadMessage(r)
			if err == io.EOF {
				break
			}
			if err != nil {
				if !errors.Is(err, ErrPrefix) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Fatalf("error %v", err)
				}
				break
			}
			if len(msg) > transport.MaxMessage {
				t.Fatalf("a message of %d bytes", len(msg))
			}
			again = AppendFrame(again, msg)
		}
		if !bytes.HasPrefix(in, again) {
			t.Fatalf("read % x, framed again % x", in, again)
		}
	})
}

// slow gives a few bytes at a time.
type slow struct {
	left  []byte
	chunk int
}

func (s *slow) Read(p []byte) (int, error) {
	if len(s.left) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.left[:min(len(s.left), max(1, s.chunk%64))])
	s.left = s.left[n:]
	return n, nil
}
