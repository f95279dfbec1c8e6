package main

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// figures is scratch for posing, and since when somebody has been lying.
var figures struct {
	posture rig.Posture
	figure  rig.Figure
	bones   int
	fallen  [session.MaxPlayers + 1]clock.Micros // local time; 0: is up
}

// drawFigures writes the poses of the nearest others.
func drawFigures(p *arena.Player, local clock.Micros) {
	if figures.bones == 0 {
		figures.bones = min(len(arena.Body().Bones()), MaxBones)
	}
	count := 0
	var nearest [MaxFigures]*track.Entity
	for _, r := range nearestOf(p.Remotes(), p.Eye(), nearest[:0]) {
		if drawFigure(p, r, local, FigureFirst+count*FigureStride) {
			count++
		}
	}
	stateBlock[StateFigures], stateBlock[StateBones] = float64(count), float64(figures.bones)
}

// drawFigure writes one, of the living as shots meet it.
func drawFigure(p *arena.Player, r *track.Entity, local clock.Micros, at int) bool {
	fallen := &figures.fallen[int(r.ID)%len(figures.fallen)]
	switch {
	case !r.Dead:
		*fallen = 0
	case *fallen == 0:
		*fallen = max(local, 1)
	}
	f := &figures.figure
	stands, ok := p.Game().Figure(&r.Sample, local-*fallen, &figures.posture, f)
	if !ok {
		return false
	}
	s := &stateBlock
	s[at+FigureID], s[at+FigureHolds] = float64(r.ID), float64(r.Extra)
	for i := range figures.bones {
		b, to := &f.Bones[i], at+FigureBones+i*BoneStride
		place, turn := stands.Apply(b.Move), stands.Turn.Mul(b.Turn)
		s[to+BoneX], s[to+BoneY], s[to+BoneZ] = place.X, place.Y, place.Z
		s[to+BoneQX], s[to+BoneQY], s[to+BoneQZ], s[to+BoneQW] = turn.X, turn.Y, turn.Z, turn.W
	}
	return true
}
