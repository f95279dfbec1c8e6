package collide

import (
	"errors"
	"strconv"

	"github.com/backstep-net/backstep/clock"
)

// TriggerKind is the reaction of a mover of the level to a trigger.
type TriggerKind uint8

// The kinds. The waypoints of a mover are the keys of its path, counted from 1.
const (
	// Untriggered movers follow their path from match time 0 on.
	Untriggered TriggerKind = iota
	// Once goes to the last waypoint and stays there: a gate, a bridge that falls.
	Once
	// Toggle goes to the last waypoint, or back to the first if it is there or on the way
	// there: a door with a handle, a lift.
	Toggle
	// Timed goes to the last waypoint, rests there for Trigger.Hold and returns: an automatic
	// door. Each trigger while it rests there begins the rest anew.
	Timed
	// StopGo goes along a looping path and stops wherever it is: a train with a brake. Its
	// waypoints are 1, stopped, and 2, going.
	StopGo
)

// String returns the word that level files have for the kind.
func (k TriggerKind) String() string {
	if k > StopGo {
		return "unknown"
	}
	return [...]string{"untriggered", "once", "toggle", "timed", "stop_go"}[k]
}

// Trigger is how a mover of the level reacts to being triggered. The zero Trigger is that of a
// mover with a pose that is a function of match time alone.
type Trigger struct {
	// Kind of the reaction.
	Kind TriggerKind
	// Delay is the time between a trigger and the beginning of the motion, 0 … MaxDelay. Every
	// client learns of the trigger within the delay, so its prediction and its view of the mover
	// are right when it moves. Zero moves the mover at once: the prediction of the player that
	// triggered it is still right, but others see it jump when they learn of the trigger.
	Delay clock.Micros
	// Hold is how long a Timed mover rests at a waypoint other than the first, at least MinHold;
	// of other kinds it is 0.
	Hold clock.Micros
	// Running lets a StopGo mover go from match time 0 on, until it is triggered.
	Running bool
}

// Limits and defaults of triggers.
const (
	// DefaultDelay is the delay of a level file that gives none: long enough for every client to
	// learn of a trigger, at round trips of up to 150 ms.
	DefaultDelay = 200 * clock.Millisecond
	// MaxDelay is the longest delay.
	MaxDelay = 2 * clock.Second
	// MinHold is the shortest rest of a Timed mover. A character in the doorway triggers it again
	// when half of the rest is over; MinTriggerInterval has to fit into the other half.
	MinHold = 2 * MinTriggerInterval
	// MinTriggerInterval is how far apart two triggers of one mover are at least: a nearer one
	// counts as the same. Two players who press a button together do not open and close a door,
	// and nobody fills its log.
	MinTriggerInterval = 125 * clock.Millisecond
)

// Press as a waypoint lets the kind of the mover select the waypoint.
const Press = 0

// check returns an error for a trigger that does not fit a path.
func (t *Trigger) check(p *Path) error {
	what := ""
	switch {
	case t.Kind > StopGo:
		what = "Kind is unknown"
	case t.Kind == Untriggered && *t != Trigger{}:
		what = "Delay, Hold or Running without a Kind: set one"
	case t.Kind == Untriggered:
	case t.Delay < 0 || t.Delay > MaxDelay:
		what = "Delay is not 0 to 2 s"
	case t.Kind == Timed && (t.Hold < MinHold || t.Hold > MaxPathTime):
		what = "Hold of a Timed mover is not 250 ms or more"
	case t.Kind != Timed && t.Hold != 0:
		what = "Hold is for Timed movers: it has to be 0"
	case t.Kind != StopGo && t.Running:
		what = "Running is for StopGo movers"
	case p.Loop != (t.Kind == StopGo):
		what = "a StopGo mover needs a path that loops, and every other kind one that does not"
	case len(p.Keys) < 2:
		what = "the path needs two keys, where the mover rests and where it goes"
	}
	if what == "" {
		return nil
	}
	return errors.New("trigger: " + what)
}

// waypoints returns how many waypoints a triggered mover has.
func (b *Mover) waypoints() int {
	if b.Trigger.Kind == StopGo {
		return 2
	}
	return len(b.Path.Keys)
}

// checkWaypoint returns an error for a waypoint that the mover does not have.
func (b *Mover) checkWaypoint(waypoint int) error {
	if waypoint >= Press && waypoint <= b.waypoints() {
		return nil
	}
	return errors.New("waypoint " + strconv.Itoa(waypoint) + " of mover " + strconv.Quote(b.Name) + ", which has " +
		strconv.Itoa(b.waypoints()) + ": use one of those, or 0 for what its kind does")
}

// Motion is the motion of a triggered mover from an instant on: it is at Progress on its path
// at match time At and moves to a waypoint. The zero Motion is that of a mover that was never
// triggered.
type Motion struct {
	// At is the match time of the instant, Progress the time of the path, which is at most that
	// of its last key.
	At, Progress clock.Micros
	// Waypoint is where it heads for, from 1; 0 means never triggered.
	Waypoint uint16
}

// start returns the motion of a mover that was never triggered.
func (b *Mover) start() Motion {
	if b.Trigger.Running {
		return Motion{Waypoint: 2}
	}
	return Motion{Waypoint: 1}
}

// goal returns the time of the path at the waypoint that a motion heads for. The waypoint may come
// from the wire.
func (b *Mover) goal(m Motion) clock.Micros {
	return b.Path.Keys[min(int(m.Waypoint), len(b.Path.Keys))-1].At
}

// follow returns the time of the path at match time t, and whether it advances (1), rests (0) or
// goes back (−1) then. The motion must be settled.
func (b *Mover) follow(m Motion, t clock.Micros) (progress clock.Micros, direction int) {
	gone := max(t-m.At, 0)
	if b.Trigger.Kind == StopGo {
		if m.Waypoint == 1 {
			return m.Progress, 0
		}
		return m.Progress + gone, 1
	}
	goal := b.goal(m)
	switch way := goal - m.Progress; {
	case gone < way:
		return m.Progress + gone, 1
	case gone < -way:
		return m.Progress - gone, -1
	}
	return goal, 0
}

// arrival returns when a motion of a mover that is not StopGo reaches its waypoint.
func (b *Mover) arrival(m Motion) clock.Micros {
	way := b.goal(m) - m.Progress
	return m.At + max(way, -way)
}

// settle returns the motion at match time t: a Timed mover moves back when its rest is over.
func (b *Mover) settle(m Motion, t clock.Micros) Motion {
	if b.Trigger.Kind != Timed || m.Waypoint == 1 {
		return m
	}
	if returns := b.arrival(m) + b.Trigger.Hold; t >= returns {
		return Motion{At: returns, Progress: b.goal(m), Waypoint: 1}
	}
	return m
}

// target returns the waypoint that a trigger sends a mover to that moves like m.
func (b *Mover) target(m Motion, waypoint uint16) uint16 {
	last := uint16(b.waypoints())
	switch {
	case waypoint != Press:
		return min(waypoint, last)
	case m.Waypoint == last && (b.Trigger.Kind == Toggle || b.Trigger.Kind == StopGo):
		return 1
	}
	return last
}

// turn returns the settled motion after a trigger that takes effect at match time t. The pose is
// continuous, also where the mover turns round on its way.
func (b *Mover) turn(m Motion, t clock.Micros, waypoint uint16) Motion {
	target := b.target(m, waypoint)
	if target == m.Waypoint && b.Trigger.Kind != Timed {
		return m
	}
	progress, _ := b.follow(m, t)
	if end := b.Path.Keys[len(b.Path.Keys)-1].At; b.Trigger.Kind == StopGo {
		progress %= end
	}
	return Motion{At: max(t, m.At), Progress: progress, Waypoint: target}
}

// redundant reports whether a trigger that takes effect at match time t changes nothing: the
// mover goes to that waypoint already, and has not rested there for half of its Hold.
func (b *Mover) redundant(m Motion, t clock.Micros, waypoint uint16) bool {
	if b.target(m, waypoint) != m.Waypoint {
		return false
	}
	return b.Trigger.Kind != Timed || m.Waypoint == 1 || t-b.arrival(m) < b.Trigger.Hold/2
}

// motionAt returns the motion of the mover at match time t, by its log; a nil log is empty.
func (b *Mover) motionAt(log *TriggerLog, t clock.Micros) Motion {
	m := b.start()
	if log == nil {
		return m
	}
	if log.Start.Waypoint != 0 {
		m = log.Start
	}
	for i := range log.entries[:log.count] {
		e := &log.entries[i]
		begins := e.At + b.Trigger.Delay
		if begins > t {
			break
		}
		m = b.turn(b.settle(m, begins), begins, e.Waypoint)
	}
	return b.settle(m, t)
}
