package replicate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/track"
)

// packet is bytes or an acknowledgement on its way.
type packet struct {
	due  int
	tick uint32
	b    []byte
	ack  track.Received
}

// link is a bad link: what is put in comes out some steps later, in another order, twice, or not at
// all.
type link struct {
	r             *rand.Rand
	delay, jitter int // steps
	loss, double  float64
	cut           func(n int) bool
	under         []packet
}

func (l *link) send(n int, p packet) {
	if l.r.Float64() < l.loss || l.cut != nil && l.cut(n) {
		return
	}
	p.due = n + l.delay
	if l.jitter > 0 {
		p.due += l.r.IntN(l.jitter + 1)
	}
	l.under = append(l.under, p)
	if l.r.Float64() < l.double {
		p.due += 1 + l.r.IntN(8)
		l.under = append(l.under, p)
	}
}

// arrived returns what comes out at a step.
func (l *link) arrived(n int) (out []packet) {
	l.under = slices.DeleteFunc(l.under, func(p packet) bool {
		if p.due <= n {
			out = append(out, p)
			return true
		}
		return false
	})
	return out
}

// client is one client and the server's sender for it.
type client struct {
	t      *testing.T
	sc     *scene
	m      *Match
	id     track.ID
	s      *Sender
	down   link
	up     link
	in     Inbox
	seen   track.Received
	frames *track.SnapshotHistory
	here   map[uint32][]track.ID // what was relevant, by tick
	size   int                   // of a datagram

	bytes, most, snapshots, entities, keyframes, got int
	sent                                             map[track.ID]uint32 // last sent
	gap                                              uint32              // longest between two samples of a moving entity
}

func newClient(t *testing.T, sc *scene, m *Match, id track.ID, seed uint64) *client {
	r := rand.New(rand.NewPCG(seed, uint64(id)))
	return &client{
		t: t, sc: sc, m: m, id: id, s: NewSender(m, id), frames: track.NewSnapshotHistory(2 * track.ReceivedWindow),
		down: link{r: r, delay: 3}, up: link{r: r, delay: 3}, size: 400,
		here: map[uint32][]track.ID{}, sent: map[track.ID]uint32{},
	}
}

// send makes a snapshot of the newest tick and sends it.
func (c *client) send() {
	tick, total := uint32(c.sc.n), 0
	c.s.Begin(tick, c.sc.eye(c.id))
	c.here[tick] = slices.Clone(c.s.relevantIDs)
	delete(c.here, tick-300)
	var p bits.Packer
	for c.s.HasMore() {
		p.Write(make([]byte, c.size))
		c.s.Pack(&p)
		if p.Err() != nil {
			c.t.Fatalf("tick %d: %v", tick, p.Err())
		}
		total += len(p.Bytes())
		c.down.send(c.sc.n, packet{tick: tick, b: p.Bytes()})
	}
	for _, id := range c.s.SentLog().Snapshot(tick).Entities(nil) {
		if at := c.sent[id]; at != 0 && slices.Contains(c.here[tick-1], id) {
			if a := c.sc.find(id); a != nil && a.sample.Kind == runner {
				c.gap = max(c.gap, tick-at)
			}
		}
		c.sent[id] = tick
		c.entities++
	}
	c.bytes, c.most, c.snapshots = c.bytes+total, max(c.most, total), c.snapshots+1
}

// receive takes what has arrived on both ends.
func (c *client) receive() {
	n := c.sc.n
	for _, k := range c.down.arrived(n) {
		var p bits.Packer
		p.Read(k.b)
		f := c.in.Read(&p, k.tick, clock.TickTime(int64(k.tick), 60), c.seen, c.frames)
		if p.Err() != nil {
			c.t.Fatalf("tick %d: %v", k.tick, p.Err())
		}
		if f != nil {
			c.take(f)
		}
	}
	if c.seen.Newest != 0 {
		c.up.send(n, packet{ack: c.seen})
	}
	for _, k := range c.up.arrived(n) {
		c.s.Acknowledge(k.ack)
	}
}

// take checks a snapshot against the record, the SentLog and newly searched keyframes, and keeps
// it.
func (c *client) take(f *track.Snapshot) {
	whole, sent := c.sc.frames.Snapshot(f.Tick), c.s.SentLog()
	want := track.Snapshot{Tick: f.Tick, At: clock.TickTime(int64(f.Tick), 60)}
	var keyframes [track.MaxKeyframes]track.Entity
	for id := track.ID(1); id <= track.MaxID; id++ {
		if sent.Has(f.Tick, id) {
			var s track.Sample
			whole.Find(id, &s)
			want.Add(id, s)
			if since := sent.SentBefore(f.Tick, id); since != 0 && f.Tick-since > 1 {
				n := c.sc.frames.KeyframesBetween(id, f.Tick, since, nil, nil, &keyframes)
				for i := range keyframes[:n] {
					want.PutKeyframe(id, &keyframes[i].Sample)
				}
			}
		}
		if sent.Removed(f.Tick, id) {
			want.Removed = append(want.Removed, id)
		}
	}
	if f.Tick != want.Tick || f.At != want.At || !slices.Equal(f.Entities(nil), want.Entities(nil)) ||
		!slices.Equal(f.Keyframes(nil), want.Keyframes(nil)) || !slices.Equal(f.Removed, want.Removed) {
		c.t.Fatalf("client %d, tick %d: got %s\nwant %s", c.id, f.Tick, text(f), text(&want))
	}
	if !c.seen.Mark(f.Tick) {
		c.t.Fatalf("client %d, tick %d delivered twice", c.id, f.Tick)
	}
	c.frames.Record(f.Tick, f.At).Copy(f)
	c.keyframes += len(f.Keyframes(nil))
	c.got++
}

func text(f *track.Snapshot) string {
	s := fmt.Sprint(f.Tick, " at ", f.At, " removed ", f.Removed)
	for _, e := range f.Entities(nil) {
		s += fmt.Sprintf("\n  %+v", e)
	}
	for _, e := range f.Keyframes(nil) {
		s += fmt.Sprintf("\n  kink %+v", e)
	}
	return s
}

// present returns what the client has in the view of its newest snapshot: the newest sample of each
// entity that no removal follows.
func (c *client) present() map[track.ID]track.Sample {
	has, decided := map[track.ID]track.Sample{}, map[track.ID]bool{}
	for back := range uint32(track.ReceivedWindow + 1) {
		tick := c.seen.Newest - back
		if back >= c.seen.Newest || !c.seen.Has(tick) {
			continue
		}
		f := c.frames.Snapshot(tick)
		for _, id := range f.Removed {
			decided[id] = true
		}
		for _, e := range f.Entities(nil) {
			if !decided[e.ID] {
				decided[e.ID], has[e.ID] = true, e.Sample
			}
		}
	}
	return has
}

// populate fills a scene with runners, idlers, balls, pickups; rockets come and go in run.
func populate(sc *scene, runners, others int, spread float64) {
	for i := range runners {
		sc.add(track.ID(i+1), runner, spread)
	}
	for i := range others {
		sc.add(track.ID(129+i), []track.Kind{idler, ball, pickup}[i%3], spread)
	}
}

// churn makes entities come, go, die, jump and come again with an old id.
func churn(sc *scene) {
	r := sc.r
	id := track.ID(200 + r.IntN(20))
	if r.IntN(20) == 0 && sc.find(id) == nil {
		sc.add(id, rocket, 30)
	}
	if a := sc.actors[r.IntN(len(sc.actors))]; r.IntN(60) == 0 {
		switch r.IntN(6) {
		case 0:
			a.dies = sc.n + 1 // a player leaves
		case 1:
			a.sample.Dead = !a.sample.Dead
		case 2:
			a.sample.Teleport++
			a.sample.Position.X += 20
		case 3:
			a.sample.Clip, a.sample.ClipAt = uint8(r.IntN(3)), a.sample.At
		case 4:
			a.sample.Crouched = !a.sample.Crouched
		case 5:
			a.sample.Up.X, a.sample.Up.Y = 0.6, 0.8
		}
	}
	if id := track.ID(1 + r.IntN(8)); r.IntN(40) == 0 && sc.find(id) == nil {
		sc.add(id, runner, 30)
	}
}

// Three clients on links that lose, double and reorder, in a match where entities of all kinds
// come, go and come again under old ids (REP-01, REP-02, REP-03). Every snapshot that arrives is
// what the record and the SentLog say, sample for sample and keyframe for keyframe. Every entity
// that exists is in the client's view, as it is but for invisible differences, and nothing else is
// (REP-07).
func TestReceivedSnapshotsMatchTheSentLog(t *testing.T) {
	for _, every := range []int{1, 3} {
		for seed := range uint64(3) {
			sc := newScene(seed)
			populate(sc, 8, 12, 30)
			m := NewMatch(sc.frames, nil, Rules{Budget: 4000})
			clients := make([]*client, 3)
			for i := range clients {
				c := newClient(t, sc, m, track.ID(i+1), seed)
				c.down.loss, c.up.loss = float64(i)*0.04, float64(i)*0.04
				c.down.jitter, c.up.jitter = i*3, i*3
				c.down.double, c.up.double = 0.1, 0.1
				clients[i] = c
			}
			for range 1500 {
				sc.tick()
				for _, c := range clients {
					if sc.n%every == 0 {
						c.send()
					}
					c.receive()
					if c.seen.Newest != 0 {
						c.checkPresent(seed)
					}
				}
				churn(sc)
			}
			for i, c := range clients {
				t.Logf("every %d, seed %d, client %d: %d of %d snapshots arrived, %d entities, %d keyframes, %.1f bytes a snapshot, %.2f a entity, round trip %d",
					every, seed, i, c.got, c.snapshots, c.entities, c.keyframes, float64(c.bytes)/float64(c.snapshots), float64(c.bytes)/float64(c.entities), c.s.RoundTrip())
				if every > 1 && c.keyframes == 0 {
					t.Error("no keyframes")
				}
			}
		}
	}
}

// checkPresent compares what the client has at its newest snapshot with what was relevant and
// recorded then.
func (c *client) checkPresent(seed uint64) {
	if c.sc.n-int(c.seen.Newest) > track.ReceivedWindow-2 {
		return // the server no longer has what this view is drawn from
	}
	tick := c.seen.Newest
	has, whole := c.present(), c.sc.frames.Snapshot(tick)
	for _, id := range c.here[tick] {
		got, ok := has[id]
		var want track.Sample
		whole.Find(id, &want)
		if !ok {
			c.t.Fatalf("seed %d: client %d lacks entity %d at tick %d", seed, c.id, id, tick)
		}
		delete(has, id)
		if d := got.Position.Dist(want.Position); d > 2*positionTolerance || got.Life != want.Life || got.Dead != want.Dead || got.Kind != want.Kind || got.UserData != want.UserData {
			c.t.Fatalf("seed %d: client %d, entity %d at tick %d is off by %.4f m: %+v\nwant %+v", seed, c.id, id, tick, d, got, want)
		}
	}
	c.checkViews(seed)
	for id := range has {
		c.t.Fatalf("seed %d: client %d has entity %d at tick %d, which is not there", seed, c.id, id, tick)
	}
}

// checkViews compares what the client draws with what the server rebuilds of it.
func (c *client) checkViews(seed uint64) {
	v := track.View{At: clock.TickTime(int64(c.seen.Newest), 60) - clock.Micros(c.down.r.Int64N(400000)-50000), Seen: c.seen}
	v.Platform = v.At
	drawn := track.Interpolator{History: c.frames}
	rebuilt := track.Interpolator{History: c.sc.frames, Sent: c.s.SentLog()}
	got, want := rebuilt.Entities(v, c.id, nil), drawn.Entities(v, c.id, nil)
	if len(got) != len(want) {
		c.t.Fatalf("seed %d: client %d at view %+v: %d drawn, %d rebuilt", seed, c.id, v, len(want), len(got))
	}
	for i := range got {
		if got[i] != want[i] {
			c.t.Fatalf("seed %d: client %d at view %+v: drawn %+v\nrebuilt %+v", seed, c.id, v, want[i], got[i])
		}
	}
}
