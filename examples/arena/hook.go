package arena

import (
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// Grappling is the arena's own mode of movement: a hero hangs on its hook's rope.
// It shows how a game adds a mode: a number from movement.Custom, a method that
// integrates one slice, and a case in Step.
const Grappling = movement.Custom

// What the dash and the hook do.
const (
	// DashTime and DashSpeed make a dash of a little over 3 m.
	DashTime  = 200 * clock.Millisecond
	DashSpeed = 16.0 // m/s
	// DashRest is from one dash to the next.
	DashRest = 1500 * clock.Millisecond

	// HookReach is how far the hook flies, in metres.
	HookReach = 25.0
	// HookTime is how long it holds, and HookRest until it flies again.
	HookTime = 3 * clock.Second
	HookRest = 800 * clock.Millisecond

	hookPull  = 34.0 // m/s² along the rope
	hookSpeed = 15.0 // m/s at most
	hookSteer = 8.0  // m/s² by input
	hookNear  = 1.4  // metres from the anchor: arrived
)

// Hook is a hero's grappling hook. The zero Hook is at rest and ready.
type Hook struct {
	// Anchor is where it holds, in metres: in the frame of Body if that moves.
	Anchor geom.Vec3
	Body   collide.BodyID
	// Left is how long it still holds, while it does, and Rest until it flies
	// again.
	Left, Rest clock.Micros
	// Held is the last command's button: a press counts once.
	Held bool
}

// At is where the hook holds in the world.
func (k *Hook) At(w *collide.WorldAt) geom.Vec3 {
	if k.Body == collide.Static || w.World == nil || w.World.Body(k.Body) == nil {
		return k.Anchor
	}
	pose := w.Pose(k.Body)
	return pose.Apply(k.Anchor)
}

// dash starts the root motion of a dash, where the command asks for one and the
// hero has rested (RMS-21): along the input, or ahead.
func (g *Game) dash(h *Hero, c *Command, d, stamp clock.Micros) {
	h.Rest = max(h.Rest-d, 0)
	if !c.Dash || h.Rest > 0 || h.Mode == movement.None || h.Mode == movement.OnPath {
		return
	}
	way := geom.Forward(c.Move.Yaw).Mul(c.Move.Forward).MulAdd(geom.Right(c.Move.Yaw), c.Move.Right).Unit()
	if way.IsZero() {
		way = geom.Forward(c.Move.Yaw)
	}
	s := rootmotion.Constant(h.Orientation().Rotate(way).Mul(DashSpeed), DashTime)
	s.Flags |= rootmotion.IgnoreVertical
	s.Finish, s.FinishVelocity = rootmotion.Clamp, geom.V(g.model.MaxWalkSpeed, 0, 0)
	if _, ok := h.Motion.Apply(s, stamp); ok {
		h.Rest = DashRest
	}
}

// reach throws the hook with a press of its button, and lets go with its release.
func (g *Game) reach(w *collide.WorldAt, h *Hero, c *Command, d clock.Micros) {
	k := &h.Hook
	pressed := c.Hook && !k.Held
	k.Held = c.Hook
	k.Rest = max(k.Rest-d, 0)
	if h.Mode == Grappling {
		if k.Left -= d; !c.Hook || k.Left <= 0 {
			h.letGo()
		}
		return
	}
	if k.Left > 0 { // it arrived, or something else ended it
		*k = Hook{Held: k.Held, Rest: HookRest}
	}
	if !pressed || k.Rest > 0 || h.Mode == movement.None || h.Mode == movement.OnPath {
		return
	}
	look := h.Orientation().Rotate(geom.Look(c.Move.Yaw, c.Move.Pitch))
	hit, ok := w.Ray(g.model.Eye(&h.State), look.Mul(HookReach))
	if !ok || hit.Body >= collide.FirstObstacle || w.Surface(hit.Body, hit.Shape).Walk == collide.Never {
		return // the cliffs are too smooth for it, and the sky too
	}
	k.Anchor, k.Body, k.Left = hit.Point, hit.Body, HookTime
	if hit.Body != collide.Static {
		pose := w.Pose(hit.Body)
		k.Anchor = pose.ApplyInverse(hit.Point)
	}
	h.Mode, h.Floor = Grappling, movement.Floor{}
}

// letGo ends the hook's hold: the hero falls, with the velocity it has.
func (h *Hero) letGo() {
	if h.Mode == Grappling {
		h.Mode, h.Hook = movement.Falling, Hook{Held: h.Hook.Held, Rest: HookRest}
	}
}

// swing integrates one slice on the rope: it pulls to the anchor and does not
// give, gravity and the input swing.
func (k *Hook) swing(f *movement.StepContext) {
	dt := f.TakeSlice()
	rope := k.At(f.World).Sub(f.Position.MulAdd(f.Up, f.Model.HalfHeight))
	far := rope.Len()
	if far < hookNear {
		f.Remaining += dt
		f.SetMode(movement.Falling)
		return
	}
	along := rope.Div(far)
	pull := along.Mul(hookPull).MulAdd(f.Up, -f.Model.Gravity).Add(f.Acceleration.ClampLen(hookSteer))
	before := f.Velocity
	v := before.MulAdd(pull, dt)
	if out := v.Dot(along); out < 0 { // the rope does not get longer
		v = v.MulAdd(along, -out)
	}
	v = f.UnderMotion(v.ClampLen(math.Max(hookSpeed, before.Len())), dt)
	f.Velocity = v
	rest := before.Add(v).Mul(float64(0.5 * dt))
	for range 3 {
		hit, blocked := f.Move(rest)
		if !blocked || hit.Penetrating {
			return
		}
		rest = rest.Mul(1 - hit.Fraction).Flat(hit.Normal)
		f.Velocity = f.Velocity.Flat(hit.Normal)
	}
}

// packMoves costs one bit for a hero who neither dashed nor threw its hook of late, and holds nothing up.
func (h *Hero) packMoves(p *bits.Packer) {
	some := h.Hook != Hook{} || h.Rest != 0 || h.Watching || h.Doomed || h.Shielded || h.Aiming
	p.Bool(&some)
	if !some {
		h.Hook, h.Rest, h.Watching, h.Doomed, h.Shielded, h.Aiming = Hook{}, 0, false, false, false, false
		return
	}
	p.Bool(&h.Watching)
	p.Bool(&h.Doomed)
	p.Bool(&h.Shielded)
	p.Bool(&h.Aiming)
	packTime(p, &h.Rest, DashRest)
	k := &h.Hook
	p.Bool(&k.Held)
	packTime(p, &k.Rest, HookRest)
	packTime(p, &k.Left, HookTime)
	body := uint16(k.Body)
	p.Uint16(&body)
	k.Body = collide.BodyID(body)
	p.Vec64(&k.Anchor)
	if !(k.Anchor.LenSq() <= 3*maxAnchor*maxAnchor) || k.Body >= collide.FirstObstacle {
		p.Fail(bits.ErrRange)
		*k = Hook{}
	}
	if *k == (Hook{}) && h.Rest == 0 && !h.Watching && !h.Doomed && !h.Shielded && !h.Aiming { // one bit says so
		p.Fail(bits.ErrRange)
	}
}

// maxAnchor bounds where a hook may hold, in metres.
const maxAnchor = 1e7

// packTime packs a time of 0 … most.
func packTime(p *bits.Packer, t *clock.Micros, most clock.Micros) {
	n := int64(*t)
	p.Varint(&n)
	if n < 0 || n > int64(most) {
		p.Fail(bits.ErrRange)
		n = 0
	}
	*t = clock.Micros(n)
}
