package remote

import "github.com/backstep-net/backstep/track"

// Mode is how a thing is drawn from the frames that came (SMO-02).
type Mode uint8

// The modes. The first is the most accurate and the default; the others are there for games
// that would rather show others nearer to now. What any of them draws follows from the View
// alone, so a shot is tested against exactly that.
const (
	// Interpolate: between the samples around a view time that is far enough behind the
	// match that there nearly always are two.
	Interpolate Mode = iota
	// Linear: the newest sample carried on to the match's now, as far as walls let it, and
	// what news moves it by shrinks linearly over the time between two samples (SMO-03,
	// SMO-06). The View says when news came, so this is rebuilt to the bit, too.
	Linear
	// Exponential: as Linear, and what news moves it by shrinks to 1/e in Smoothing.Time
	// (SMO-04, SMO-10).
	Exponential
	// Newest: the newest sample as it came.
	Newest
	// Replay: for recordings, whose frames are known ahead of the time that is shown: as
	// Interpolate, exactly at the time that View is handed. It is for the default only.
	Replay
)

// String returns the mode's name, as files have it.
func (m Mode) String() string {
	names := [...]string{"interpolate", "linear", "exponential", "none", "replay"}
	if int(m) < len(names) {
		return names[m]
	}
	return "unknown"
}

// drawing is what a View says of the mode.
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

// smooth reports whether what is drawn depends on when snapshots came.
func (m Mode) smooth() bool { return m == Linear || m == Exponential }

// SetDefaultMode sets how things are drawn of which Draw says nothing; Interpolate before. The
// next View says so. It panics on what is no mode.
func (r *Remotes) SetDefaultMode(m Mode) {
	if m > Replay {
		panic("remote: Default needs a mode")
	}
	r.mode = m
}

// SetMode sets how one thing is drawn, whatever the default. It is tested where the default
// would draw it: what its own mode makes of that is its error. It panics on id 0 and on
// Replay, which is a match's.
func (r *Remotes) SetMode(id track.ID, m Mode) {
	if id == 0 || id > track.MaxID || m >= Replay {
		panic("remote: Draw needs a thing and a mode for one")
	}
	if r.entityModes == nil {
		r.entityModes = make([]Mode, track.MaxID+1)
	}
	r.entityModes[id] = m + 1
}

// Mode returns how a thing is drawn.
func (r *Remotes) Mode(id track.ID) Mode {
	if r.entityModes != nil && r.entityModes[id] != 0 {
		return r.entityModes[id] - 1
	}
	return r.mode
}
