package session_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// merging is a toy whose commands may be combined while the input does not change.
type merging struct {
	toy
	slow clock.Micros // how many times slower everything moves
}

func (g *merging) Step(w *collide.WorldAt, s *toyState, c *toyCommand, d clock.Micros) {
	g.toy.Step(w, s, c, d/g.slow)
}

func (g *merging) Combine(_ *collide.WorldAt, start, between *toyState, first, second *toyCommand, d clock.Micros) bool {
	return !first.Shot.Fire && !second.Shot.Fire && first.X == second.X && first.Z == second.Z
}

// stretch is one client of any frame rate with a server of 60 ticks and nothing between
// them.
type stretch struct {
	t      *testing.T
	m      *match
	c      *toyClient
	input  func(frame int) toyCommand
	frame  int
	fps    float64
	uneven bool         // frames take 0.2 to 1.8 times as long as they should
	grain  clock.Micros // of the clock that the client reads
	local  clock.Micros
	tick   int64
	sent   []clock.Micros // when datagrams were
	sizes  int
	events []session.Event
}

func newStretch(t *testing.T, game, server toyGame, config session.ClientConfig, fps float64) *stretch {
	s := &stretch{t: t, fps: fps, m: newMatchOf(t, session.ServerConfig{}, server),
		c: session.NewClient(gameOf[toyState, toyCommand](game), config)}
	s.input = func(int) toyCommand { return hold(1, 0) }
	s.c.Hello("Ada", session.Key{})
	s.run(2)
	if s.c.Phase() != session.Playing {
		t.Fatalf("phase %d after two seconds", s.c.Phase())
	}
	return s
}

// run plays for so many seconds, and forgets what was sent before.
func (s *stretch) run(seconds float64) {
	s.sent, s.sizes = s.sent[:0], 0
	end := s.local + clock.Micros(seconds*1e6)
	for s.local < end {
		s.frame++
		s.local = s.drawn()
		for ; clock.TickTime(s.tick+1, 60) <= s.local; s.tick++ {
			s.m.Tick(clock.TickTime(s.tick+1, 60))
			for _, p := range s.m.Outgoing() {
				if err := s.c.Receive(p.Channel, clock.TickTime(s.tick+1, 60), p.Bytes); err != nil {
					s.t.Fatal(err)
				}
			}
		}
		for _, e := range s.c.Events() {
			s.events = append(s.events, e)
			if e.Kind == session.Welcomed {
				s.c.EnterWorld(plane(s.t))
			}
		}
		c := s.input(s.frame)
		s.c.Frame(s.local, &c)
		for _, p := range s.c.Outgoing() {
			if p.Channel == session.Datagram {
				s.sent = append(s.sent, s.local)
				s.sizes += len(p.Bytes)
			}
			if err := s.m.Receive(1, p.Channel, s.local, p.Bytes); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// drawn is when the newest frame is.
func (s *stretch) drawn() clock.Micros {
	at := float64(s.frame)
	if s.uneven {
		at += float64(s.frame*7%11)/11*0.8 - 0.4
	}
	now := clock.Micros(at * 1e6 / s.fps)
	return now - now%max(s.grain, 1)
}

// SND-02, SND-03: 60 datagrams a second are asked for. What frames come in between them
// makes no more, and nor does slow motion (SND-05).
func TestDatagramsASecond(t *testing.T) {
	quick, slow := clock.Micros(1), clock.Micros(10)
	for _, c := range []struct {
		fps      float64
		sendRate int
		motion   clock.Micros
		want     int
	}{
		{240, 0, quick, 60}, {144, 0, quick, 48}, {120, 0, quick, 60}, {90, 0, quick, 45}, {60, 0, quick, 60}, {30, 0, quick, 30},
		{240, 30, quick, 30}, {1000, 500, quick, 500}, {240, 0, slow, 60}, {144, 0, slow, 48},
	} {
		s := newStretch(t, &merging{*newToy(), c.motion}, &merging{*newToy(), c.motion}, session.ClientConfig{SendRate: c.sendRate}, c.fps)
		s.run(10)
		if got := float64(len(s.sent)) / 10; got < float64(c.want)-0.5 || got > float64(c.want)+0.5 {
			t.Errorf("%v frames a second, %+v: %v datagrams a second, want %d", c.fps, c, got, c.want)
		}
		if n := s.c.Stats().Moves.Corrections; n != 0 {
			t.Errorf("%v frames a second, %+v: %d corrections", c.fps, c, n)
		}
		t.Logf("%v frames: %d datagrams of %.1f bytes, moves %+v", c.fps, len(s.sent), float64(s.sizes)/float64(len(s.sent)), s.c.Stats().Moves)
	}
}

// SND-04: where a press keeps two moves from being one, both are sent at once: 240 frames a
// second of input that changes in each make 120 datagrams. 2,000 frames a second make no more
// than the moves that can be made apart (SND-08), and never more than the server takes. [SND-01, GAP-19]
func TestWhatMustNotWait(t *testing.T) {
	for _, c := range []struct {
		fps  float64
		want int
	}{{240, 120}, {2000, 222}} {
		s := newStretch(t, &merging{*newToy(), 1}, newToy(), session.ClientConfig{}, c.fps)
		s.input = func(frame int) toyCommand { return hold(frame%3-1, frame/3%3-1) }
		s.run(4)
		if got := len(s.sent) / 4; got < c.want-2 || got > c.want+1 {
			t.Errorf("%v frames a second: %d datagrams a second, want %d", c.fps, got, c.want)
		}
		for i := 1; i < len(s.sent); i++ {
			if gap := s.sent[i] - s.sent[i-1]; gap < 2*clock.Millisecond {
				t.Fatalf("%v frames a second: two datagrams within %d µs", c.fps, gap)
			}
		}
		if p := s.m.Players(nil)[0]; p.Traffic.Bad != 0 || !p.Connected {
			t.Errorf("%v frames a second: %+v", c.fps, p)
		}
	}
}

// counting is a toy whose digest changes with every move, as that of a state with a cooldown does.
type counting struct{ merging }

func (g *counting) Digest(s *toyState) uint16 { return uint16(math.Float64bits(s.Pos.X) >> 20) }

// A countdown in the state must agree on both ends, but is no news to others: moves wait and combine. [CMD-10]
func TestACountdownIsNotUrgent(t *testing.T) {
	game := &counting{merging{*newToy(), 1}}
	s := newStretch(t, game, game, session.ClientConfig{}, 240)
	before := s.c.Stats().Moves
	s.run(4)
	m := s.c.Stats().Moves
	made, joined := m.Made-before.Made, m.Combined-before.Combined
	if got := len(s.sent) / 4; got > 61 || made > 250 || joined < 600 || m.Corrections != 0 {
		t.Errorf("%d datagrams a second, %d moves made of 960 frames, %d combined, %d corrections; want 60, 240, 720, 0", got, made, joined, m.Corrections)
	}
}

// GAP-68: with a fixed tick, commands are all of one length whatever the frame rate,
// end to end, and the view is between the last two states: it moves evenly.
func TestFixedTick(t *testing.T) {
	for _, c := range []struct {
		tick int
		fps  float64
		want clock.Micros
	}{{60, 240, 16_680}, {60, 144, 16_680}, {60, 60, 16_680}, {60, 37, 16_680}, {30, 144, 33_320}, {128, 60, 7_800}} {
		s := newStretch(t, newToy(), newToy(), session.ClientConfig{Tick: c.tick}, c.fps)
		w := &lengths{}
		s.m.Server().Observe(w)
		last, worst := 0.0, 0.0
		for range 300 {
			s.run(1 / s.fps / 2)
			x := s.c.StateBefore().Pos.Lerp(s.c.Self().Pos, s.c.InterpolationAlpha()).X
			if last != 0 {
				worst = max(worst, math.Abs(x-last-toySpeed/c.fps))
			}
			last = x
			pose := s.c.DrawnPose()
			drawn, _ := s.c.Drawn()
			if want := newToy().Pose(s.c.Self()); pose.Position != drawn || pose.Velocity != want.Velocity || pose.Mode != want.Mode || pose.Dead {
				t.Fatalf("%d ticks, %v frames: the own character is drawn at %v as %+v, want %+v at %v", c.tick, c.fps, pose.Position, pose.Pose, want.Pose, drawn)
			}
		}
		if len(w.of) != 1 || w.of[c.want] < 60 || w.gaps != 0 || w.fillers != 0 {
			t.Errorf("%d ticks, %v frames: %+v, want all of %d µs", c.tick, c.fps, w, c.want)
		}
		if worst > 0.002 {
			t.Errorf("%d ticks, %v frames: a frame is off by %.4f m", c.tick, c.fps, worst)
		}
		if m := s.c.Stats().Moves; m.Corrections != 0 || m.Combined != 0 {
			t.Errorf("%d ticks, %v frames: %+v", c.tick, c.fps, m)
		}
	}
}

// lengths is how long the moves were that a server ran.
type lengths struct {
	quiet
	of            map[clock.Micros]int
	gaps, fillers int
}

func (l *lengths) String() string {
	return fmt.Sprintf("%v, %d gaps, %d fillers", l.of, l.gaps, l.fillers)
}

func (l *lengths) ObserveMove(m *session.MoveStep) {
	if l.of == nil {
		l.of = map[clock.Micros]int{}
	}
	if m.GapFill {
		l.fillers++
	}
	l.of[m.Duration]++
}

// A shot and a press between two ticks ride in the next one, once; what goes on does
// in every tick that a slow frame makes. [ENT-05, GAP-68]
func TestBetweenTicks(t *testing.T) {
	s := newStretch(t, newToy(), newToy(), session.ClientConfig{Tick: 60}, 240)
	shots, waited := 0, 0
	s.input = func(frame int) toyCommand {
		c := hold(1, 0)
		if frame%47 == 0 && s.c.Self().Ammo.Ready() && !s.c.Waiting() {
			c.Shot.Pitch = -0.2
			s.c.Aim(&c.Shot)
			shots++
		} else if s.c.Waiting() {
			waited++
		}
		return c
	}
	s.run(10)
	s.input = func(int) toyCommand { return hold(0, 0) }
	s.run(1)
	verdicts := 0
	for _, e := range s.events {
		if e.Kind == session.ShotJudged {
			verdicts++
			if !e.Receipt.Agrees {
				t.Errorf("not as seen: %+v", e.Receipt)
			}
		}
	}
	if shots < 40 || verdicts != shots || waited == 0 {
		t.Errorf("%d shots, %d verdicts, waited in %d frames", shots, verdicts, waited)
	}
}

// A browser that resists fingerprinting tells its pages the time in steps of a sixtieth of a second, so at 144 frames a
// second more than half of the frames take no time. The shots of those frames are fired too, and hit as seen. [ENT-05]
func TestFramesOfNoTime(t *testing.T) {
	s := newStretch(t, newToy(), newToy(), session.ClientConfig{}, 144)
	s.grain = 16_667
	shots, still, before := 0, 0, s.local
	s.input = func(frame int) toyCommand {
		c := hold(1, 0)
		if frame%47 == 0 && s.c.Self().Ammo.Ready() && !s.c.Waiting() {
			c.Shot.Pitch = -0.2
			s.c.Aim(&c.Shot)
			if shots++; s.local == before {
				still++
			}
		}
		before = s.local
		return c
	}
	s.run(20)
	s.input = func(int) toyCommand { return hold(0, 0) }
	s.run(1)
	verdicts, wrong := 0, 0
	for _, e := range s.events {
		if e.Kind == session.ShotJudged {
			if verdicts++; !e.Receipt.Agrees {
				wrong++
			}
		}
	}
	if verdicts != shots || wrong > 0 || still < 20 {
		t.Errorf("%d shots, %d of them in frames of no time: got %d verdicts, %d not as seen; want a verdict on each, all as seen, and 20 in such frames",
			shots, still, verdicts, wrong)
	}
}

// SND-09: a trigger that is held, aimed in each frame in which the weapon is ready, fires as
// the weapon allows at any tick and frame rate, and no shot is refused: one that was aimed for
// a command that has what waited before it is none.
func TestHeldTriggerOfAFixedTick(t *testing.T) {
	for _, tick := range []int{20, 30, 60, 128} {
		for _, fps := range []float64{10, 24, 37, 60, 144, 1000} {
			s := newStretch(t, newToy(), newToy(), session.ClientConfig{Tick: tick}, fps)
			s.input = func(int) toyCommand {
				c := hold(1, 0)
				if s.c.Self().Ammo.Ready() {
					c.Shot.Pitch = -0.2
					s.c.Aim(&c.Shot)
				}
				return c
			}
			s.run(5)
			shots, wrong := 0, 0
			for _, e := range s.events {
				if e.Kind == session.ShotJudged {
					if shots++; !e.Receipt.Agrees {
						wrong++
					}
				}
			}
			t.Logf("%d ticks, %v frames: %d shots, %d refused or not as seen", tick, fps, shots, wrong)
			if shots < 25 || wrong != 0 {
				t.Errorf("%d ticks, %v frames: %d shots, %d refused or not as seen, want none", tick, fps, shots, wrong)
			}
		}
	}
}

// quiet is a Watcher that looks at nothing.
type quiet struct{}

func (quiet) ObserveShot(*shot.Shot, *shot.Receipt, []track.Entity) {}

// turning is a toy that turns as it goes.
type turning struct{ toy }

func (g *turning) Pose(s *toyState) track.Sample {
	pose := g.toy.Pose(s)
	pose.Yaw, pose.Pitch = s.Pos.X/10, s.Pos.X/20
	return pose
}

// GAP-68: between two ticks the own character also turns evenly.
func TestFixedTickTurnsEvenly(t *testing.T) {
	game := &turning{*newToy()}
	s := newStretch(t, game, game, session.ClientConfig{Tick: 60}, 240)
	last, worst := 0.0, 0.0
	for range 300 {
		s.run(1 / s.fps / 2)
		pose := s.c.DrawnPose()
		if math.Abs(pose.Pitch-pose.Yaw/2) > 1e-9 {
			t.Fatalf("pitch %v, want half of the yaw %v", pose.Pitch, pose.Yaw)
		}
		if last != 0 {
			worst = max(worst, math.Abs(pose.Yaw-last-toySpeed/s.fps/10))
		}
		last = pose.Yaw
	}
	if worst > 0.0002 {
		t.Errorf("a frame is off by %.4f radians", worst)
	}
}
