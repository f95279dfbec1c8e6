package scenario

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/strictyaml"
	"github.com/backstep-net/backstep/transport/mem"
)

// The bounds of a scenario. Larger values are errors.
const (
	MaxFile      = 4 << 20 // bytes of a file
	MaxPlayers   = 1_000   // as many seats as a match has
	MaxShapes    = 10_000
	MaxTriangles = 100_000 // of all `triangles` together
	MaxHull      = 256     // points of a hull
	MaxPoints    = 4_096   // of a path
	MaxPaths     = 1_000   // for characters
	MaxEntries   = 100_000 // of a player's script
	MaxFaults    = 1_000
	MaxExpect    = 1_000
	MaxName      = 24 // bytes in the name of a player, a mover or a path
	// MaxTime is the longest time in a file: a day.
	MaxTime = 86_400 * clock.Second
	// MaxStartTime is the latest time on the match's clock at the beginning: 115 days.
	MaxStartTime = 10_000_000 * clock.Second
	// MinTick and MaxTick bound a client's own tick rate in Hz: a command is at most 125 ms long.
	MinTick, MaxTick = 8, 500
	// MaxSend is the most packets a second of a client.
	MaxSend = 500
	// MaxInputDelay is the longest time that moves may wait on the server.
	MaxInputDelay = 250 * clock.Millisecond
	// MaxRewind bounds how far back a shot may be judged: a server remembers that long.
	MaxRewind = 1500 * clock.Millisecond
	// MaxTurn is the largest angle of a path's point, in degrees.
	MaxTurn = 3_600_000
	// MaxReach is the largest coordinate of anything solid, in metres.
	MaxReach = 16_384
)

// Options are the words that the game and the lab add to the format. A nil list allows any word.
type Options struct {
	// Tunables are the names in `params`, in snake_case, and Switches those of them that are true
	// or false. Nil allows any.
	Tunables, Switches []string
	// Levels are the built-in levels. Nil allows any.
	Levels []string
	// Weapons are the weapons of `fire`. Nil allows any.
	Weapons []string
	// Buttons are the game's own, for `press` and `release`. Nil allows any.
	Buttons []string
	// Figures are the figures of `expect`, such as "shots.refused"; a first word of "*" stands for
	// every player. Nil allows any.
	Figures []string
}

// File is a scenario's file, before the schema decodes it.
type File struct {
	name string
	doc  *strictyaml.Document
}

// Open parses the YAML of a scenario; name is the file in errors, and levels are relative to it.
// The error is of type [strictyaml.Errors].
func Open(name string, b []byte) (*File, error) {
	d, err := strictyaml.Open(name, b, MaxFile, "scenario")
	if err != nil {
		return nil, err
	}
	return &File{name, d}, nil
}

// OpenFile parses the YAML of a scenario in a file.
func OpenFile(path string) (*File, error) {
	b, err := readAtMost(path, MaxFile+1)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) { // the path is in the error already
			err = p.Err
		}
		return nil, strictyaml.Errors{{File: path, Text: err.Error()}}
	}
	return Open(path, b)
}

func readAtMost(path string, n int64) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, n))
}

// Set overrides one key, as `--set PATH=VALUE` does: see [strictyaml.Document.Set]. Players go by
// name (players.ann.frame), a network that is a profile's name becomes one that begins with that
// profile, and a cheat's name becomes a cheat of that kind.
func (f *File) Set(path, value string) error {
	return f.doc.Set(path, value, map[string]string{"network": "profile", "cheat": "kind"})
}

// Scenario decodes the file. The error is of type [strictyaml.Errors]. It may be called again
// after further overrides; the scenarios share nothing.
func (f *File) Scenario(o Options) (*Scenario, error) {
	y, root := f.doc.Reader()
	r := reader{Reader: y, options: o, Scenario: &Scenario{
		File: f.name, Overrides: f.doc.Overrides(),
		Name: strings.TrimSuffix(filepath.Base(f.name), filepath.Ext(f.name)), Seed: 1,
		Server:  Server{Tick: 60, MaxRewind: MaxRewind, Beyond: "capped"},
		Network: mem.Network{Burst: mem.Burst{Leave: 1}},
	}}
	root.Mapping(r.readScenario)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.Scenario, nil
}
