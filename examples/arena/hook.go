package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/rootmotion"
)

// Grappling is the arena's own movement mode: a hero hangs on its hook's rope. It shows how
// a game adds a mode: a number from movement.Custom, a method that integrates one slice,
// and a case in Step.
const Grappling = movement.Custom

// The parameters of dash and hook.
const (
	// DashTime and DashSpeed make a dash of a little over 3 m.
	DashTime  = 200 * clock.Millisecond
	DashSpeed = 16.0 // m/s
	// DashCooldown is the time between two dashes.
	DashCooldown = 1500 * clock.Millisecond

	// HookReach is the range of the hook, in metres.
	HookReach = 25.0
	// HookTime is how long it holds, and HookCooldown the time until the next throw.
	HookTime     = 3 * clock.Second
	HookCooldown = 800 * clock.Millisecond

	hookPull  = 34.0 // m/s² along the rope
	hookSpeed = 15.0 // m/s at most
	hookSteer = 8.0  // m/s² by input
	hookNear  = 1.4  // metres from the anchor: arrived
)

// Hook is a hero's grappling hook. The zero Hook is ready.
type Hook struct {
	// Anchor is where it holds, in metres: in the space of Mover if that moves.
	Anchor geom.Vec3
	Mover  collide.MoverID
	// Remaining is how long it still holds, and Cooldown the time until the next throw.
	Remaining, Cooldown clock.Micros
	// Held is the button of the last command: a press counts once.
	Held bool
}

// At returns where the hook holds in the world.
func (k *Hook) At(w *collide.WorldAt) geom.Vec3 {
	if k.Mover == collide.Static || w.World == nil || w.World.Mover(k.Mover) == nil {
		return k.Anchor
	}
	pose := w.Pose(k.Mover)
	return pose.Apply(k.Anchor)
}

// dash starts the root motion of a dash, along the input or ahead, if the command requests
// one and the cooldown is over. [RMS-21]
func (g *Game) dash(h *Hero, c *Command, d, stamp clock.Micros) {
	h.DashCooldown = max(h.DashCooldown-d, 0)
	if !c.Dash || h.DashCooldown > 0 || h.Mode == movement.None || h.Mode == movement.OnPath {
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
		h.DashCooldown = DashCooldown
	}
}

// updateHook throws the hook when its button is pressed, and releases it when the button is
// released.
func (g *Game) updateHook(w *collide.WorldAt, h *Hero, c *Command, d clock.Micros) {
	k := &h.Hook
	pressed := c.Hook && !k.Held
	k.Held = c.Hook
	k.Cooldown = max(k.Cooldown-d, 0)
	if h.Mode == Grappling {
		if k.Remaining -= d; !c.Hook || k.Remaining <= 0 {
			h.releaseHook()
		}
		return
	}
	if k.Remaining > 0 { // it arrived, or something else ended it
		*k = Hook{Held: k.Held, Cooldown: HookCooldown}
	}
	if !pressed || k.Cooldown > 0 || h.Mode == movement.None || h.Mode == movement.OnPath {
		return
	}
	look := h.Orientation().Rotate(geom.Look(c.Move.Yaw, c.Move.Pitch))
	hit, ok := w.Ray(g.model.Eye(&h.State), look.Mul(HookReach))
	if !ok || hit.Mover >= collide.FirstObstacle || w.Surface(hit.Mover, hit.Shape).Walk == collide.Never {
		return // cliffs and sky hold no hook
	}
	k.Anchor, k.Mover, k.Remaining = hit.Point, hit.Mover, HookTime
	if hit.Mover != collide.Static {
		pose := w.Pose(hit.Mover)
		k.Anchor = pose.ApplyInverse(hit.Point)
	}
	h.Mode, h.Floor = Grappling, movement.Floor{}
}

// releaseHook ends the hook's hold: the hero falls with its velocity.
func (h *Hero) releaseHook() {
	if h.Mode == Grappling {
		h.Mode, h.Hook = movement.Falling, Hook{Held: h.Hook.Held, Cooldown: HookCooldown}
	}
}

// swing integrates one slice on the rope, which pulls to the anchor and does not stretch;
// gravity and input make the hero swing.
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
	v = f.UnderMotion(v.ClampLen(max(hookSpeed, before.Len())), dt)
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

// packMoves takes one bit for a hero with all abilities at rest.
func (h *Hero) packMoves(p *bits.Packer) {
	some := h.Hook != Hook{} || h.DashCooldown != 0 || h.Spectating || h.Doomed || h.Shielded || h.Aiming
	p.Bool(&some)
	if !some {
		h.Hook, h.DashCooldown, h.Spectating, h.Doomed, h.Shielded, h.Aiming = Hook{}, 0, false, false, false, false
		return
	}
	p.Bool(&h.Spectating)
	p.Bool(&h.Doomed)
	p.Bool(&h.Shielded)
	p.Bool(&h.Aiming)
	packTime(p, &h.DashCooldown, DashCooldown)
	k := &h.Hook
	p.Bool(&k.Held)
	packTime(p, &k.Cooldown, HookCooldown)
	packTime(p, &k.Remaining, HookTime)
	mover := uint16(k.Mover)
	p.Uint16(&mover)
	k.Mover = collide.MoverID(mover)
	p.Vec64(&k.Anchor)
	if !(k.Anchor.LenSq() <= 3*maxAnchor*maxAnchor) || k.Mover >= collide.FirstObstacle {
		p.Fail(bits.ErrRange)
		*k = Hook{}
	}
	if *k == (Hook{}) && h.DashCooldown == 0 && !h.Spectating && !h.Doomed && !h.Shielded && !h.Aiming { // canonical: one bit says so
		p.Fail(bits.ErrRange)
	}
}

// maxAnchor bounds the anchor of a hook, in metres.
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
