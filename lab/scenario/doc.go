// Package scenario reads the files that describe an experiment: which world,
// which network, which players, doing what, and what must come of it. Start at
// [Parse]; docs/scenarios.md is the format's reference.
//
// A [Scenario] is plain data: defaults filled in, checked, in SI units (metres,
// radians, [clock.Micros]). Whatever is wrong with a file is reported with its
// line and the nearest valid word, up to [MaxErrors] of it at once. [File] lets
// settings of the command line override keys before that, so they are checked
// alike. [Cursor] plays a player's script frame by frame, and [FrameTime] says
// when the frames are.
package scenario

import (
	"io"
	"os"

	"github.com/backstep-net/backstep/clock"
)

// The bounds of a scenario. What is larger is an error.
const (
	MaxFile      = 4 << 20 // bytes of a file
	MaxErrors    = 20      // reported at once
	MaxPlayers   = 256
	MaxShapes    = 10_000
	MaxTriangles = 100_000 // of all `triangles` together
	MaxHull      = 256     // points of a hull
	MaxPoints    = 4_096   // of a path
	MaxRails     = 1_000   // paths for characters
	MaxEntries   = 100_000 // of a player's script
	MaxFaults    = 1_000
	MaxExpect    = 1_000
	MaxName      = 24 // runes in the name of a player or body
	// MaxTime is the longest time a file may name: a day.
	MaxTime = 86_400 * clock.Second
	// MaxBegin is the latest time at which a match may begin: 115 days.
	MaxBegin = 10_000_000 * clock.Second
	// MinTick and MaxTick bound a client's own ticks a second: a command is at most
	// 125 ms long.
	MinTick, MaxTick = 8, 500
	// MaxInputDelay is the longest that moves may wait on the server.
	MaxInputDelay = 250 * clock.Millisecond
	// MostRewind is how far back a shot may reach at most: a server remembers a second, and
	// moves may wait.
	MostRewind = 650 * clock.Millisecond
	// MaxTurn is the largest angle of a path's point, in degrees.
	MaxTurn = 3_600_000
	// MaxReach is the largest coordinate of anything solid, in metres.
	MaxReach = 16_384
)

// Options are the words that a scenario may use besides the documented ones,
// because others know them. The zero Options knows the documented ones.
type Options struct {
	// Tunables are further names for `params`, in snake_case.
	Tunables []string
	// Levels are the built-in levels. Nil lets any name pass.
	Levels []string
	// Weapons are the weapons that `fire` may name. Nil means rifle.
	Weapons []string
	// Buttons are the title's own, that `press` and `release` may name. Nil means none.
	Buttons []string
	// Figures are further figures that `expect` may name, such as
	// "shots.disputed"; a first word of "*" stands for every player.
	Figures []string
}

// Parse reads a scenario with the zero Options. name is the file's, for errors
// and for a level beside it. The error is of type [Errors].
func Parse(name string, b []byte) (*Scenario, error) {
	f, err := Open(name, b)
	if err != nil {
		return nil, err
	}
	return f.Scenario(Options{})
}

// ReadFile reads a scenario from a file with the zero Options.
func ReadFile(path string) (*Scenario, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	return f.Scenario(Options{})
}

// OpenFile is [Open] for a file.
func OpenFile(path string) (*File, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, Errors{{File: path, Text: reason(err)}}
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, Errors{{File: path, Text: reason(err)}}
	}
	return Open(path, b)
}

// reason is an error of the file system without the path, which stands before
// it already.
func reason(err error) string {
	if p, ok := err.(*os.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}
