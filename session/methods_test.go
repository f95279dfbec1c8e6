package session_test

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The toys of these tests are types with methods, so that one embeds another and changes a
// method. methods are those that every toy has; gameOf makes a session.Game of a toy.
type methods[S comparable, C any] interface {
	Step(w *collide.WorldAt, s *S, c *C, d clock.Micros)
	PackCommand(p *bits.Packer, c, before *C)
	PackState(p *bits.Packer, s *S)
	Position(s *S) geom.Vec3
	Digest(s *S) uint16
	Pose(s *S) track.Sample
	Eye(s *S) geom.Vec3
}

// The methods that some toys have.
type (
	armedMethods[S, C any] interface {
		ClearOneTime(c *C)
		Trigger(c *C) *shot.Claim
		Fired(before *S, c *C, after *S) shot.FireResult
		Weapons() []shot.Weapon
	}
	combineMethod[S, C any] interface {
		Combine(w *collide.WorldAt, start, between *S, first, second *C, d clock.Micros) bool
	}
	releaseMethod[C any] interface{ ReleaseHeld(c *C) }
	trustMethod[S any]   interface {
		Trust(s *S, claimed geom.Vec3) bool
	}
	differMethod[S any] interface {
		Differ(predicted, truth *S, into []predict.Difference) []predict.Difference
	}
	swingMethod[S, C any] interface{ Swing(s *S, c *C) bool }
	bodyMethod            interface {
		BodyCapsule(pose *track.Sample) (geom.Capsule, bool)
	}
	hitboxesMethod interface{ Hitboxes() rewind.HitboxProvider }
	blockersMethod interface{ Blockers() rewind.Blockers }
)

// gameOf makes a game of a toy.
func gameOf[S comparable, C any](toy methods[S, C]) session.Game[S, C] {
	g := session.Game[S, C]{
		Fields:      []session.Field[S]{{Name: "note", Audience: session.Owner, Text: 64}},
		Step:        func(m *session.Move, s *S, c *C) { toy.Step(m.World, s, c, m.Duration) },
		PackCommand: toy.PackCommand, PackState: toy.PackState,
		Position: toy.Position, Digest: toy.Digest, Pose: toy.Pose, Eye: toy.Eye,
	}
	if t, ok := toy.(armedMethods[S, C]); ok {
		g.ClearOneTime, g.Combat.Trigger, g.Combat.Weapons = t.ClearOneTime, t.Trigger, t.Weapons()
		g.Combat.Fired = func(_ shot.Table, before *S, c *C, after *S) shot.FireResult { return t.Fired(before, c, after) }
		g.Combat = combat.NewRules(g.Combat)
	}
	if t, ok := toy.(combineMethod[S, C]); ok {
		g.Combine = func(m *session.Move, start, between *S, first, second *C) bool {
			return t.Combine(m.World, start, between, first, second, m.Duration)
		}
	}
	if t, ok := toy.(releaseMethod[C]); ok {
		g.ReleaseHeld = t.ReleaseHeld
	}
	if t, ok := toy.(trustMethod[S]); ok {
		g.Trust = t.Trust
	}
	if t, ok := toy.(differMethod[S]); ok {
		g.Differ = t.Differ
	}
	if t, ok := toy.(swingMethod[S, C]); ok {
		g.Combat.Claim = func(_ shot.Table, s *S, c *C) bool { return t.Swing(s, c) }
	}
	if t, ok := toy.(bodyMethod); ok {
		g.BodyCapsule = t.BodyCapsule
	}
	if t, ok := toy.(hitboxesMethod); ok {
		g.Hitboxes = t.Hitboxes
	}
	if t, ok := toy.(blockersMethod); ok {
		g.Blockers = t.Blockers
	}
	return g
}
