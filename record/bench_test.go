package record_test

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// null takes everything.
type null struct{}

func (null) Write(b []byte) (int, error) { return len(b), nil }
func (null) Close() error                { return nil }

// canned is a match with prepared frames, which cost nothing.
type canned struct {
	record.Match
	frames []track.Snapshot
	n      int
	frame  track.Snapshot
}

func (c *canned) Receive(session.Peer, session.Channel, clock.Micros, []byte) error { return nil }
func (c *canned) Outgoing() []session.Packet                                        { return nil }

func (c *canned) Tick(now clock.Micros) {
	c.n++
	c.frame = c.frames[c.n%len(c.frames)]
	c.frame.Tick, c.frame.At = uint32(c.n), now
}

func (c *canned) Seats() int                    { return 100 }
func (c *canned) FullSnapshot() *track.Snapshot { return &c.frame }

// BenchmarkRecording measures what recording adds to a tick of ten fighting players that send a packet
// of 60 bytes each: the packets, the frame, the roster, the hash. It does not include packing and
// writing, which run in another goroutine.
func BenchmarkRecording(b *testing.B) {
	p, _ := onto(b, null{}, 10)
	c := &canned{Match: p.bots.Match}
	for p.until(5 * clock.Second); len(c.frames) < 600; {
		p.until(clock.TickTime(p.tick+1, 60))
		var f track.Snapshot
		f.Copy(p.bots.FullSnapshot())
		c.frames = append(c.frames, f)
	}
	w, err := record.New(null{}, record.Head{TickRate: 60}, nil)
	if err != nil {
		b.Fatal(err)
	}
	rec := w.Record(c)
	packet := make([]byte, 60)
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		now := clock.TickTime(int64(i+1), 60)
		for peer := range session.Peer(10) {
			_ = rec.Receive(peer+1, session.Datagram, now-1000, packet)
		}
		rec.Tick(now)
		rec.Outgoing()
	}
	b.StopTimer()
	if err := rec.Close(); err != nil {
		b.Fatal(err)
	}
}
