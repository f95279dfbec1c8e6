package remote

import "github.com/backstep-net/backstep/track"

// Mode is how an entity is drawn from the snapshots that arrived (SMO-02).
type Mode uint8

// The modes. The first is the most accurate and the default. The others are for games that prefer
// to show remote entities nearer to now. What any of them draws follows from the View alone, so a
// shot is tested against exactly that.
const (
	// Interpolate draws between the samples around a view time that is far enough behind the match
	// that there nearly always are two.
	Interpolate Mode = iota
	// Linear extrapolates the newest sample to the match's now, as far as walls allow. The
	// correction that a new sample brings shrinks linearly over the time between two samples
	// (SMO-03, SMO-06). The View says when samples arrived, so a server rebuilds this to the bit,
	// too.
	Linear
	// Exponential is as Linear, but a correction shrinks to 1/e in smoothing.Time (SMO-04, SMO-10).
	Exponential
	// Newest draws the newest sample as it is.
	Newest
	// Replay is for recordings, whose snapshots are known ahead of the time that is shown: as
	// Interpolate, exactly at the time that the caller passes to View. It is for the default only.
	Replay
)

// String returns the name of the mode, as used in files.
func (m Mode) String() string {
	names := [...]string{"interpolate", "linear", "exponential", "none", "replay"}
	if int(m) < len(names) {
		return names[m]
	}
	return "unknown"
}

// drawing returns the View's name of the mode.
func (m Mode) drawing() track.DrawMode {
	switch m {
	case Linear:
		return track.DrawLinear
	case Exponential:
		return track.DrawExponential
	case Newest:
		return track.DrawNewest
	}
	return track.DrawInterpolated
}

// smooth reports whether what is drawn depends on when snapshots arrived.
func (m Mode) smooth() bool { return m == Linear || m == Exponential }

// SetDefaultMode sets how entities without a mode of their own (SetMode) are drawn, from the next
// View on; Interpolate before. It panics on an unknown mode.
func (r *Remotes) SetDefaultMode(m Mode) {
	if m > Replay {
		panic("remote: SetDefaultMode needs a valid mode")
	}
	r.mode = m
}

// SetMode sets how one entity is drawn, whatever the default. Shots test it where the default mode
// would draw it: the difference that its own mode makes is its error. It panics on id 0 and on
// Replay, which applies to a whole match.
func (r *Remotes) SetMode(id track.ID, m Mode) {
	if id == 0 || id > track.MaxID || m >= Replay {
		panic("remote: SetMode needs an entity and a mode for one")
	}
	if r.entityModes == nil {
		r.entityModes = make([]Mode, track.MaxID+1)
	}
	r.entityModes[id] = m + 1
}

// Mode returns how an entity is drawn.
func (r *Remotes) Mode(id track.ID) Mode {
	if r.entityModes != nil && r.entityModes[id] != 0 {
		return r.entityModes[id] - 1
	}
	return r.mode
}
