package pump

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/backstep-net/backstep/internal/fuzz/structured"
	"github.com/backstep-net/backstep/transport"
)

// Inputs that know the format find no stream whose messages panic, are longer than a message may be, or take
// more memory than the longest. [THR-13, THR-14]
func TestStructuredInputs(t *testing.T) {
	from := bytes.NewReader(nil)
	r := bufio.NewReaderSize(from, 64)
	structured.Run(t, structured.Decoder{
		Name: "transport.ReadMessage", MaxBytes: 2 * transport.MaxMessage, PerByte: 64,
		Seeds: [][]byte{AppendFrame(AppendFrame(nil, []byte("hi")), bytes.Repeat([]byte{7}, 200)), AppendFrame(nil, nil), {0x80, 0x80, 0x04}},
		Decode: func(b []byte) (bool, error) {
			from.Reset(b)
			r.Reset(from)
			var again []byte
			for {
				msg, err := ReadMessage(r)
				if err != nil {
					if !bytes.HasPrefix(b, again) {
						return true, fmt.Errorf("framed again it is %x", again)
					}
					return err == io.EOF, nil
				}
				if len(msg) > transport.MaxMessage {
					return true, fmt.Errorf("a message of %d bytes", len(msg))
				}
				again = AppendFrame(again, msg)
			}
		},
	})
}
