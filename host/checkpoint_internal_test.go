package host

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
)

// pile is a match whose checkpoint is as large as the test says.
type pile struct{ state []byte }

func (p *pile) Checkpoint(b *bits.Packer) { b.Blob(&p.state, 2*maxCheckpoint) }
func (*pile) Now() clock.Micros           { return 0 }

// A match grows, as one with many entities does, beyond the buffer of its checkpoints: they are whole. One that has grown
// beyond what a server reads is named in the log, keeps the checkpoint before, and is written again once it is smaller.
// [THR-64, THR-66]
func TestTheCheckpointOfAMatchThatGrows(t *testing.T) {
	var log bytes.Buffer
	m := &pile{}
	k := &checkpoints{match: m, log: slog.New(slog.NewTextHandler(&log, nil))}
	file := make([]byte, firstCheckpoint)
	for _, size := range []int{0, firstCheckpoint - 100, firstCheckpoint, 3 * firstCheckpoint, maxCheckpoint - 100, maxCheckpoint + 100, 10} {
		m.state = bytes.Repeat([]byte{byte(size)}, size)
		log.Reset()
		file = k.pack(file)
		if size > maxCheckpoint {
			if len(file) != 0 || !strings.Contains(log.String(), "the match cannot be checkpointed") {
				t.Errorf("%d bytes: a file of %d, and the log %q; want none, and why", size, len(file), &log)
			}
			continue
		}
		var again pile
		packed, err := openCheckpoint(file)
		if err == nil {
			err = unpackCheckpoint(packed, &again)
		}
		if err != nil || !bytes.Equal(again.state, m.state) || len(file) > maxCheckpoint || log.Len() > 0 {
			t.Errorf("%d bytes: %d came back, error %v, log %q", size, len(again.state), err, &log)
		}
	}
}
