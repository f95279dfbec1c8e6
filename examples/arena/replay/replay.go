// Package replay records matches of the arena, simulates them again, and serves them to
// the page. Start at Record; Remake creates the match of a recording. Only servers and tools import it, not clients.
package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// Game is the arena's name in the header of a recording.
const Game = "arena"

// Record makes a match that is recorded in a new file of that name. Bots of the match must
// use the Recorder as their endpoint (Bots.SetEndpoint). Close the Recorder when the match
// has ended. name is the match's name at its host, and program the version of the running
// program.
func Record(file string, config arena.MatchConfig, name, program string) (*arena.Match, *record.Recorder, error) {
	var w *record.Writer
	if newKey := config.NewKey; newKey != nil {
		config.NewKey = func() session.Key { return w.Key(newKey)() }
	}
	if config.Weapons == nil && config.Game == nil {
		config.Weapons = arena.Weapons() // a later program may have others
	}
	b, err := Config(&config)
	if err != nil {
		return nil, nil, err
	}
	match := arena.NewMatch(config)
	head := record.Head{
		Game: Game, Config: b, Match: name, Began: time.Now().UTC(), Program: program,
		Protocol: session.Version, Format: match.Format(),
		TickRate: cmp.Or(config.TickRate, 60), SnapshotRate: config.SnapshotRate, Level: config.LevelHash,
	}
	if w, err = record.Create(file, head, config.World.AppendBinary(nil)); err != nil {
		return nil, nil, err
	}
	return match, w.Record(match), nil
}

// unrecordedFields are the fields of a MatchConfig that a recording has elsewhere (the
// world), or does not need: keys are recorded when they are drawn, and bots' packets when
// they arrive.
var unrecordedFields = []string{"World", "NewKey", "Game", "Mesh"}

// Config returns a match's configuration as recorded: the fields of a MatchConfig by name,
// as JSON. It fails for a match with rules of its own (MatchConfig.Game), which a file
// cannot hold.
func Config(c *arena.MatchConfig) (json.RawMessage, error) {
	if c.Game != nil {
		return nil, fmt.Errorf("replay: a match with a Game of its own cannot be recorded")
	}
	b, err := json.Marshal(data(reflect.ValueOf(*c), unrecordedFields))
	if err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return b, nil
}

// data returns a value without functions, unrecorded fields and zero fields.
func data(v reflect.Value, without []string) any {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return v.Interface()
	}
	out := map[string]any{}
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		switch {
		case f.Anonymous:
			for k, e := range data(x, without).(map[string]any) {
				out[k] = e
			}
		case x.Kind() == reflect.Func || x.IsZero() || !f.IsExported() || slices.Contains(without, f.Name):
		default:
			out[f.Name] = data(x, nil)
		}
	}
	return out
}

// Remake makes the match of a recording again, in the state before anybody joined. The
// error says why this program cannot: another game, or another version of it.
func Remake(f *record.File, newKey func() session.Key) (*arena.Match, error) {
	return remake(f, nil, newKey)
}

// remake is Remake with the caller's rules, which must be the arena's.
func remake(f *record.File, game *arena.Game, newKey func() session.Key) (*arena.Match, error) {
	h := f.Head()
	if h.Game != Game {
		return nil, fmt.Errorf("replay: a recording of the game %q, not of %q: a program of that game verifies it with record.File.Verify", h.Game, Game)
	}
	var config arena.MatchConfig
	read := json.NewDecoder(bytes.NewReader(h.Config))
	read.DisallowUnknownFields()
	if err := read.Decode(&config); err != nil {
		return nil, fmt.Errorf("replay: the match's configuration: %w", err)
	}
	config.World, config.NewKey, config.Game = f.World(), newKey, game
	match, err := begin(config)
	if err != nil {
		return nil, err
	}
	if h.Protocol != session.Version || h.Format != match.Format() {
		return nil, fmt.Errorf("replay: recorded by %s, protocol %d, format %08x; this program has protocol %d, format %08x",
			h.Program, h.Protocol, h.Format, session.Version, match.Format())
	}
	return match, nil
}

// begin makes a match of a configuration from a file, so panics about its arguments become
// errors.
func begin(config arena.MatchConfig) (m *arena.Match, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("replay: the match's configuration: %v", p)
		}
	}()
	return arena.NewMatch(config), nil
}

// Verify simulates a recording again and compares.
func Verify(f *record.File) (record.VerifyResult, error) {
	return f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
		m, err := Remake(f, newKey)
		if err != nil {
			return nil, err
		}
		return m, nil
	})
}
