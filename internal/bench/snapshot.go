package bench

import (
	"context"
	"fmt"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/track"
)

// The rate of the measured snapshots, how many ticks there are before they are timed, and how many are timed.
const (
	snapshotRate  = 60
	snapshotWarm  = 150
	snapshotTicks = 300
)

// stage is a match of characters of a crowd, each with a client that receives all the others.
type stage struct {
	crowd   *Crowd
	history *track.SnapshotHistory
	match   *replicate.Match
	clients []receiver
	stride  []float64
	tick    uint32
	p       bits.Packer
	buf     [1024]byte
}

// receiver is a client: it acknowledges each snapshot some ticks later.
type receiver struct {
	sender *replicate.Sender
	seen   track.Received
	lag    uint32
}

// newStage returns a stage on which a match has gone on for a while.
func newStage(m *Meter, players int) (*stage, error) {
	world, err := m.world(matchScene)
	if err != nil {
		return nil, err
	}
	s := &stage{crowd: NewCrowd(benchscene.B, world), history: track.NewSnapshotHistory(2 * track.ReceivedWindow), stride: make([]float64, players)}
	s.crowd.Keep(players)
	s.crowd.WarmUp()
	s.match = replicate.NewMatch(s.history, world, replicate.Rules{})
	for i := range players {
		s.clients = append(s.clients, receiver{sender: replicate.NewSender(s.match, track.ID(i+1)), lag: uint32(3 + i%10)})
	}
	for range snapshotWarm {
		s.advance()
		for i := range s.clients {
			s.send(i)
		}
	}
	return s, nil
}

// advance moves everybody and records where they are.
func (s *stage) advance() {
	s.tick++
	now := clock.TickTime(int64(s.tick), snapshotRate)
	f := s.history.Record(s.tick, now)
	for range s.clients {
		i := s.crowd.Step()
		state := s.crowd.State(i)
		e := character.Pose(state)
		s.stride[i] = track.WrapStride(s.stride[i] + state.Velocity.Len()/snapshotRate)
		e.At, e.StrideDistance = (now-30*clock.Millisecond)/40*40, s.stride[i]
		f.Add(track.ID(i+1), e)
	}
}

// send processes what a client acknowledges, and builds and packs its snapshot.
func (s *stage) send(i int) {
	c := &s.clients[i]
	if s.tick > c.lag {
		c.seen.Mark(s.tick - c.lag)
		c.sender.Acknowledge(c.seen)
	}
	eye := track.Entity{ID: track.ID(i + 1)}
	s.history.Snapshot(s.tick).Find(eye.ID, &eye.Sample)
	c.sender.Begin(s.tick, eye)
	for c.sender.HasMore() {
		s.p.Write(s.buf[:])
		c.sender.Pack(&s.p)
	}
}

// measureSnapshots times the snapshot of one client in a match in which each has its own.
func measureSnapshots(_ context.Context, m *Meter) error {
	for _, others := range []int{10, 64} {
		s, err := newStage(m, others+1)
		if err != nil {
			return err
		}
		clients := len(s.clients)
		err = m.Time(fmt.Sprintf("snapshot_%d_us", others), Work{
			Calls: snapshotTicks * clients, Batch: clients,
			Between: s.advance,
			Call:    func(i int) { s.send(i % clients) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}
