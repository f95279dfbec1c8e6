package replay

import (
	"errors"
	"fmt"
	"math"
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

// Scene is a scenario of the lab that repeats a recording, and how well.
type Scene struct {
	// Files are its files by name: NAME.yaml, the level as NAME.world, and of each player
	// NAME.PLAYER.commands.
	Files map[string][]byte
	// Players, Commands and Places count what is in it. A place is where the server put
	// somebody: at first, and wherever the command alone would have led elsewhere (a
	// spawn, a death, the touch of another player).
	Players, Commands, Places int
	// Astray is how many commands lead elsewhere than when they were recorded, because a
	// place comes at the end of the tick; Farthest how far at most, in metres. The
	// scenario expects no more of each player.
	Astray   int
	Farthest float64
}

// settles is how long the lab may take to let everybody join, before time zero.
const settles = clock.Second

var errNobody = errors.New("replay: nobody plays in that time")

// ScenarioOf makes a scenario, which is called name, of what is recorded from one match
// time to another (0: the end). Time zero is from, at least a second after the match began and
// rounded up to a whole tenth. A damaged recording is used up to the damage.
func ScenarioOf(f *record.File, name string, from, to clock.Micros) (*Scene, error) {
	const tenth = 100 * clock.Millisecond // a whole number of predict.TimeQuantum, and of most ticks
	from = max((from+tenth-1)/tenth*tenth, settles)
	if to <= 0 || to > f.Duration() {
		to = f.Duration()
	}
	if to <= from {
		return nil, errNobody
	}
	stays, err := staysOf(f, to)
	var damage *record.DamageError
	if err != nil && !errors.As(err, &damage) {
		return nil, err
	}
	w := &scribe{file: f, name: name, zero: from, end: to, game: arena.NewGame(), scene: Scene{Files: map[string][]byte{}}}
	w.view.World = f.World()
	for _, s := range stays {
		w.player(s)
	}
	if w.scene.Players == 0 {
		return nil, errNobody
	}
	w.finish()
	return &w.scene, nil
}

// scribe writes a scenario.
type scribe struct {
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

// player writes down what one player did, and finds out, by doing it as the lab will,
// where the server has to put him so that he is where he was.
func (w *scribe) player(s *stay) {
	for len(s.steps) > 0 && s.steps[0].At <= w.zero && (len(s.steps) == 1 || s.steps[1].At <= w.zero) {
		s.steps = s.steps[1:] // before time zero; the last of those is where he begins
	}
	if len(s.steps) == 0 || s.left != 0 && w.time(s.left) <= w.zero {
		return
	}
	c := &scenario.Commands{Zero: w.zero}
	first := &s.steps[0]
	at := w.hidden(first.Before)
	if first.At <= w.zero { // he is there from the beginning
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
	name := w.called(s)
	w.scene.Files[w.name+"."+name+".commands"] = c.AppendText(nil)
	w.scene.Players++
	w.scene.Commands += len(c.Commands)
	fmt.Fprintf(&w.players, "  - {name: %s, at: [%g, %g, %g], yaw: %.6f, send: 500, commands: %s.%s.commands}\n",
		name, at.Position.X, at.Position.Y, at.Position.Z, at.Yaw*180/math.Pi, w.name, name)
	if len(c.Commands) > 0 {
		fmt.Fprintf(&w.expect, "  - %s.recorded.max <= %.6f\n", name, math.Ceil(float64(farthest*1e6)+0.5)/1e6)
	}
	w.scene.Farthest = max(w.scene.Farthest, farthest)
}

// ticks plays a player's steps tick by tick as the lab will, from a state on, and
// returns how far off the farthest was.
func (w *scribe) ticks(c *scenario.Commands, s *stay, at arena.Hero) (farthest float64) {
	rate := w.file.Head().TickRate
	for i := 0; i < len(s.steps); {
		tick := int64(s.steps[i].At) * int64(rate) / int64(clock.Second)
		for clock.TickTime(tick, rate) < s.steps[i].At {
			tick++
		}
		before := clock.TickTime(tick-1, rate) - w.zero + 1
		if at != s.steps[i].Before {
			at = s.steps[i].Before
			w.place(c, max(before, 0), &at)
		}
		var true_ *arena.Hero
		for ; i < len(s.steps) && s.steps[i].At <= clock.TickTime(tick, rate); i++ {
			k := &s.steps[i]
			w.step(&at, &k.Command, k.Duration, k.At)
			true_ = &k.after
			off := at.Position.Dist(true_.Position)
			if farthest = max(farthest, off); off > 0 {
				w.scene.Astray++
			}
			c.Commands = append(c.Commands, scenario.Command{
				End: k.At - w.zero, Lasts: k.Duration, Position: true_.Position, Packed: w.command(&k.Command),
			})
		}
		if true_ != nil && at != *true_ {
			at = *true_
			w.place(c, clock.TickTime(tick, rate)-w.zero+1, &at)
		}
	}
	return farthest
}

// step is one command as the lab will run it: nobody is in the way.
func (w *scribe) step(h *arena.Hero, c *arena.Command, lasts, at clock.Micros) {
	w.view.At = at
	w.game.Step(&w.view, h, c, lasts)
}

// hidden is a hero whom nobody sees, hits or touches: before his stay, and after.
func (w *scribe) hidden(h arena.Hero) arena.Hero {
	out := w.game.Spawn(h.Position, h.Yaw, h.Life)
	out.Mode, out.Watching, out.ForceFloor = movement.Flying, true, false
	return out
}

func (w *scribe) place(c *scenario.Commands, at clock.Micros, h *arena.Hero) {
	w.packer.Write(w.scratch[:])
	h.Pack(&w.packer)
	c.Places = append(c.Places, scenario.PlaceAt{At: at, Packed: append([]byte(nil), w.packer.Bytes()...)})
	w.scene.Places++
}

func (w *scribe) command(c *arena.Command) []byte {
	var none arena.Command
	out := *c
	w.packer.Write(w.scratch[:])
	w.game.PackCommand(&w.packer, &out, &none)
	return append([]byte(nil), w.packer.Bytes()...)
}

// called is a player's name as a scenario may have it, and nobody else's.
func (w *scribe) called(s *stay) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, s.name)
	if name = strings.ToLower(name); name == "" {
		name = "player"
	}
	for n, base := 2, name; contains(w.names, name) || contains(reserved, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	w.names = append(w.names, name)
	return name
}

// reserved are names that scenarios do not give to players.
var reserved = []string{"shots", "players", "ticks", "seed", "name", "hash"}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// finish writes the scenario itself.
func (w *scribe) finish() {
	h := w.file.Head()
	var b strings.Builder
	fmt.Fprintf(&b, "# Made by backstep lab record of a match of %s that began %s: from %.1f s on.\n", h.Game,
		h.Began.Format("2006-01-02 15:04:05"), w.zero.Seconds())
	fmt.Fprintf(&b, "# %d commands and %d places; %d commands lead up to %.6f m astray.\n",
		w.scene.Commands, w.scene.Places, w.scene.Astray, w.scene.Farthest)
	fmt.Fprintf(&b, "name: %s\nduration: %dus\nlevel: %s.world\n", w.name, w.end-w.zero, w.name)
	fmt.Fprintf(&b, "server: {tick: %d, snapshots: %d}\n", h.TickRate, orElse(h.SnapshotRate, h.TickRate))
	fmt.Fprintf(&b, "players:\n%sexpect:\n%s", w.players.String(), w.expect.String())
	w.scene.Files[w.name+".yaml"] = []byte(b.String())
	w.scene.Files[w.name+".world"] = w.file.PackedWorld()
}

// time is the match time of a tick.
func (w *scribe) time(tick uint32) clock.Micros {
	return clock.TickTime(int64(tick), w.file.Head().TickRate)
}

var _ session.Observer = (*rerun)(nil)
