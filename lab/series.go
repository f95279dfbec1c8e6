package lab

import (
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/track"
)

// Series is a run over time, for reports. Units are those of Result.
type Series struct {
	Players map[string]*PlayerSeries `json:"players"` // by the name of the player
	Shots   []ShotSeries             `json:"shots"`   // all claimed shots, in the order of their claims
}

// PlayerSeries is the series of one player.
type PlayerSeries struct {
	// Frames are the drawn frames.
	Frames []FrameSample `json:"frames"`
	// Remotes are the other players as this client drew them, by name.
	Remotes     map[string][]RemoteSample `json:"remotes"`
	Corrections []CorrectionSample        `json:"corrections"` // at most one a frame, teleports too
	// Up and Down are the datagrams sent by the client and to it.
	Up   []PacketSample `json:"up"`
	Down []PacketSample `json:"down"`
}

// FrameSample is a client's own player in a drawn frame.
type FrameSample struct {
	T     float64    `json:"t"`     // match time of the frame since time zero, by the true clock, s
	Drawn [3]float64 `json:"drawn"` // position of the feet as drawn, with the offset of correction blending, m
	// Error is the distance from the authoritative position after the same command, nil where the
	// server never ran it.
	Error *float64 `json:"error,omitempty"`
	Delay float64  `json:"delay"` // view delay
}

// RemoteSample is another player in a drawn frame.
type RemoteSample struct {
	T float64 `json:"t"` // match time of the frame since time zero, by the true clock, s
	// Error is the distance from the player's true position at the view time, nil where that is not
	// known.
	Error *float64 `json:"error,omitempty"`
}

// CorrectionSample is a correction as its owner applied it.
type CorrectionSample struct {
	T        float64 `json:"t"`                  // match time of the frame that applied it, since time zero, s
	Distance float64 `json:"distance"`           // between predicted and true position after the corrected move, m
	Teleport bool    `json:"teleport,omitempty"` // a spawn or death: no error
}

// PacketSample is one datagram.
type PacketSample struct {
	T     float64 `json:"t"`     // match time at which the sender made it, since time zero, s
	Bytes int     `json:"bytes"` // size of its payload
}

// ShotSeries is one claimed shot on both ends.
type ShotSeries struct {
	T       float64 `json:"t"`       // when it was fired, by true match time
	Shooter string  `json:"shooter"` // the player's name
	// Receipt is nil where no verdict arrived.
	Receipt *Receipt `json:"receipt,omitempty"`
	// Eye and Aim (a unit vector) are those of the shooter's screen, ServerEye is the server's.
	Eye       [3]float64 `json:"eye"`
	Aim       [3]float64 `json:"aim"`
	ServerEye [3]float64 `json:"server_eye"`
	// Saw is the outcome on the shooter's screen: a player's name, "world" or "".
	Saw     string  `json:"saw"`
	SawPart string  `json:"saw_part,omitempty"`
	SawAt   float64 `json:"saw_at"` // distance
	// Poses are the players within 2 m of the shot's line.
	Poses []PosePair `json:"poses"`
}

// PosePair is one player as drawn on the shooter's screen and as rebuilt by the server.
type PosePair struct {
	Player string `json:"player"` // name
	// Drawn and Server are its hitboxes; nil where that side did not have it near the line.
	Drawn  []HitboxPose `json:"drawn,omitempty"`
	Server []HitboxPose `json:"server,omitempty"`
}

// HitboxPose is one hitbox as a ball or a capsule. A box is the capsule along its longest side
// that is as wide as the next one.
type HitboxPose struct {
	Part   string     `json:"part"`   // name of the hitbox in its rig: chest, left_hand, …
	From   [3]float64 `json:"from"`   // centre of the ball, or first end of the capsule's axis, in the world, m
	To     [3]float64 `json:"to"`     // second end of the capsule's axis, m; not used for a ball
	Radius float64    `json:"radius"` // of the ball or capsule, m
}

func newPlayerSeries() *PlayerSeries {
	return &PlayerSeries{
		Frames: []FrameSample{}, Remotes: map[string][]RemoteSample{},
		Corrections: []CorrectionSample{}, Up: []PacketSample{}, Down: []PacketSample{},
	}
}

// series returns the series once the run is over.
func (m *measure) series() *Series {
	s := &Series{Players: map[string]*PlayerSeries{}, Shots: []ShotSeries{}}
	for i := range m.players {
		p := &m.players[i]
		p.series.Frames = m.frames(p)
		s.Players[m.e.Players[i].Name] = p.series
	}
	for i := range m.shots.list {
		s.Shots = append(s.Shots, m.shotSeries(&m.shots.list[i]))
	}
	return s
}

// frames returns a client's own player in its frames.
func (m *measure) frames(p *playerRecord) []FrameSample {
	out := make([]FrameSample, len(p.frames))
	errors := ownerErrors(p.frames, p.ran)
	for i, f := range p.frames {
		out[i] = FrameSample{T: m.since(f.at), Drawn: rounded(f.drawn), Delay: round(p.delays[i])}
		if e := round(errors[i]); e >= 0 {
			out[i].Error = &e
		}
	}
	return out
}

// shotSeries returns one claim on both ends.
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
		s.Saw, s.SawPart = m.name(c.saw.Target), c.saw.HitGroup.String()
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
		s.Poses = append(s.Poses, PosePair{Player: m.name(id), Drawn: m.poseOf(d), Server: m.poseOf(r)})
	}
	return s
}

// poseOf returns the hitboxes of a sample, nil of none.
func (m *measure) poseOf(s *track.Sample) (out []HitboxPose) {
	if s == nil {
		return nil
	}
	m.shots.drawn = m.shots.model.pose(s, m.shots.drawn[:0])
	for i := range m.shots.drawn {
		v := &m.shots.drawn[i]
		a, b, radius := stick(&v.solid)
		out = append(out, HitboxPose{v.name, rounded(a), rounded(b), round(radius)})
	}
	return out
}

// stick returns a solid as a capsule; for a box along its longest side, as wide as the next one.
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
	along := s.Rotation.Rotate(axis).Mul(max(half-radius, 0))
	return s.A.Sub(along), s.A.Add(along), radius
}
