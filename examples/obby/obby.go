// Package obby is an obstacle course: jumps, a ferry, a turntable, a jump pad, a ladder and a beam.
// A fall leads back to the last checkpoint, and the fastest time counts. All of it is predicted, so
// it plays the same at any round trip.
package obby

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Jumper is a player's state.
type Jumper struct {
	movement.State
	Parkour    parkour.State // of the ladders
	Checkpoint uint8         // index of the last one that was reached
	Time, Best clock.Micros  // since the start; of the fastest run, 0 for none
	Falls      uint8         // and restarts: how often the player was put back
}

// Restart is the bit of movement.Command.Buttons that begins a new run.
const Restart uint8 = 1

const void = -8.0 // below that a player has fallen, metres

// Checkpoints are the start, the places that a fall leads back to, and the finish.
var Checkpoints = [6]geom.Vec3{
	{}, {Z: -26.5}, {Z: -40.5}, {Z: -52}, {Y: 5, Z: -61}, {Y: 10, Z: -79},
}

// Spawn returns the state of a player at the start.
func Spawn() Jumper { return Jumper{State: movement.Spawn(Checkpoints[0], 0)} }

// Rules returns the game, the same on both ends.
func Rules() session.Game[Jumper, movement.Command] {
	model := parkour.DefaultModel()
	g := session.Game[Jumper, movement.Command]{
		Step: func(m *session.Move, s *Jumper, c *movement.Command) {
			parkour.Step(&model, &s.Parkour, &s.State, c, m.Duration, m.World, &m.Motor)
			s.run(m.Duration, c.Buttons&Restart != 0)
		},
		PackState: func(p *bits.Packer, s *Jumper) {
			s.State.Pack(p)
			s.Parkour.Pack(p)
			p.Byte(&s.Checkpoint)
			p.Varint((*int64)(&s.Time))
			p.Varint((*int64)(&s.Best))
			p.Byte(&s.Falls)
		},
		Fields: []session.Field[Jumper]{
			{Name: "name", Text: 24},
			{Name: "checkpoint", Max: int64(len(Checkpoints)), Of: func(s *Jumper) int64 { return int64(s.Checkpoint) }},
			{Name: "best", Max: 36000, Of: func(s *Jumper) int64 { return int64(s.Best / (100 * clock.Millisecond)) }}, // tenths of seconds
		},
	}
	character.Fill(&g, &model.Model)
	combine := g.Combine // but not over a fall or a checkpoint, where it matters in which command it was
	g.Combine = func(m *session.Move, start, between *Jumper, first, second *movement.Command) bool {
		return between.Position.Y > void+3 && between.Checkpoint == start.Checkpoint && combine(m, start, between, first, second)
	}
	pose := g.Pose
	g.Pose = func(s *Jumper) track.Sample {
		p := pose(s)
		p.Teleport = s.Falls // nobody flies back
		return p
	}
	return g
}

// run counts the time, and finds what a player has reached: a checkpoint, the finish, the void.
func (s *Jumper) run(d clock.Micros, restart bool) {
	last := uint8(len(Checkpoints) - 1)
	if restart {
		s.Time, s.Checkpoint = 0, 0
		s.back()
	}
	if s.Checkpoint < last {
		s.Time += d
		next := s.Checkpoint + 1
		if at := Checkpoints[next]; s.Position.Z < at.Z+1 && s.Position.Y > at.Y-0.5 {
			s.Checkpoint = next
			if next == last && (s.Best == 0 || s.Time < s.Best) {
				s.Best = s.Time
			}
		}
	}
	if s.Position.Y < void {
		s.back()
	}
}

// back puts the player at its last checkpoint.
func (s *Jumper) back() {
	s.Falls++
	s.State, s.Parkour = movement.Spawn(Checkpoints[s.Checkpoint], s.Yaw), parkour.State{}
}
