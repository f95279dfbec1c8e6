package lab

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Series is what a report draws: everything of a run over time. Units are as in
// Result.
type Series struct {
	Players map[string]*PlayerSeries `json:"players"`
	Shots   []ShotSeries             `json:"shots"`
}

// PlayerSeries is one player's.
type PlayerSeries struct {
	// Frames are the drawn frames.
	Frames []FrameSample `json:"frames"`
	// Remotes are the others as this player's client drew them, by name.
	Remotes     map[string][]RemoteSample `json:"remotes"`
	Corrections []CorrectionSample        `json:"corrections"`
	// Up and Down are the datagrams sent by the client and to it.
	Up   []PacketSample `json:"up"`
	Down []PacketSample `json:"down"`
}

// FrameSample is what a client drew of its own player.
type FrameSample struct {
	T     float64    `json:"t"`
	Drawn [3]float64 `json:"drawn"`
	// True is the authoritative position for the same command, nil where the server
	// never ran that command; Error is the distance.
	True  *[3]float64 `json:"true,omitempty"`
	Error float64     `json:"error"`
	Speed float64     `json:"speed"` // drawn, m/s
	Delay float64     `json:"delay"` // view delay
}

// RemoteSample is what a client drew of another player.
type RemoteSample struct {
	T     float64    `json:"t"`
	View  float64    `json:"view"` // view time
	Drawn [3]float64 `json:"drawn"`
	// True is where that player was at the view time, nil where the server knows
	// nothing around it.
	True  *[3]float64 `json:"true,omitempty"`
	Error float64     `json:"error"`
	// Snap and Reversal tell of an unlikely step from the frame before.
	Snap     bool `json:"snap,omitempty"`
	Reversal bool `json:"reversal,omitempty"`
}

// CorrectionSample is a correction as its owner applied it.
type CorrectionSample struct {
	T        float64 `json:"t"`
	Distance float64 `json:"distance"`
	Digest   bool    `json:"digest,omitempty"` // mode, stance or ammunition differed
	Teleport   bool    `json:"teleport,omitempty"` // a spawn or death: not wrong
}

// PacketSample is one datagram.
type PacketSample struct {
	T     float64 `json:"t"`
	Bytes int     `json:"bytes"`
}

// ShotSeries is one claimed shot from both sides.
type ShotSeries struct {
	T       float64 `json:"t"` // when it was fired, by true match time
	Shooter string  `json:"shooter"`
	// Receipt is nil where no verdict came.
	Receipt *Receipt `json:"receipt,omitempty"`
	// Eye and Aim (a unit vector) on the shooter's screen, ServerEye where the
	// server had it.
	Eye       [3]float64 `json:"eye"`
	Aim       [3]float64 `json:"aim"`
	ServerEye [3]float64 `json:"server_eye"`
	// Saw is what the shooter's screen showed: a player's name and part, "world",
	// or "".
	Saw     string  `json:"saw"`
	SawPart string  `json:"saw_part,omitempty"`
	SawAt   float64 `json:"saw_at"` // distance
	// Poses are the players within 2 m of the shot's line.
	Poses []PosePair `json:"poses"`
}

// PosePair is one player as drawn on the shooter's screen and as rebuilt by the
// server.
type PosePair struct {
	Player string `json:"player"`
	Drawn  *Pose  `json:"drawn,omitempty"`
	Server *Pose  `json:"server,omitempty"`
	// Error is between the middles of the volume that is farthest off.
	Error float64 `json:"error"`
}

// Pose is where somebody's hit volumes are.
type Pose struct {
	Feet    [3]float64   `json:"feet"`
	Volumes []VolumePose `json:"volumes"`
}

// VolumePose is where one of them is: a ball around From, or a capsule from there to To. A
// box is the capsule along its longest side that is as wide as the next one.
type VolumePose struct {
	Part   string     `json:"part"`
	From   [3]float64 `json:"from"`
	To     [3]float64 `json:"to"`
	Radius float64    `json:"radius"`
}

func newPlayerSeries() *PlayerSeries {
	return &PlayerSeries{
		Frames: []FrameSample{}, Remotes: map[string][]RemoteSample{},
		Corrections: []CorrectionSample{}, Up: []PacketSample{}, Down: []PacketSample{},
	}
}

// series is everything over time, once the run is over.
func (m *measure) series() *Series {
	s := &Series{Players: map[string]*PlayerSeries{}, Shots: []ShotSeries{}}
	for i := range m.people {
		p := &m.people[i]
		p.series.Frames = m.frames(p)
		s.Players[m.e.Players[i].Name] = p.series
	}
	for i := range m.shots.list {
		s.Shots = append(s.Shots, m.shotSeries(&m.shots.list[i]))
	}
	return s
}

// frames are what a client drew of its own player.
func (m *measure) frames(p *person) []FrameSample {
	out := make([]FrameSample, len(p.frames))
	errors := ownerErrors(p.frames, p.ran)
	k := 0
	for i, f := range p.frames {
		out[i] = FrameSample{T: m.since(f.at), Drawn: rounded(f.drawn), Delay: round(p.delays[i])}
		if i > 0 && f.at > p.frames[i-1].at {
			out[i].Speed = round(f.drawn.Dist(p.frames[i-1].drawn) / (f.at - p.frames[i-1].at).Seconds())
		}
		if errors[i] < 0 {
			continue
		}
		for p.ran[k].number != f.number {
			k++
		}
		at := rounded(p.ran[k].position)
		out[i].True, out[i].Error = &at, round(errors[i])
	}
	return out
}

// shotSeries is one claim from both sides.
func (m *measure) shotSeries(c *claim) ShotSeries {
	s := ShotSeries{
		T: m.since(c.at), Shooter: m.e.Players[c.shooter].Name,
		Eye: rounded(c.eye), Aim: rounded(c.aim), ServerEye: rounded(c.serverEye),
		SawAt: round(c.saw.Distance), Poses: []PosePair{},
	}
	switch c.saw.Kind {
	case rewind.World:
		s.Saw = "world"
	case rewind.Player:
		s.Saw, s.SawPart = m.name(c.saw.Target), c.saw.Tag.String()
	}
	if c.judged {
		s.Receipt = &m.shots.receipts[c.receipt]
	}
	for i := range m.e.Players {
		id := track.ID(i + 1)
		d, r := drawnOf(c.near, id), drawnOf(c.rebuilt, id)
		if d == nil && r == nil {
			continue
		}
		drawn, rebuilt := m.poseOf(d, &m.shots.drawn), m.poseOf(r, &m.shots.rebuilt)
		pair := PosePair{Player: m.name(id), Drawn: drawn, Server: rebuilt}
		if d != nil && r != nil {
			for _, e := range apart(m.shots.drawn, m.shots.rebuilt, nil) {
				pair.Error = max(pair.Error, round(e))
			}
		}
		s.Poses = append(s.Poses, pair)
	}
	return s
}

// poseOf is where the hit volumes of a sample are, nil of none; they stay in scratch.
func (m *measure) poseOf(s *track.Sample, scratch *[]volume) *Pose {
	if s == nil {
		return nil
	}
	*scratch = m.shots.model.pose(s, (*scratch)[:0])
	out := &Pose{Feet: rounded(s.Position), Volumes: []VolumePose{}}
	for i := range *scratch {
		v := &(*scratch)[i]
		a, b, radius := stick(&v.solid)
		out.Volumes = append(out.Volumes, VolumePose{v.name, rounded(a), rounded(b), round(radius)})
	}
	return out
}

// stick is a solid as a capsule: of a box, one along its longest side, as wide as the next.
func stick(s *rig.Solid) (a, b geom.Vec3, radius float64) {
	if s.Shape != rig.Box {
		return s.A, s.B, s.Radius
	}
	h := s.Half
	axis, half, radius := geom.V(1, 0, 0), h.X, max(h.Y, h.Z)
	if h.Y >= h.X && h.Y >= h.Z {
		axis, half, radius = geom.V(0, 1, 0), h.Y, max(h.X, h.Z)
	} else if h.Z >= h.X {
		axis, half, radius = geom.V(0, 0, 1), h.Z, max(h.X, h.Y)
	}
	along := s.Turn.Rotate(axis).Mul(max(half-radius, 0))
	return s.A.Sub(along), s.A.Add(along), radius
}
