// Package character fills in a [session.Game] for characters: for a state that embeds
// [movement.State] and a command that embeds [movement.Command], Fill supplies all but the game's own
// part; Arm adds weapons, for a state with a [shot.Loadout] and a command with a [shot.Trigger].
// Neither changes a function that the game has set. A whole game is then a state, a command, a step, and
// the packing of its own fields:
//
//	type Hero struct {
//		movement.State
//		Fuel clock.Micros
//	}
//	type Command struct {
//		movement.Command
//		Jet bool
//	}
//
//	game := session.Game[Hero, Command]{Step: step, PackState: packHero, PackCommand: packCommand}
//	character.Fill(&game, &model)
//
// The functions keep nothing between calls, so the game serves any number of servers and
// clients. Package check tests what the game's own part may get wrong.
package character

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// State is satisfied by a pointer to a state that embeds movement.State.
type State[S any] interface {
	*S
	Character() *movement.State
}

// Command is satisfied by a pointer to a command that embeds movement.Command.
type Command[C any] interface {
	*C
	Controls() *movement.Command
}

// Fill sets the functions that a game has left nil, for the character in its state and a model, which must
// not change afterwards:
//
//   - Step moves the character by the model, and nothing else.
//   - PackCommand and PackState pack the character's part. A game with fields of its own sets
//     them itself and packs those too.
//   - Position, Eye, Pose, Differ and BodyCapsule are the character's. Pose has base, velocity,
//     view, mode and stance.
//   - ClearInexact, without a Digest: movement's mode and stance and all fields of the game's own
//     must agree exactly; position, velocity and the like need not.
//   - ReleaseHeld releases everything and keeps the view.
//   - Combine allows one command for two where movement.Model.CanCombine does, and all that the
//     game added to the command is equal and does not happen once (ClearOneTime), and the weapons do
//     (shot.Loadout.CanCombine).
func Fill[S, C comparable, PS State[S], PC Command[C]](g *session.Game[S, C], model *movement.Model) {
	clearOneTime := g.ClearOneTime
	all := session.Game[S, C]{
		Step:        func(m *session.Move, s *S, c *C) { m.Walk(model, PS(s).Character(), PC(c).Controls()) },
		PackCommand: func(p *bits.Packer, c, before *C) { PC(c).Controls().Pack(p, PC(before).Controls()) },
		PackState:   func(p *bits.Packer, s *S) { PS(s).Character().Pack(p) },
		Position:    func(s *S) geom.Vec3 { return PS(s).Character().Position },
		Eye:         func(s *S) geom.Vec3 { return model.Eye(PS(s).Character()) },
		Pose:        func(s *S) track.Sample { return Pose(PS(s).Character()) },
		ReleaseHeld: releaseHeld[C, PC],
		Differ: func(predicted, truth *S, into []predict.Difference) []predict.Difference {
			return movement.Differ(PS(predicted).Character(), PS(truth).Character(), into)
		},
		BodyCapsule: func(pose *track.Sample) (geom.Capsule, bool) {
			return model.CapsuleAt(pose.Position, pose.Up, pose.Crouched), !pose.Dead
		},
		Combine: func(m *session.Move, start, between *S, first, second *C) bool {
			return alike[C, PC](first, second, clearOneTime) && weaponsAlike(m, PS(start), PS(between)) &&
				model.CanCombine(m.World, PS(start).Character(), PS(between).Character(), PC(first).Controls(), PC(second).Controls())
		},
	}
	if g.Digest == nil {
		all.ClearInexact = func(s *S) {
			m := PS(s).Character()
			*m = movement.State{Mode: m.Mode, Crouched: m.Crouched, HalfHeight: m.HalfHeight}
		}
	}
	g.SetMissing(&all)
}

// releaseHeld releases everything and keeps the view.
func releaseHeld[C comparable, PC Command[C]](c *C) {
	m := PC(c).Controls()
	yaw, pitch := m.Yaw, m.Pitch
	var none C
	*c = none
	m.Yaw, m.Pitch = yaw, pitch
}

// alike reports whether two commands are equal besides their movement, and the first has no one-time
// input. It restores what it changes in first: a copy would be allocated.
func alike[C comparable, PC Command[C]](first, second *C, clearOneTime func(*C)) bool {
	kept := *first
	*PC(first).Controls() = *PC(second).Controls()
	equal := *first == *second
	*first = kept
	if equal && clearOneTime != nil {
		clearOneTime(first)
		equal = *first == kept
		*first = kept
	}
	return equal
}

// weaponsAlike reports whether the weapons of a state, if it has any, allow one command for two.
func weaponsAlike(m *session.Move, start, between any) bool {
	a, armed := start.(interface{ Armament() *shot.Loadout })
	if !armed {
		return true
	}
	b := between.(interface{ Armament() *shot.Loadout })
	return a.Armament().CanCombine(m.Weapons, b.Armament(), m.Duration)
}

// Pose returns what others see of a character: of a rider, its place on its base.
func Pose(s *movement.State) track.Sample {
	base, position, velocity := s.Replicated()
	return track.Sample{
		BaseLink: track.BaseLink{Base: base, Airborne: s.Mode == movement.Falling},
		Pose: track.Pose{
			Position: position, Velocity: velocity, Up: s.Up, Yaw: s.Yaw, Pitch: s.Pitch, Mode: uint8(s.Mode),
			Crouched: s.Crouched, Stance: stanceOf(s),
		},
	}
}

// stanceOf returns the target stance of a character: a session blends towards it.
func stanceOf(s *movement.State) track.Stance {
	return track.Stance{
		Crouch: share(s.Crouched),
		Air:    share(s.Mode == movement.Falling),
		Swim:   share(s.Mode == movement.Swimming || s.Mode == movement.Flying),
	}
}

// share returns 1 for true, 0 for false.
func share(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
