package replay

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
)

// Scene is a lab scenario that repeats a recording, and its accuracy.
type Scene struct {
	// Files are its files by name: NAME.yaml, the level as NAME.world, and
	// NAME.PLAYER.commands for each player.
	Files map[string][]byte
	// Players, Commands and Places count its contents. A place is where the server moved a
	// player: at the beginning, and wherever the command alone would have ended elsewhere
	// (a spawn, a death, a contact with another player).
	Players, Commands, Places int
	// Deviating is how many commands end elsewhere than in the recording, because a place is
	// set at the end of the tick. MaxDeviation is the largest distance, in metres; the
	// scenario expects no more of each player.
	Deviating    int
	MaxDeviation float64
}

// joinTime is how long the players of the scenario may take to join, before time zero.
const joinTime = clock.Second

var errNoPlayers = errors.New("replay: no player in that time")

// ScenarioOf makes a scenario called name from the recording between two match times (to is
// 0: the end). Time zero is from, at least a second after the match began and rounded up to
// a tenth of a second. A damaged recording is used up to the damage.
func ScenarioOf(f *record.File, name string, from, to clock.Micros) (*Scene, error) {
	const tenth = 100 * clock.Millisecond // a multiple of predict.TimeQuantum, and of most ticks
	from = max((from+tenth-1)/tenth*tenth, joinTime)
	if to <= 0 || to > f.Duration() {
		to = f.Duration()
	}
	if to <= from {
		return nil, errNoPlayers
	}
	stays, err := presencesOf(f, to)
	var damage *record.DamageError
	if err != nil && !errors.As(err, &damage) {
		return nil, err
	}
	w := &scenarioWriter{file: f, name: name, zero: from, end: to, game: arena.NewGame(), scene: Scene{Files: map[string][]byte{}}}
	for _, s := range stays {
		w.player(s)
	}
	if w.scene.Players == 0 {
		return nil, errNoPlayers
	}
	w.finish()
	return &w.scene, nil
}

// scenarioWriter writes a scenario.
type scenarioWriter struct {
	file      *record.File
	name      string
	zero, end clock.Micros
	game      *arena.Game
	view      collide.WorldAt
	scene     Scene
	names     []string
	players   strings.Builder
	expect    strings.Builder
	packer    bits.Packer
	scratch   [scenario.MaxPacked]byte
}

// player writes one player's commands, and simulates them as the lab will to find out where
// the server has to move the player.
func (w *scenarioWriter) player(s *presence) {
	for len(s.steps) > 0 && s.steps[0].At <= w.zero && (len(s.steps) == 1 || s.steps[1].At <= w.zero) {
		s.steps = s.steps[1:] // before time zero; the last of them is the start
	}
	if len(s.steps) == 0 || s.left != 0 && w.time(s.left) <= w.zero {
		return
	}
	c := &scenario.Commands{Zero: w.zero}
	first := &s.steps[0]
	at := w.hidden(first.Before)
	if first.At <= w.zero { // present from the beginning
		at = first.after
		s.steps = s.steps[1:]
	}
	w.place(c, 0, &at)
	farthest := w.ticks(c, s, at)
	if s.left != 0 {
		gone := at
		if n := len(s.steps); n > 0 {
			gone = s.steps[n-1].after
		}
		gone = w.hidden(gone)
		w.place(c, w.time(s.left)-w.zero+1, &gone)
	}
	name := w.scenarioName(s)
	w.scene.Files[w.name+"."+name+".commands"] = c.AppendText(nil)
	w.scene.Players++
	w.scene.Commands += len(c.Commands)
	fmt.Fprintf(&w.players, "  - {name: %s, at: [%g, %g, %g], yaw: %.6f, send: 500, commands: %s.%s.commands}\n",
		name, at.Position.X, at.Position.Y, at.Position.Z, at.Yaw*180/math.Pi, w.name, name)
	if len(c.Commands) > 0 {
		fmt.Fprintf(&w.expect, "  - %s.recorded.max <= %.6f\n", name, math.Ceil(float64(farthest*1e6)+0.5)/1e6)
	}
	w.scene.MaxDeviation = max(w.scene.MaxDeviation, farthest)
}

// ticks simulates a player's steps tick by tick as the lab will, from a state, and returns
// the largest deviation.
func (w *scenarioWriter) ticks(c *scenario.Commands, s *presence, at arena.Hero) (farthest float64) {
	rate := w.file.Head().TickRate
	worldAt, stop := w.worlds()
	defer stop()
	for i := 0; i < len(s.steps); {
		tick := int64(s.steps[i].At) * int64(rate) / int64(clock.Second)
		for clock.TickTime(tick, rate) < s.steps[i].At {
			tick++
		}
		w.view.World = worldAt(tick)
		before := clock.TickTime(tick-1, rate) - w.zero + 1
		if at != s.steps[i].Before {
			at = s.steps[i].Before
			w.place(c, max(before, 0), &at)
		}
		var recorded *arena.Hero
		for ; i < len(s.steps) && s.steps[i].At <= clock.TickTime(tick, rate); i++ {
			k := &s.steps[i]
			w.step(&at, &k.Command, k.Duration, k.At)
			recorded = &k.after
			off := at.Position.Dist(recorded.Position)
			if farthest = max(farthest, off); off > 0 {
				w.scene.Deviating++
			}
			c.Commands = append(c.Commands, scenario.Command{
				End: k.At - w.zero, Lasts: k.Duration, Position: recorded.Position, Packed: w.command(&k.Command),
			})
		}
		if recorded != nil && at != *recorded {
			at = *recorded
			w.place(c, clock.TickTime(tick, rate)-w.zero+1, &at)
		}
	}
	return farthest
}

// worlds returns a function that returns the level as it was in a tick, with its doors open or
// closed. The ticks that it is called with ascend.
func (w *scenarioWriter) worlds() (at func(tick int64) *collide.World, stop func()) {
	next, stop := iter.Pull2(w.file.Ticks(0))
	last, world := int64(-1), w.file.World()
	return func(tick int64) *collide.World {
		for last < tick {
			t, err, ok := next()
			if !ok || err != nil {
				break
			}
			last, world = int64(t.Snapshot.Tick), t.World
		}
		return world
	}, stop
}

// step simulates one command as the lab will: without obstacles.
func (w *scenarioWriter) step(h *arena.Hero, c *arena.Command, lasts, at clock.Micros) {
	w.view.At = at
	w.game.Step(&session.Move{World: &w.view, Duration: lasts}, h, c)
}

// hidden returns a hero that cannot be seen, hit or touched, for the time before its player
// joins and after it leaves.
func (w *scenarioWriter) hidden(h arena.Hero) arena.Hero {
	out := w.game.Spawn(h.Position, h.Yaw, h.Life)
	out.Mode, out.Spectating, out.ForceFloor = movement.Flying, true, false
	return out
}

func (w *scenarioWriter) place(c *scenario.Commands, at clock.Micros, h *arena.Hero) {
	w.packer.Write(w.scratch[:])
	h.Pack(&w.packer)
	c.Places = append(c.Places, scenario.PlaceAt{At: at, Packed: append([]byte(nil), w.packer.Bytes()...)})
	w.scene.Places++
}

func (w *scenarioWriter) command(c *arena.Command) []byte {
	var none arena.Command
	out := *c
	w.packer.Write(w.scratch[:])
	w.game.PackCommand(&w.packer, &out, &none)
	return append([]byte(nil), w.packer.Bytes()...)
}

// scenarioName returns a unique player name that a scenario allows.
func (w *scenarioWriter) scenarioName(s *presence) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, s.name)
	if name = strings.ToLower(name); name == "" {
		name = "player"
	}
	for n, base := 2, name; slices.Contains(w.names, name) || slices.Contains(reserved, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	w.names = append(w.names, name)
	return name
}

// reserved are names that scenarios do not allow for players.
var reserved = []string{"shots", "players", "ticks", "seed", "name", "hash"}

// finish writes the scenario file.
func (w *scenarioWriter) finish() {
	h := w.file.Head()
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by backstep lab record of a match of %s that began %s: from %.1f s on.\n", h.Game,
		h.Began.Format("2006-01-02 15:04:05"), w.zero.Seconds())
	fmt.Fprintf(&b, "# %d commands and %d places; %d commands deviate, by up to %.6f m.\n",
		w.scene.Commands, w.scene.Places, w.scene.Deviating, w.scene.MaxDeviation)
	fmt.Fprintf(&b, "name: %s\nduration: %dus\nlevel: %s.world\n", w.name, w.end-w.zero, w.name)
	fmt.Fprintf(&b, "server: {tick: %d, snapshots: %d}\n", h.TickRate, cmp.Or(h.SnapshotRate, h.TickRate))
	fmt.Fprintf(&b, "players:\n%sexpect:\n%s", w.players.String(), w.expect.String())
	w.scene.Files[w.name+".yaml"] = []byte(b.String())
	w.scene.Files[w.name+".world"] = w.file.PackedWorld()
}

// time returns the match time of a tick.
func (w *scenarioWriter) time(tick uint32) clock.Micros {
	return clock.TickTime(int64(tick), w.file.Head().TickRate)
}

var _ session.Observer = (*replayedMatch)(nil)
