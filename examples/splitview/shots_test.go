package splitview

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// The kinds of datagrams by meaning, without loss: the page colours what carries a shot, and what brings its verdict
// to the shooter and the push to the target. Each shot is in the datagram of its frame; the first datagram after a
// verdict or a push is the one that brings it, and all others are snapshots.
func TestWhichPacketsCarryShots(t *testing.T) {
	m := newMatch(t, 75, 10, 0, 9)
	var waits [players]bool // for a verdict or a push
	kinds := map[int]int{}
	for range 60 * stepRate {
		m.step(nil)
		var fired [players]bool
		for _, e := range m.events {
			switch {
			case e.Kind == Fired:
				fired[e.Player] = true
			case e.Kind == Judged:
				waits[e.Player] = true
				waits[1-e.Player] = waits[1-e.Player] || e.Hit
			}
		}
		for _, p := range m.packets {
			want := kindMoves
			switch {
			case p.Kind == kindStream:
				want = kindStream
			case p.Up && fired[p.Player]:
				want, fired[p.Player] = kindShot, false
			case !p.Up && waits[p.Player]:
				want, waits[p.Player] = kindVerdict, false
			case !p.Up:
				want = kindSnapshot
			}
			if kinds[p.Kind]++; p.Kind != want {
				t.Fatalf("at %v: got %+v, want the kind %d", m.now, p, want)
			}
		}
		if fired != [players]bool{} {
			t.Fatalf("at %v: a shot is in no datagram of its frame", m.now)
		}
		m.events, m.packets = m.events[:0], m.packets[:0]
	}
	if t.Logf("packets by kind: %v", kinds); kinds[kindShot] < 30 || kinds[kindVerdict] < 30 {
		t.Errorf("got packets by kind %v, want 30 with shots and 30 with verdicts at least", kinds)
	}
}

// A datagram is due one delay after it is sent, also a lost one, which the page draws until then. A new delay holds from
// now on and for both directions, and one out of range is the longest.
func TestWhenPacketsAreDue(t *testing.T) {
	m := newMatch(t, 75, 0, 0.3, 5)
	for _, delay := range []clock.Micros{75 * clock.Millisecond, 200 * clock.Millisecond, 0, MaxDelay} {
		m.SetNetwork(Network{Delay: delay, Loss: 0.3})
		if delay == MaxDelay {
			m.SetNetwork(Network{Delay: 3600 * second, Loss: 0.3})
		}
		var lost, sent [2]int
		for range 2 * stepRate {
			m.step(nil)
			for _, p := range m.packets {
				if p.Kind == kindStream {
					continue // a stream repeats what is lost
				}
				way := 0
				if p.Up {
					way = 1
				}
				if sent[way]++; p.Lost {
					lost[way]++
				}
				if p.Sent != m.now || p.Due-p.Sent != delay {
					t.Fatalf("delay %v: got %+v at %v", delay, p, m.now)
				}
			}
			m.packets = m.packets[:0]
		}
		if lost[0] == 0 || lost[1] == 0 || lost[0] == sent[0] || lost[1] == sent[1] {
			t.Errorf("delay %v: %v of %v were lost, want some of each direction", delay, lost, sent)
		}
	}
}

// A verdict shows the past that the server went back to: the ghost stands where the shooter's screen showed the target
// when it fired, and Moved is how far the target has come since. The target learns of its hit and is corrected
// once, as the push was none that it could foresee, and the other screen shows the line of the shot.
func TestAVerdictShowsThePast(t *testing.T) {
	m := newMatch(t, 120, 0, 0, 9)
	var aimed [players]geom.Vec3 // the target on the shooter's screen at its last shot
	var hits, hurt, pushed, seen, judged [players]int
	var line [players][]Event // verdicts that the other's screen has not shown
	ghosts, close, moved := 0, 0, 0.0
	for range 60 * stepRate {
		m.step(nil)
		for _, e := range m.events {
			i, target := e.Player, 1-e.Player
			switch e.Kind {
			case Fired:
				aimed[i] = m.before[OpponentScreen*i][target].Position // a frame is drawn, then its player fires at it
			case Judged:
				judged[i]++
				if e.Hit {
					hits[i]++
				}
				line[i] = append(line[i], e)
				if !e.Ghost.Present { // a shot so far off that the server tried no target
					if e.Hit || e.Moved != 0 {
						t.Fatalf("at %v: %+v has no ghost", m.now, e)
					}
					continue
				}
				if ghosts++; e.Ghost.Position.Dist(aimed[i]) < 0.05 {
					close++
				}
				moved += e.Moved
				if want := e.Ghost.Position.Dist(m.after[ServerTruth][target].Position); math.Abs(e.Moved-want) > 1e-9 {
					t.Fatalf("at %v: got %v m from the ghost %+v to the target, want %v m", m.now, e.Moved, e.Ghost, want)
				}
			case Seen:
				if seen[i]++; len(line[i]) == 0 || line[i][0].From.Dist(e.From) > 0.05 || line[i][0].To.Dist(e.To) > 0.05 {
					t.Fatalf("at %v: player %d's shot is seen from %v to %v, want one of the verdicts %+v", m.now, i, e.From, e.To, line[i])
				}
				line[i] = line[i][1:]
			case Hurt:
				hurt[i]++
			case Corrected:
				if pushed[i]++; !e.Pushed {
					t.Fatalf("at %v: got %+v, want corrections by pushes only", m.now, e)
				}
			}
		}
		m.events = m.events[:0]
	}
	t.Logf("judged %v, hits %v, seen %v, hurt %v; %d of %d ghosts where the shooter's screen had the target; targets %.2f m further in the mean", judged, hits, seen, hurt, close, ghosts, moved/float64(ghosts))
	if ghosts < 40 || close < ghosts*9/10 {
		t.Errorf("got %d of %d ghosts within 5 cm of the target on the shooter's screen, want nine of ten, and 40 ghosts", close, ghosts)
	}
	for i := range players {
		if pushed[i] > hurt[i] || pushed[i] < hurt[i]-2 {
			t.Errorf("player %d: corrected %d times after %d hits", i, pushed[i], hurt[i])
		}
		if hits[i] < 5 || judged[i]-seen[i] > 1 || hits[i]-hurt[1-i] > 1 || hurt[1-i] > hits[i] {
			t.Errorf("player %d: %d verdicts, %d hits, %d shots seen by the other, which learns of %d hits", i, judged[i], hits[i], seen[i], hurt[1-i])
		}
	}
}

// A hit throws its target back, away from the shooter. Walls stop some targets, and a runner is no faster than its
// greatest speed, so it is the mean of many hits that counts. On its own screen, which learns of the push later, the target does not jump.
func TestAHitPushesItsTargetAway(t *testing.T) {
	m := newMatch(t, 75, 0, 0, 9)
	hits, faster, jump := 0, 0.0, 0.0
	for range 60 * stepRate {
		m.step(nil)
		for i := range m.players {
			jump = max(jump, m.after[OpponentScreen*i][i].Position.Dist(m.before[OpponentScreen*i][i].Position))
		}
		events := m.events
		m.events = nil
		for _, e := range events {
			if e.Kind != Judged || !e.Hit {
				continue
			}
			target, shooter := m.after[ServerTruth][1-e.Player], m.after[ServerTruth][e.Player]
			m.step(nil)
			m.step(nil) // a datagram with the target's next move has come
			away := target.Position.Sub(shooter.Position).Flat(up).Unit()
			faster += m.after[ServerTruth][1-e.Player].Velocity.Sub(target.Velocity).Dot(away)
			hits++
		}
	}
	faster /= float64(hits)
	if t.Logf("%d hits; targets are %.2f m/s faster away in the mean, and go at most %.3f m a frame on their own screens", hits, faster, jump); hits < 10 || faster < 1 {
		t.Errorf("got targets %.2f m/s faster away from the shooter after %d hits, want 1 m/s and 10 hits at least", faster, hits)
	}
	if jump > 0.4 { // undrawn corrections make 1.07 m
		t.Errorf("got a way of %.3f m in a frame on the player's own screen, want the push to glide", jump)
	}
}

// Your click aims where you point, up and down too, and the bot's error is an angle to the left.
func TestAClickHitsWhereYouPoint(t *testing.T) {
	for _, off := range []float64{0, 0.16} {
		for _, point := range []geom.Vec3{geom.V(0, 0, 0), geom.V(3, 2.5, -2), geom.V(-3.5, 0.1, 1)} {
			m := newMatch(t, 50, 0, 0, 1)
			m.Advance(2*second/3, &Controls{}) // the last shot of the bot that played you is over
			m.events = m.events[:0]
			m.Advance(second/2, &Controls{Fire: true, AtPoint: true, Point: point, Off: off})
			fired := m.events[:0]
			for _, e := range m.events {
				if e.Kind == Fired && e.Player == 0 {
					fired = append(fired, e)
				}
			}
			if len(fired) != 1 {
				t.Fatalf("to %v: %d shots, want 1", point, len(fired))
			}
			line, want := fired[0].To.Sub(fired[0].From), point.Sub(fired[0].From)
			yaw, pitch := geom.WrapAngle(geom.Yaw(line)-geom.Yaw(want)), geom.Pitch(line)-geom.Pitch(want)
			if math.Abs(yaw-off) > 0.01 || math.Abs(pitch) > 0.01 {
				t.Errorf("to %v, off by %v: the line is %.3f rad to the left and %.3f rad above, want %v and 0", point, off, yaw, pitch, off)
			}
		}
	}
}

// A click while the gun cools down fires when it is ready, if that is within 0.3 s; an older click is forgotten. After a
// shot the figure faces it for a while, though it runs elsewhere, and then faces its way again.
func TestAnEarlyClickIsRemembered(t *testing.T) {
	for _, c := range []struct {
		wait  clock.Micros // from the first shot to the second click
		shots int
	}{{400 * clock.Millisecond, 2}, {100 * clock.Millisecond, 1}} {
		m := newMatch(t, 0, 0, 0, 1)
		m.Advance(second, &Controls{})
		m.events = m.events[:0]
		run := Controls{Right: 1, AtPoint: true, Point: geom.V(-3.9, 1, 4)}
		click := run
		click.Fire = true
		m.Advance(second/stepRate, &click)
		faced := geom.WrapAngle(m.players[0].yaw)
		m.Advance(c.wait, &run)
		if got := m.players[0].yaw; c.wait < 300*clock.Millisecond && got != faced {
			t.Errorf("%v after the shot it faces %.2f, want its shot at %.2f", c.wait, got, faced)
		}
		m.Advance(second/stepRate, &click)
		m.Advance(second, &run)
		if got, want := m.players[0].yaw, geom.Yaw(geom.V(1, 0, 0)); math.Abs(geom.WrapAngle(got-want)) > 1e-9 {
			t.Errorf("long after the shot it faces %.2f, want its way, %.2f", got, want)
		}
		shots := 0
		for _, e := range m.events {
			if e.Kind == Fired && e.Player == 0 {
				shots++
			}
		}
		if shots != c.shots {
			t.Errorf("a second click %v after the shot: %d shots, want %d", c.wait, shots, c.shots)
		}
	}
}

// While you stand still the opponent plays on; time that has passed already and more than a second at once change
// nothing, so a page that was asleep does not freeze.
func TestTheOpponentPlaysItself(t *testing.T) {
	m := newMatch(t, 50, 0, 0, 1)
	way := 0.0
	for range 5 * stepRate {
		before := m.after[ServerTruth][1].Position
		m.Advance(second/stepRate, &Controls{})
		way += m.after[ServerTruth][1].Position.Dist(before)
	}
	if way < 5 {
		t.Errorf("the opponent went %.2f m in 5 s, want 5 m at least", way)
	}
	shown := m.shown
	if m.Advance(-second, nil); m.shown != shown {
		t.Errorf("a step back shows %v, want %v", m.shown, shown)
	}
	if m.Advance(3600*second, nil); m.shown != shown+second {
		t.Errorf("an hour at once shows %v, want a second after %v", m.shown, shown)
	}
}
