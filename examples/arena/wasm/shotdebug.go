package main

import (
	"math"

	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// How much is drawn of one shot at most.
const (
	maxHitboxes = 336
	maxLines    = 256
)

// drawShot fills the selected shot.
func drawShot(p *arena.Player) {
	d := &block.Shot
	*d = ShownShot{Hitboxes: d.Hitboxes[:0], Lines: d.Lines[:0], HitboxError: -1}
	if !controls.DebugShots {
		shots.chosen = 0
		return
	}
	if shots.stored() == 0 {
		return
	}
	s := shots.at(shots.chosen)
	d.Stored, d.Selected, d.Record = shots.stored(), shots.chosen, s
	d.Fired, d.ViewRequested = s.firedAt, s.claim.View.At
	if s.endedAt != 0 { // of a projectile, the final hit counts
		d.Fired, d.ViewRequested = s.endedAt, s.met
	}
	d.hitboxes(p, s.seenFigures, false)
	if s.Debug != nil && s.Debug.Known {
		d.hitboxes(p, s.Debug.Targets, true)
		d.HitboxError = hitboxError(d.Hitboxes)
	}
	d.trajectory(p, s)
}

// hitboxes appends the hitboxes of players.
func (d *ShownShot) hitboxes(p *arena.Player, all []track.Entity, judged bool) {
	f := &posing.figure
	for i := range all {
		stands, ok := p.Game().Figure(&all[i].Sample, 0, &posing.posture, f)
		if !ok {
			continue
		}
		for k := range f.Count {
			if len(d.Hitboxes) == maxHitboxes {
				return
			}
			v := Hitbox{Player: all[i].ID, Number: f.Hitboxes[k], Judged: judged, Solid: f.Solids[k]}
			v.A, v.B, v.Rotation = stands.Apply(v.A), stands.Apply(v.B), stands.Rotation.Mul(v.Rotation)
			d.Hitboxes = append(d.Hitboxes, v)
		}
	}
}

// hitboxError returns the largest distance between a hitbox on the page and the same one
// as the server rebuilt it; −1 if none has both.
func hitboxError(all []Hitbox) float64 {
	most := -1.0
	for i := range all {
		for k := range all {
			a, b := &all[i], &all[k]
			if a.Judged || !b.Judged || a.Player != b.Player || a.Number != b.Number {
				continue
			}
			most = max(most, a.A.Dist(b.A), a.B.Dist(b.B))
		}
	}
	return most
}

// trajectory appends the way of a shot on the page and, as far as it is known, on the server.
func (d *ShownShot) trajectory(p *arena.Player, s *ShotRecord) {
	for _, at := range s.points {
		d.line(false, s.eye, at)
	}
	for i := 1; i < len(s.flightPath); i++ {
		d.line(false, s.flightPath[i-1], s.flightPath[i])
	}
	if weapons := p.Game().Weapons(); int(s.Weapon) < len(weapons) && weapons[s.Weapon].Kind == shot.Melee {
		d.swing(s, &weapons[s.Weapon])
	}
	if e := s.Debug; e != nil && e.Known && e.Receipt.Verdict != shot.Refused {
		d.line(true, e.Eye, e.Receipt.Outcome.Point)
	}
}

// swing appends a blade's whole arc: its edge, and the blade at both ends.
func (d *ShownShot) swing(s *ShotRecord, w *shot.Weapon) {
	const pieces = 16
	ahead := geom.Look(s.claim.Yaw, s.claim.Pitch)
	sin, cos := geom.SinCos(w.Swing.Tilt)
	left := geom.Right(s.claim.Yaw).Neg().Mul(cos).MulAdd(geom.Look(s.claim.Yaw, s.claim.Pitch+math.Pi/2), sin)
	last := s.eye
	for i := range pieces + 1 {
		sin, cos := geom.SinCos(w.Swing.Arc * (float64(float64(i)/pieces) - 0.5))
		tip := s.eye.MulAdd(ahead, w.Range*cos).MulAdd(left, w.Range*sin)
		d.line(false, last, tip)
		last = tip
	}
	d.line(false, last, s.eye)
}

func (d *ShownShot) line(judged bool, a, b geom.Vec3) {
	if len(d.Lines) < maxLines {
		d.Lines = append(d.Lines, Line{judged, a, b})
	}
}
