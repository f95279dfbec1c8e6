package scenario

import (
	"cmp"
	"math"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// Input is the input of a script at one display frame.
type Input struct {
	// Forward and Right are −1 … 1 relative to Yaw, together of length 1 at most.
	Forward, Right float64
	// Up is −1 … 1, for swimming and flying.
	Up float64
	// Yaw and Pitch of the view are in radians.
	Yaw, Pitch   float64
	Jump, Crouch bool // held, or pressed since the last frame
	// Buttons are the game's own that are held, or pressed since the last frame, in the order of
	// their first press. Valid until the next Frame.
	Buttons []string
	// Shots are fired at this frame, Motions started by the owner with it. Valid until the next
	// Frame.
	Shots   []Fire
	Motions []*RootMotion
	// NextWeapon is the weapon of the next shot after this frame, or of the last shot once there
	// is no next one. Empty where the script has no shots.
	NextWeapon string
}

// Cursor plays a player's script, frame by frame. Make one with [NewCursor].
type Cursor struct {
	script       []Entry
	next         int
	fires        int    // index of the next entry that fires
	weapon       string // of it, or else of the last
	forward      float64
	right        float64
	up           float64
	yaw, pitch   float64
	turn, tilt   float64      // radians a second
	turned       clock.Micros // up to when the yaw has turned
	jump, crouch button
	own          []button // the game's
	names        []string // of own
	input        Input
}

// NewCursor returns a cursor at the beginning of a player's script: no button is held, and the
// view has the player's yaw. A bot's script is empty.
func NewCursor(p *Player) *Cursor {
	c := &Cursor{yaw: p.Yaw}
	if p.Bot == "none" || p.Bot == "" {
		c.script = p.Script
	}
	return c
}

// Frame returns the input at a display frame, at match time t by the client's own estimate. An
// entry takes effect at the first frame at or after its time, and holds until a later one changes
// it. A button that was pressed and released since the last frame is pressed for this one. Each
// shot is fired once. An estimate that goes back repeats nothing.
func (c *Cursor) Frame(t clock.Micros) Input {
	in := Input{Shots: c.input.Shots[:0], Motions: c.input.Motions[:0], Buttons: c.input.Buttons[:0]}
	for c.next < len(c.script) && c.script[c.next].At <= t {
		c.turnTo(c.script[c.next].At)
		c.apply(&c.script[c.next], &in)
		c.next++
	}
	c.turnTo(t)
	stick := geom.V(c.right, 0, -c.forward).ClampLen(1)
	in.Forward, in.Right, in.Yaw = -stick.Z, stick.X, c.yaw
	in.Up, in.Pitch = c.up, c.pitch
	in.NextWeapon = c.nextWeapon()
	in.Jump, in.Crouch = c.jump.read(), c.crouch.read()
	for i := range c.own {
		if c.own[i].read() {
			in.Buttons = append(in.Buttons, c.names[i])
		}
	}
	c.input = in
	return in
}

// nextWeapon returns the weapon of the next shot of the script.
func (c *Cursor) nextWeapon() string {
	c.fires = max(c.fires, c.next)
	for c.fires < len(c.script) && c.script[c.fires].Fire == nil {
		c.fires++
	}
	if c.fires < len(c.script) {
		c.weapon = c.script[c.fires].Fire.Weapon
	}
	return c.weapon
}

// turnTo turns the view up to a match time. The yaw wraps; the pitch stops at straight up and
// down.
func (c *Cursor) turnTo(t clock.Micros) {
	if t <= c.turned {
		return
	}
	d := (t - c.turned).Seconds()
	c.turned = t
	if c.turn != 0 {
		c.yaw = geom.WrapAngle(c.yaw + float64(c.turn*d))
	}
	if c.tilt != 0 {
		c.pitch = max(min(c.pitch+float64(c.tilt*d), math.Pi/2), -math.Pi/2)
	}
}

// apply applies one entry.
func (c *Cursor) apply(e *Entry, in *Input) {
	change(&c.forward, e.Forward)
	change(&c.right, e.Right)
	change(&c.up, e.Up)
	change(&c.yaw, e.Yaw)
	change(&c.turn, e.Turn)
	change(&c.tilt, e.Tilt)
	change(&c.pitch, e.Pitch)
	c.jump.change(e.Jump)
	c.crouch.change(e.Crouch)
	c.press(e.Release, false)
	c.press(e.Press, true)
	if e.Fire != nil {
		in.Shots = append(in.Shots, *e.Fire)
	}
	if e.RootMotion != nil && e.RootMotion.ByOwner {
		in.Motions = append(in.Motions, e.RootMotion)
	}
}

// press presses or releases one of the game's buttons; the empty name is none.
func (c *Cursor) press(name string, to bool) {
	if name == "" {
		return
	}
	i := slices.Index(c.names, name)
	if i < 0 {
		i = len(c.names)
		c.names, c.own = append(c.names, name), append(c.own, button{})
	}
	c.own[i].change(&to)
}

func change[T any](into *T, to *T) {
	if to != nil {
		*into = *to
	}
}

// button is a button that remembers a press until a frame has read it.
type button struct{ held, pressed bool }

func (b *button) change(to *bool) {
	if to != nil {
		b.held = *to
		b.pressed = b.pressed || *to
	}
}

func (b *button) read() bool {
	down := b.held || b.pressed
	b.pressed = false
	return down
}

// ServerAction is an action of the server on a player: the server's part of an Entry.
type ServerAction struct {
	At     clock.Micros // match time since time zero
	Player int          // index in Players
	// Mode, Push and RootMotion are empty or nil where the action has none. Path goes with mode
	// path.
	Mode       string
	Path       int
	Push       *geom.Vec3
	RootMotion *RootMotion
}

// ServerActions returns the server's part of all scripts, in order of time, then of players, then
// of their scripts. An action is due at the first tick at or after its time. Bots have none.
func (s *Scenario) ServerActions() []ServerAction {
	var out []ServerAction
	for i := range s.Players {
		for _, e := range NewCursor(&s.Players[i]).script {
			o := ServerAction{At: e.At, Player: i, Mode: e.Mode, Path: e.Path, Push: e.Push}
			if e.RootMotion != nil && !e.RootMotion.ByOwner {
				o.RootMotion = e.RootMotion
			}
			if o.Mode != "" || o.Push != nil || o.RootMotion != nil {
				out = append(out, o)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b ServerAction) int { return cmp.Compare(a.At, b.At) })
	return out
}
