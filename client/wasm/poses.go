package main

import (
	"math"
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// figures is scratch for posing, and the time of each player's death.
var figures struct {
	posture rig.Posture
	figure  rig.Figure
	bones   int
	fallen  [session.MaxPlayers + 1]clock.Micros // local time; 0: alive
}

// drawFigures writes the poses of the nearest remotes.
func drawFigures(p *arena.Player, local clock.Micros) {
	beginFigures()
	count := 0
	var nearest [MaxFigures]*track.Entity
	for _, r := range nearestEntities(p.Remotes(), p.Eye(), nearest[:0]) {
		if drawFigure(p, r, local, FigureFirst+count*FigureStride) {
			count++
		}
	}
	stateBlock[StateFigures], stateBlock[StateBones] = float64(count), float64(figures.bones)
}

func beginFigures() {
	if figures.bones == 0 {
		figures.bones = min(len(arena.CharacterRig().Bones()), MaxBones)
	}
}

// drawFigure writes one figure; of a living player it is the one that shots are tested
// against.
func drawFigure(p *arena.Player, r *track.Entity, local clock.Micros, at int) bool {
	fallen := &figures.fallen[int(r.ID)%len(figures.fallen)]
	switch {
	case !r.Dead:
		*fallen = 0
	case *fallen == 0:
		*fallen = max(local, 1)
	}
	stands, ok := p.Game().Figure(&r.Sample, local-*fallen, &figures.posture, &figures.figure)
	if ok {
		writeFigure(r, stands, at)
	}
	return ok
}

// writeFigure writes the last posed figure.
func writeFigure(r *track.Entity, stands geom.Transform, at int) {
	s, f := &stateBlock, &figures.figure
	s[at+FigureID], s[at+FigureHeldState] = float64(r.ID), float64(r.UserData)
	for i := range figures.bones {
		b, to := &f.Bones[i], at+FigureBones+i*BoneStride
		place, turn := stands.Apply(b.Translation), stands.Rotation.Mul(b.Rotation)
		s[to+BoneX], s[to+BoneY], s[to+BoneZ] = place.X, place.Y, place.Z
		s[to+BoneQX], s[to+BoneQY], s[to+BoneQZ], s[to+BoneQW] = turn.X, turn.Y, turn.Z, turn.W
	}
}

//go:wasmexport poses
func poses() unsafe.Pointer { return unsafe.Pointer(&poseBlock) }

// pose poses the first count records of the pose block, for a page that shows a recording;
// it needs no session.
//
//go:wasmexport pose
func pose(count int32) {
	beginFigures()
	drawn := 0
	for i := range int(min(max(count, 0), MaxFigures)) {
		e := readPose(poseBlock[i*PoseStride : (i+1)*PoseStride])
		stands, ok := recordedRules.Figure(&e.Sample, seconds(poseBlock[i*PoseStride+PoseDeadTime]), &figures.posture, &figures.figure)
		if ok {
			writeFigure(&e, stands, FigureFirst+drawn*FigureStride)
			drawn++
		}
	}
	stateBlock[StateFigures], stateBlock[StateBones] = float64(drawn), float64(figures.bones)
}

// recordedRules are the rules that pose recorded players.
var recordedRules = arena.NewGame()

// readPose reads a record of the pose block.
func readPose(r []float64) (e track.Entity) {
	for i, x := range r {
		if x != x || math.Abs(x) > 1e9 { // not a recorded number
			r[i] = 0
		}
	}
	e.ID = track.ID(geom.Clamp(r[PoseID], 0, float64(track.MaxID)))
	s := &e.Sample
	s.At = 1 << 40 // only differences of clip times matter
	s.UserData = uint16(geom.Clamp(r[PoseUserData], 0, math.MaxUint16))
	s.Position, s.Velocity = geom.V(r[PoseX], r[PoseY], r[PoseZ]), geom.V(r[PoseVX], r[PoseVY], r[PoseVZ])
	s.Yaw, s.Pitch, s.StrideDistance = r[PoseYaw], r[PosePitch], r[PoseStrideDistance]
	s.Up = geom.V(r[PoseUX], r[PoseUY], r[PoseUZ])
	s.Stance = track.Stance{Crouch: r[PoseCrouch], Air: r[PoseAir], Swim: r[PoseSwim]}
	s.Clip, s.ClipAt = uint8(geom.Clamp(r[PoseClip], 0, 255)), s.At-seconds(r[PosePlayed])
	s.Dead = r[PoseDead] != 0
	return e
}

// seconds converts a time of the page, at most an hour.
func seconds(s float64) clock.Micros { return clock.Micros(float64(geom.Clamp(s, 0, 3600) * 1e6)) }
