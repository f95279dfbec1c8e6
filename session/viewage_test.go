package session_test

import (
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// fraud is a way to have a link look worse than it is, so as to be credited older views: what
// a client acknowledges, and a link on which an honest client would acknowledge the same.
type fraud struct {
	name string
	says func(now clock.Micros, seen *track.Received, held *clock.Micros)
	line func(p *party) // the same of an honest client; nil is the true line
	lies func(p *party) // what else the cheater does, if not nil
	// lasts says that the link looks worse all the time, so that nothing tells the client
	// from an honest one that has that line.
	lasts bool
	// when is when it shoots; nil is whenever it can.
	when func(now clock.Micros) bool
	// both is of its line and of the honest client's alike.
	both func(p *party)
	// alone says that no honest client is like that: both is of the cheater.
	alone bool
	// frame is how long each of its frames is on the screen, by its stamps; 0 is a sixtieth of a second.
	frame clock.Micros
}

// maxGain is what HIT-16 allows a cheater on a good line.
const maxGain = 60 * ms

// withheld acknowledges nothing new in some times, and deaf hears nothing in them.
func withheld(during func(now clock.Micros) bool) (func(clock.Micros, *track.Received, *clock.Micros), func(*party)) {
	var last track.Received
	says := func(now clock.Micros, seen *track.Received, held *clock.Micros) {
		if during(now) && last.Newest != 0 {
			*seen, *held = last, -1
		}
		last = *seen
	}
	return says, func(p *party) { p.deaf = during }
}

// each returns whether an instant is in the first part of each span of a time.
func each(part, span clock.Micros) func(clock.Micros) bool {
	return func(now clock.Micros) bool { return now%span < part }
}

// queued is the delay of a queue that builds up to 200 ms in the first 400 of each span of a time, and is empty 200 ms
// later.
func queued(span clock.Micros) func(clock.Micros) clock.Micros {
	return func(now clock.Micros) clock.Micros {
		if now %= span; now < 600*ms {
			return min(now/2, 200*ms)
		}
		return 0
	}
}

// delayed acknowledges everything so much later.
func delayed(by clock.Micros) func(clock.Micros, *track.Received, *clock.Micros) {
	ticks := uint32(by * 60 / clock.Second)
	return func(_ clock.Micros, seen *track.Received, held *clock.Micros) {
		if seen.Newest > ticks+1 {
			*seen = track.Received{Newest: seen.Newest - ticks, Mask: 1<<63 - 1}
		}
	}
}

func frauds() []fraud {
	burst, burstLine := withheld(each(150*ms, clock.Second))
	long, longLine := withheld(each(300*ms, 2*clock.Second))
	rare, rareLine := withheld(each(150*ms, 8*clock.Second))
	once, _ := withheld(each(150*ms, 20*clock.Second))
	turns, turnsLine := withheld(func(now clock.Micros) bool { return now%(10*clock.Second) < 3*clock.Second && now%(500*ms) < 150*ms })
	lost := func(tick uint32) bool { return tick*2654435761>>16%10 < 4 }
	var had track.Received
	return []fraud{
		{name: "claims an older view"},
		{name: "says it held nothing",
			says: func(_ clock.Micros, _ *track.Received, held *clock.Micros) { *held = 0 }},
		{name: "says it held everything for 100 ms",
			says: func(_ clock.Micros, _ *track.Received, held *clock.Micros) { *held = 100 * ms }},
		{name: "never says how long it held",
			says: func(_ clock.Micros, _ *track.Received, held *clock.Micros) { *held = -1 }},
		{name: "withholds 150 ms just before it shoots", says: once,
			when: func(now clock.Micros) bool { return now%(20*clock.Second)/(150*ms) == 1 }},
		{name: "lets its stamps fall 200 ms behind just before it shoots", when: each(600*ms, 20*clock.Second),
			both: func(p *party) {
				p.shift = func(now clock.Micros) clock.Micros { return -queued(20 * clock.Second)(now) }
			}, alone: true},
		{name: "lets its stamps fall 200 ms behind each 12 s", lasts: true, when: each(600*ms, 12*clock.Second),
			lies: func(p *party) {
				p.shift = func(now clock.Micros) clock.Micros { return -queued(12 * clock.Second)(now) }
			},
			line: func(p *party) { p.up.queues, p.up.ordered = queued(12*clock.Second), true }},
		{name: "withholds 150 ms of each second", says: burst, line: burstLine, lasts: true},
		{name: "withholds 300 ms of each 2 s", says: long, line: longLine, lasts: true},
		{name: "withholds 150 ms each 8 s", says: rare, line: rareLine, lasts: true},
		{name: "good for 7 s, withholds for 3 s, in turns", says: turns, line: turnsLine, lasts: true},
		{name: "says that 4 in 10 are lost", lasts: true,
			says: func(now clock.Micros, seen *track.Received, held *clock.Micros) {
				newest := seen.Newest
				for newest > had.Newest && lost(newest) {
					newest--
				}
				if newest != seen.Newest {
					*held = -1
				}
				for n := had.Newest + 1; n <= newest; n++ {
					if seen.Has(n) && !lost(n) {
						had.Mark(n)
					}
				}
				*seen = had
			}, line: func(p *party) { p.down.loss, p.down.run = .4, 1/.6 }},
		{name: "sends all it has each 200 ms", both: func(p *party) { p.up.lockstep, p.up.off = 200*ms, 1<<60 }, lasts: true},
		{name: "acknowledges 150 ms late", says: delayed(150 * ms), line: func(p *party) { p.down.delay += 150 * ms }, lasts: true},
		{name: "acknowledges 500 ms late", says: delayed(500 * ms), line: func(p *party) { p.down.delay += 500 * ms }, lasts: true},
		{name: "acknowledges 500 ms late, with a frame each 300 ms", says: delayed(500 * ms), line: func(p *party) { p.down.delay += 500 * ms }, lasts: true, frame: 300 * ms},
	}
}

// creditCap is the cap of a zero ServerConfig.
const creditCap = 250 * ms

// furthest plays a minute of shots, each of which claims a view so much older as ages say in
// turns, and returns the oldest view that was judged as it was claimed, by when it was shot.
func (f *fraud) furthest(t *testing.T, rtt clock.Micros, lies, worse bool) (oldest clock.Micros) {
	r := newRing(t, 23, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
	a, b := r.parties[0], r.parties[1]
	a.line(rtt/2, rtt/2)
	b.line(1*ms, 1*ms)
	b.input = orbiting(geom.Vec3{}, 10)
	r.ready()
	if lies {
		a.says = f.says
		if f.lies != nil {
			f.lies(a)
		}
	}
	if worse && f.line != nil {
		f.line(a)
	}
	if f.both != nil && (lies || worse) {
		f.both(a)
	}
	r.run(r.now() + 3*clock.Second)
	if f.frame > 0 && (lies || worse) { // from now on nothing is measured (remote.StallTime), so the line comes first
		a.every = func(clock.Micros) clock.Micros { return f.frame }
		r.run(r.now() + 3*clock.Second)
	}
	age := clock.Micros(0)
	fire := shoots(rifle, func(p *party, _ clock.Micros, c *shot.Claim) {
		if lies {
			age = (age + 7*ms) % (450 * ms)
			c.View.At -= age
			c.View.BlendFrom, c.View.BlendAt = track.Received{}, 0
		}
	})
	a.input = func(p *party, now clock.Micros) duelMove {
		if f.when != nil && !f.when(now) {
			return duelMove{}
		}
		return fire(p, now)
	}
	r.noted = func(e *session.Event) {
		if rc := &e.Receipt; rc.Shooter == a.ID() && rc.Verdict != shot.Refused {
			oldest = max(oldest, e.At-rc.ViewGranted)
		}
	}
	r.run(r.now() + 60*clock.Second)
	return oldest
}

// HIT-16, THR-21: in its first seconds too, a client on a good line that names a snapshot 260 ms old as its newest,
// to have others judged where they were then, is refused. What it had not acknowledged before its first
// acknowledgement is no silence of its line.
func TestANewClientDeniesSnapshots(t *testing.T) {
	singleThreaded(t)
	for _, denied := range []clock.Micros{0, 260 * ms} {
		r := newRing(t, 24, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
		a := r.parties[0]
		a.line(ms, ms)
		r.parties[1].input = orbiting(geom.Vec3{}, 10)
		r.ready()
		fire := shoots(rifle, func(_ *party, _ clock.Micros, c *shot.Claim) {
			if denied > 0 {
				c.View.Seen = track.Received{Newest: c.View.Seen.Newest - uint32(denied*60/clock.Second), Mask: 1<<64 - 1}
				c.View.BlendFrom, c.View.BlendAt = track.Received{}, 0
			}
		})
		a.input = func(p *party, now clock.Micros) duelMove { return fire(p, now) }
		shots, refused := 0, 0
		r.noted = func(e *session.Event) {
			if shots++; e.Receipt.Reason == shot.OldView {
				refused++
			}
		}
		r.run(r.now() + 5*clock.Second)
		want := 0
		if denied > 0 {
			want = shots
		}
		if shots < 40 || refused != want {
			t.Errorf("newest snapshot %d ms older than it has: %d of %d shots refused as too old, want %d", denied/ms, refused, shots, want)
		}
	}
}

// HIT-16, THR-20, THR-21: what a client on a good line gains by claiming older views and by
// acknowledging late, seldom or falsely. It is judged no more than 60 ms further back than an
// honest client on the link that it shows; and where it does not have its line look worse all
// the time, than one on the link that it has. What a client gains that goes on to show a worse
// line is what that line has, and bounded by the cap; what one gains that also goes on to show few frames a
// second is as much more as such a frame is on the screen (HIT-15). ServerConfig.MaxRewind bounds both.
func TestGainsOverAGoodLink(t *testing.T) {
	singleThreaded(t)
	t.Logf("| RTT (ms) | what it does | honest (ms) | honest on the link it shows | judged back at most | gain over the link it shows | over its own |")
	t.Log("|---:|---|---:|---:|---:|---:|---:|")
	for _, rtt := range []clock.Micros{2 * ms, 40 * ms} {
		for _, f := range frauds() {
			own := f.furthest(t, rtt, false, false)
			shown := own
			if f.line != nil || f.both != nil && !f.alone {
				shown = f.furthest(t, rtt, false, true)
			}
			liar := f.furthest(t, rtt, true, false)
			t.Logf("| %d | %s | %d | %d | %d | %d | %d |", rtt/ms, f.name, own/ms, shown/ms, liar/ms, (liar-shown)/ms, (liar-own)/ms)
			if rtt == 2*ms && f.lasts && strings.HasPrefix(f.name, "acknowledges 500") {
				figures.Check(t, f.name, 0.02, "%d ms at 2 ms of ping, %d ms for an honest player who has that", liar/ms, shown/ms)
			}
			most := maxGain
			if f.lasts {
				most += creditCap - rtt + f.frame
			}
			if liar-shown > maxGain || liar-own > most {
				t.Errorf("RTT %d ms, %s: judged %d µs further back than an honest client on the link it shows, %d than on its own",
					rtt/ms, f.name, liar-shown, liar-own)
			}
		}
	}
}
