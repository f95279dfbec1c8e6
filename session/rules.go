package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session/field"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// rules adapts a Game to predict, which has no world: each command is simulated in the world at
// its own platform time, among its obstacles. Where the game leaves a function nil, it does
// what Game documents.
type rules[S comparable, C any] struct {
	game      Game[S, C]
	specs     []field.Spec // of its Fields
	view      collide.WorldAt
	step      Move            // scratch
	obstacles *obstacleFinder // nil: players do not block each other
	triggers  triggerRecorder[S]
	noShot    shot.Claim     // of a game without shots
	none      C              // the command before a first one
	exact     S              // scratch: a state without what is inexact
	packer    bits.Packer    // scratch
	packed    [maxState]byte // scratch
}

// newRules returns the rules of one end.
func newRules[S comparable, C any](game Game[S, C], world *collide.World) rules[S, C] {
	game.check()
	r := rules[S, C]{game: game, specs: game.specs(), view: collide.WorldAt{World: world}}
	r.step.Weapons = game.Combat.Weapons
	r.checkCommand()
	return r
}

// checkCommand panics if PackCommand does not read the zero command that it wrote.
func (r *rules[S, C]) checkCommand() {
	var c C
	r.packer.Write(r.packed[:])
	r.game.PackCommand(&r.packer, &c, &r.none)
	if r.packer.Err() == nil {
		r.packer.Read(r.packer.Bytes())
		r.game.PackCommand(&r.packer, &c, &r.none)
		r.packer.End()
	}
	if err := r.packer.Err(); err != nil {
		panic("session: Game.PackCommand does not read what it writes of the zero command (" + err.Error() + "): package check finds out why")
	}
}

// setWorld sets the view to the world at a command's platform time, and returns the move.
func (r *rules[S, C]) setWorld(s *S, c *predict.Command[move[C]]) *Move {
	r.view.At, r.view.Exclude = c.Stamp, nil // what the step of another move has excluded is back [BAS-17]
	if r.obstacles != nil {
		r.view.Obstacles = r.obstacles.find(r.view.World, r.game.Pose(s), c.Input.Seen, c.Stamp)
	}
	r.step.World, r.step.Duration = &r.view, c.Duration
	return &r.step
}

// Step implements predict.Rules.
func (r *rules[S, C]) Step(s *S, c *predict.Command[move[C]]) {
	m := r.setWorld(s, c)
	r.triggers.begin(s, c.Number, c.Stamp-c.Duration)
	r.game.Step(m, s, &c.Input.Game)
	r.triggers.end()
}

// Combine implements predict.Rules. A shot leaves from the state before its own command.
func (r *rules[S, C]) Combine(start, between *S, first, second *predict.Command[move[C]]) bool {
	if r.game.Combine == nil || r.Trigger(&first.Input.Game).Fire || r.Trigger(&second.Input.Game).Fire {
		return false
	}
	m := r.setWorld(start, second)
	m.Duration = first.Duration + second.Duration
	return r.game.Combine(m, start, between, &first.Input.Game, &second.Input.Game)
}

// Differ implements predict.Rules.
func (r *rules[S, C]) Differ(predicted, truth *S, into []predict.Difference) []predict.Difference {
	if r.game.Differ == nil {
		return into
	}
	return r.game.Differ(predicted, truth, into)
}

// ClearOneTime implements predict.Rules.
func (r *rules[S, C]) ClearOneTime(c *move[C]) { r.clearOneTime(&c.Game) }

// clearOneTime strips what happens once. A shot always does: the second command of a long frame, or a filled gap,
// would fire again, with a weapon that is not ready.
func (r *rules[S, C]) clearOneTime(c *C) {
	if r.game.ClearOneTime != nil {
		r.game.ClearOneTime(c)
	}
	*r.Trigger(c) = shot.Claim{}
}

// ReleaseHeld implements predict.HeldReleaser.
func (r *rules[S, C]) ReleaseHeld(c *move[C]) {
	if r.game.ReleaseHeld != nil {
		r.game.ReleaseHeld(&c.Game)
		return
	}
	*c = move[C]{Seen: c.Seen}
}

// Trust implements predict.Truster.
func (r *rules[S, C]) Trust(s *S, claimed geom.Vec3) bool {
	return r.game.Trust != nil && r.game.Trust(s, claimed)
}

// PackCommand implements predict.Rules.
func (r *rules[S, C]) PackCommand(p *bits.Packer, c, before *move[C]) {
	if r.obstacles != nil {
		c.packSeen(p, before)
	}
	r.game.PackCommand(p, &c.Game, &before.Game)
}

// PackState implements predict.Rules.
func (r *rules[S, C]) PackState(p *bits.Packer, s *S) { r.game.PackState(p, s) }

// Position implements predict.Rules.
func (r *rules[S, C]) Position(s *S) geom.Vec3 { return r.game.Position(s) }

// Digest implements predict.Rules.
func (r *rules[S, C]) Digest(s *S) uint16 {
	switch {
	case r.game.Digest != nil:
		return r.game.Digest(s)
	case r.game.ClearInexact == nil:
		return 0
	}
	r.exact = *s
	r.game.ClearInexact(&r.exact)
	r.packer.Write(r.packed[:])
	r.game.PackState(&r.packer, &r.exact)
	sum := uint32(2166136261) // FNV-1a
	for _, b := range r.packer.Bytes() {
		sum = (sum ^ uint32(b)) * 16777619
	}
	return uint16(sum) ^ uint16(sum>>16)
}

// Important implements predict.Rules: the move has a shot or begins to strike, or others see a change that no
// interpolation shows: of mode, stance, and the game's data.
func (r *rules[S, C]) Important(before, after *S, c *predict.Command[move[C]]) bool {
	if r.Trigger(&c.Input.Game).Fire {
		if u := r.Fired(before, &c.Input.Game, after); u.Fired && u.From == 0 {
			return true
		}
	}
	was, is := r.Pose(before), r.Pose(after)
	was.ClipAt, is.ClipAt = 0, 0 // it may follow a countdown
	return was.Mode != is.Mode || was.Crouched != is.Crouched || was.GameData != is.GameData
}

// Pose returns what others see of a state.
func (r *rules[S, C]) Pose(s *S) track.Sample { return r.game.Pose(s) }

// Eye returns where a player sees and shoots from.
func (r *rules[S, C]) Eye(s *S) geom.Vec3 {
	if r.game.Eye == nil {
		return r.game.Position(s)
	}
	return r.game.Eye(s)
}

// Trigger returns the place in c for the claim of a shot.
func (r *rules[S, C]) Trigger(c *C) *shot.Claim {
	if r.game.Combat.Trigger == nil {
		r.noShot = shot.Claim{}
		return &r.noShot
	}
	return r.game.Combat.Trigger(c)
}

// Fired returns the result of the shot of a command that led from before to after.
func (r *rules[S, C]) Fired(before *S, c *C, after *S) shot.FireResult {
	if r.game.Combat.Fired == nil {
		return shot.FireResult{}
	}
	return r.game.Combat.Fired(r.step.Weapons, before, c, after)
}

// Weapons returns the match's table.
func (r *rules[S, C]) Weapons() shot.Table { return r.step.Weapons }

// quantise makes a command what a reader gets. A command that cannot be packed and read becomes the zero
// command: that is a bug of the game, which package check finds, and the match continues.
func (r *rules[S, C]) quantise(c *C) {
	r.packer.WriteClamped(r.packed[:])
	r.game.PackCommand(&r.packer, c, &r.none)
	if r.packer.Err() == nil {
		r.packer.Read(r.packer.Bytes())
		*c = r.none // what is not packed does not reach the server, so nor does it count here
		r.game.PackCommand(&r.packer, c, &r.none)
		r.packer.End()
	}
	if r.packer.Err() != nil {
		*c = r.none
	}
}
