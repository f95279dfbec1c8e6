package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// posing is scratch for posing, and the time of each player's death.
var posing struct {
	posture rig.Posture
	figure  rig.PosedRig
	bones   [maxFigures][]geom.Transform         // of Block.Figures
	died    [session.MaxPlayers + 1]clock.Micros // local time; 0: alive
}

// drawFigures fills the poses of the nearest remotes.
func drawFigures(p *arena.Player, local clock.Micros) {
	block.Figures = block.Figures[:0]
	var nearest [maxFigures]*track.Entity
	for _, r := range nearestEntities(p.Remotes(), p.Eye(), nearest[:0]) {
		died := &posing.died[int(r.ID)%len(posing.died)]
		switch {
		case !r.Dead:
			*died = 0
		case *died == 0:
			*died = max(local, 1)
		}
		drawFigure(p.Game(), r, local-*died)
	}
}

// drawFigure appends a figure; of a living player it is the one that shots are tested against.
func drawFigure(game *arena.Game, r *track.Entity, dead clock.Micros) {
	stands, ok := game.Figure(&r.Sample, dead, &posing.posture, &posing.figure)
	if !ok {
		return
	}
	n := len(block.Figures)
	bones := posing.bones[n][:0]
	for _, b := range posing.figure.Bones[:len(arena.CharacterRig().Bones())] {
		bones = append(bones, geom.Transform{Rotation: stands.Rotation.Mul(b.Rotation), Translation: stands.Apply(b.Translation)})
	}
	posing.bones[n] = bones
	block.Figures = append(block.Figures, Figure{Player: r.ID, Held: r.UserData, Bones: bones})
}

// pose poses the first recorded players.
//
//go:wasmexport pose
func pose(count int32) {
	block.Figures = block.Figures[:0]
	for i := range int(min(max(count, 0), maxFigures)) {
		r := controls.Recorded[i]
		r.tidy()
		drawFigure(game, &r.Entity, r.DeadFor)
	}
}

// tidy makes a record of a page's numbers one that can be posed.
func (r *Recorded) tidy() {
	for _, x := range [...]*float64{
		&r.Position.X, &r.Position.Y, &r.Position.Z, &r.Velocity.X, &r.Velocity.Y, &r.Velocity.Z,
		&r.Up.X, &r.Up.Y, &r.Up.Z, &r.Yaw, &r.Pitch, &r.StrideDistance,
		&r.Stance.Crouch, &r.Stance.Air, &r.Stance.Swim,
	} {
		if !(math.Abs(*x) <= 1e9) {
			*x = 0
		}
	}
	const hour = 3600 * clock.Second
	r.Played, r.DeadFor = min(max(r.Played, 0), hour), min(max(r.DeadFor, 0), hour)
	r.At = 1 << 40 // only differences of clip times matter
	r.ClipAt = r.At - r.Played
}

// nearestEntities returns the entities nearest to a point, as many as `into` has capacity for, the
// nearest first.
func nearestEntities(all []track.Entity, from geom.Vec3, into []*track.Entity) []*track.Entity {
	for i := range all {
		far := all[i].Position.Sub(from).LenSq()
		if len(into) < cap(into) {
			into = append(into, nil)
		} else if into[len(into)-1].Position.Sub(from).LenSq() <= far {
			continue
		}
		at := len(into) - 1
		for at > 0 && into[at-1].Position.Sub(from).LenSq() > far {
			into[at] = into[at-1]
			at--
		}
		into[at] = &all[i]
	}
	return into
}
