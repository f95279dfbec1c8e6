// Package check tests a game for what the compiler cannot see: that states and commands survive
// their packing, that one long command may take the place of two where the game says so, that
// client and server compute the same, and that the compiler rounds every product on each
// processor. It is for a game's own tests:
//
//	func TestRules(t *testing.T) {
//		check.Game(t, mygame.Rules(), check.Play[mygame.Hero, mygame.Command]{Start: mygame.Spawn(), World: mygame.Level()})
//	}
//
//	func TestRounding(t *testing.T) { check.Rounding(t, "./...") }
//
// [Bots] plays a whole match in virtual time, over a simulated network. Start at [Game];
// [Rounding] is for the compiler alone. A fault is reported with the field, what was got and what was
// wanted, and what to do.
package check

import (
	"cmp"
	"fmt"
	"hash"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// Play says how the checked game is played.
type Play[S comparable, C any] struct {
	// Start is a state as players spawn, and World the level. Required.
	Start S
	World *collide.World
	// States are further ones that commands at random do not reach, such as a mode of the game's own: some of the
	// commands begin there.
	States []S
	// Command returns the next command of a player, after the one before. Nil draws all fields:
	// most stay as they were for a while, as a player's do.
	Command func(r *rand.Rand, before C) C
	// Moves is how many commands are played; zero means 10,000.
	Moves int
	// Seed is of the commands and the network; zero means 1.
	Seed uint64
	// Session configures the match that is played in virtual time: PlayersBlock, tick rate.
	// World and NewKey are filled in.
	Session session.ServerConfig
}

// checker is one check of a game.
type checker[S comparable, C any] struct {
	testing.TB
	game   session.Game[S, C]
	play   Play[S, C]
	random *rand.Rand
	world  collide.WorldAt
	packer bits.Packer
	bytes  [4096]byte
	faults map[string]bool // each is reported once
	hash   hash.Hash64     // of the states that were reached
	combined
}

// maxState is the longest state, in bytes, that a session sends.
const maxState = 780

// Game plays a game with commands at random and reports what is wrong with its functions. The hash of
// the states that it logs is the same on every processor; backstep check compares.
//
//   - each state that is reached survives PackState with ==, and PackState writes each field of it in some state;
//   - each command, as the session quantises it, is packed and read the same again, also against
//     another one before it, and PackCommand writes each field that is ever set;
//   - where Combine says that one command may replace two, both lead within a centimetre of each
//     other and to what must agree exactly (Digest, or what ClearInexact leaves), but for a few pairs in a hundred, and the
//     arguments stay as they are;
//   - over 100 ms of round trip, a client and a server that play the same commands have equal
//     states after each command, by ==, and not one correction.
func Game[S comparable, C any](t testing.TB, game session.Game[S, C], play Play[S, C]) {
	t.Helper()
	if play.World == nil {
		t.Fatal("check: Play.World is nil: set the level, such as a collide.Builder's Bake")
	}
	play.Moves = cmp.Or(play.Moves, 10000)
	play.Seed = cmp.Or(play.Seed, 1)
	if play.Command == nil {
		play.Command = anyCommand[C]
	}
	c := &checker[S, C]{TB: t, game: game, play: play, world: collide.WorldAt{World: play.World}, faults: map[string]bool{}, hash: fnv.New64a()}
	c.random = rand.New(rand.NewPCG(play.Seed, 0))
	c.alone()
	t.Logf("check: %d commands of seed %d lead to the hash %016x", play.Moves, play.Seed, c.hash.Sum64())
	if !c.faults["Step"] && !c.faults["PackCommand"] && !c.faults["PackState"] { // else a match says nothing new, or panics
		c.online()
	}
}

// fault reports a fault once.
func (c *checker[S, C]) fault(what, format string, args ...any) {
	c.Helper()
	if !c.faults[what] {
		c.faults[what] = true
		c.Errorf("check: "+what+": "+format, args...)
	}
}

// alone plays the commands on one end, in frames of 4 to 40 ms.
func (c *checker[S, C]) alone() {
	c.Helper()
	states := append([]S{c.play.Start}, c.play.States...)
	state, now := c.play.Start, clock.Second
	unpacked := unwritten[S]{pack: c.game.PackState, fields: allFields[S]()}
	unsent := lost[C]{unread: allFields[C](), set: map[string]bool{}}
	var command, before C
	m := session.Move{World: &c.world, Weapons: c.game.Combat.Weapons}
	for n := range c.play.Moves {
		if share := n * len(states) / c.play.Moves; share != (n-1)*len(states)/c.play.Moves {
			state = states[share]
		}
		start := state
		drawn := c.play.Command(c.random, command)
		first := c.quantised(drawn, n)
		second := first
		if n%2 == 1 {
			second = c.quantised(c.play.Command(c.random, first), n)
		}
		c.command(n, first, before)
		m.Duration = clock.Micros(100+c.random.IntN(900)) * 40
		now += m.Duration
		c.world.At = now
		c.game.Step(&m, &state, &first)
		if same := state; same != state {
			c.fault("Step", "command %d of seed %d leads to a state with a NaN, which does not equal itself: %s: divide by nothing that may be zero",
				n, c.play.Seed, differences(same, state))
			return
		}
		c.state(n, state)
		c.combines(n, start, first, second)
		if n%(1+c.play.Moves/fieldSamples) == 0 {
			unpacked.try(start)
		}
		unsent.try(drawn, first)
		before, command = command, first
	}
	if fields := unpacked.fields; len(fields) > 0 {
		c.fault("PackState", "it writes the same bytes whatever %s is: pack each field; for one that is packed in some states only, give such a state in Play.States", names(fields))
	}
	if fields := unsent.fields(); len(fields) > 0 {
		c.fault("PackCommand", "%s is set in some commands, and zero in all that are read: pack each field, or the server does not get it", names(fields))
	}
}

// fieldSamples is in how many states it is tried out which fields are packed.
const fieldSamples = 500

// quantised returns a command as the session simulates it.
func (c *checker[S, C]) quantised(command C, n int) C {
	c.Helper()
	var none, read C
	if trigger := c.game.Combat.Trigger; trigger != nil { // the rest of a claim is the client's
		t := trigger(&command)
		*t = shot.Claim{Fire: t.Fire, Yaw: t.Yaw, Pitch: t.Pitch}
	}
	c.packer.WriteClamped(c.bytes[:])
	c.game.PackCommand(&c.packer, &command, &none)
	if err := c.packer.Err(); err != nil {
		c.fault("PackCommand", "command %d of seed %d cannot be written: %v: %+v", n, c.play.Seed, err, command)
		return read
	}
	c.packer.Read(c.packer.Bytes())
	c.game.PackCommand(&c.packer, &read, &none)
	if c.packer.End(); c.packer.Err() != nil {
		c.fault("PackCommand", "command %d of seed %d cannot be read again: %v: the function must read what it writes: %+v",
			n, c.play.Seed, c.packer.Err(), command)
	}
	return read
}

// command packs a quantised command after another.
func (c *checker[S, C]) command(n int, command, before C) {
	c.Helper()
	written, read, prior := command, *new(C), before
	c.packer.Write(c.bytes[:])
	c.game.PackCommand(&c.packer, &written, &prior)
	if err := c.packer.Err(); err != nil {
		c.fault("PackCommand", "command %d of seed %d cannot be written after another: %v: %+v", n, c.play.Seed, err, command)
		return
	}
	length := c.packer.Bits()
	c.packer.Read(c.packer.Bytes())
	c.game.PackCommand(&c.packer, &read, &prior)
	switch {
	case c.packer.Err() != nil || c.packer.Bits() != length:
		c.fault("PackCommand", "command %d of seed %d: %d bits were written and %d read: %v: the function must read what it writes, in the same order",
			n, c.play.Seed, length, c.packer.Bits(), c.packer.Err())
	case !reflect.DeepEqual(read, command):
		c.fault("PackCommand", "command %d of seed %d is read otherwise than it was simulated: %s: pack each field, and with the same rounding whatever the command before it",
			n, c.play.Seed, differences(read, command))
	}
}

// state packs a state.
func (c *checker[S, C]) state(n int, state S) {
	c.Helper()
	written, read := state, *new(S)
	c.packer.Write(c.bytes[:])
	c.game.PackState(&c.packer, &written)
	if err := c.packer.Err(); err != nil {
		c.fault("PackState", "the state after command %d of seed %d cannot be written: %v: %+v", n, c.play.Seed, err, state)
		return
	}
	if n := len(c.packer.Bytes()); n > maxState {
		c.fault("PackState", "a state takes %d bytes, and at most %d fit into a correction", n, maxState)
	}
	c.hash.Write(c.packer.Bytes())
	c.packer.Read(c.packer.Bytes())
	c.game.PackState(&c.packer, &read)
	if c.packer.End(); c.packer.Err() != nil {
		c.fault("PackState", "the state after command %d of seed %d cannot be read again: %v: the function must read what it writes",
			n, c.play.Seed, c.packer.Err())
	} else if read != state {
		c.fault("PackState", "the state after command %d of seed %d does not survive: %s: pack each field without loss",
			n, c.play.Seed, differences(read, state))
	}
}

// frame is how long the commands are that Combine is checked with: those of a screen of 144 frames
// a second.
const frame = 6960 * clock.Microsecond

// combined counts the pairs of commands that Combine took as one, and those that led elsewhere.
type combined struct{ pairs, wrong int }

// combines compares one command with two where the game says that they are alike. Now and then the
// two may differ: a step in between may touch what the whole step does not.
func (c *checker[S, C]) combines(n int, start S, first, second C) {
	c.Helper()
	if c.game.Combine == nil {
		return
	}
	m := session.Move{World: &c.world, Duration: frame, Weapons: c.game.Combat.Weapons}
	between, a := start, first
	c.game.Step(&m, &between, &a)
	m.Duration = 2 * frame
	a, b, s, e := first, second, start, between
	if !c.game.Combine(&m, &s, &e, &a, &b) {
		return
	}
	if s != start || e != between || !reflect.DeepEqual(a, first) || !reflect.DeepEqual(b, second) {
		c.fault("Combine", "it changes its arguments")
	}
	one, two := start, between
	c.game.Step(&m, &one, &b)
	m.Duration, b = frame, second
	c.game.Step(&m, &two, &b)
	c.pairs++
	if c.game.Position(&one).Dist(c.game.Position(&two)) <= 0.01 && c.alike(one, two) {
		return
	}
	if c.wrong++; c.wrong > 5+c.pairs/50 {
		c.fault("Combine", "of %d pairs of commands up to number %d of seed %d, %d lead elsewhere as one command: %s: allow it only where both lead to the same",
			c.pairs, n, c.play.Seed, c.wrong, cmp.Or(differences(c.exact(one), c.exact(two)), differences(one, two)))
	}
}

// alike reports whether two states agree in what must agree exactly.
func (c *checker[S, C]) alike(a, b S) bool {
	if digest := c.game.Digest; digest != nil && digest(&a) != digest(&b) {
		return false
	}
	return c.exact(a) == c.exact(b)
}

// exact returns what of a state must agree exactly.
func (c *checker[S, C]) exact(s S) S {
	var none S
	if c.game.ClearInexact == nil {
		return none
	}
	c.game.ClearInexact(&s)
	return s
}

// match places the only player, and compares each of its states with the client's.
type match[S comparable, C any] struct {
	*session.Server[S, C]
	session.Observer // the lab's
	start            S
	predicted        map[uint32]S // the client's state after each command, by its number
	compared         int
	differs          string // the first difference
}

// Observe implements lab.Server.
func (m *match[S, C]) Observe(o session.Observer) {
	m.Observer = o
	m.Server.Observe(m)
}

// ObserveMove implements session.Observer.
func (m *match[S, C]) ObserveMove(step *session.MoveStep) {
	m.Observer.ObserveMove(step)
	want, made := m.predicted[step.Number]
	got, _ := m.State(step.Player)
	if step.GapFill || !made {
		return
	}
	m.compared++
	if got != want && m.differs == "" {
		m.differs = fmt.Sprintf("after command %d: %s", step.Number, differences(got, want))
	}
	delete(m.predicted, step.Number)
}

// Tick implements lab.Server.
func (m *match[S, C]) Tick(now clock.Micros) {
	m.Server.Tick(now)
	for _, e := range m.Events() {
		if e.Kind == session.Joined {
			m.SetState(e.Player, m.start)
		}
	}
	m.Send()
}

// online plays the commands with a client and a server.
func (c *checker[S, C]) online() {
	c.Helper()
	config := c.play.Session
	config.World, config.NewKey = c.play.World, func() session.Key { return session.Key{1} }
	server := &match[S, C]{Server: session.NewServer(c.game, config), start: c.play.Start, predicted: map[uint32]S{}}
	client := session.NewClient(namingOwn(c.game), session.ClientConfig{})
	client.Hello("check", session.Key{})
	var command C
	duration := clock.TickTime(int64(c.play.Moves), 60)
	result, err := lab.Run(lab.Experiment{
		Server: server, Duration: duration + 2*clock.Second, Seed: c.play.Seed,
		Players: []lab.Player{{
			Name: "check", Client: client, Network: mem.Network{RTT: 100 * time.Millisecond, Jitter: 5 * time.Millisecond},
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(c.play.World)
					}
				}
				if now < duration {
					command = c.play.Command(c.random, command)
				}
				in := c.quantised(command, client.Stats().Moves.Made)
				client.Frame(local, &in)
				if self := client.Self(); self != nil {
					server.predicted[client.Newest()] = *self
				}
			},
		}},
	})
	if err != nil {
		c.fault("a match", "%v", err)
		return
	}
	const cure = "Step must depend on nothing but its arguments, and compute the same bits on both ends"
	if n := result.Players["check"].Corrections; n != 0 {
		c.fault("client and server", "%d corrections in %d commands of seed %d without loss, the last in %v: %s",
			n, c.play.Moves, c.play.Seed, client.LastCorrection().Differences, cure)
	}
	if server.differs != "" {
		c.fault("client and server", "their states differ %s, of seed %d: %s", server.differs, c.play.Seed, cure)
	} else if server.compared < c.play.Moves/4 {
		c.fault("a match", "only %d states of %d commands compared: the player left, or its commands were lost", server.compared, c.play.Moves)
	}
}

// differences lists the fields in which two values differ.
func differences(got, want any) string {
	var list []string
	compare("", reflect.ValueOf(got), reflect.ValueOf(want), &list)
	if len(list) > 5 {
		list = append(list[:5], "and more")
	}
	return strings.Join(list, ", ")
}

func compare(path string, got, want reflect.Value, list *[]string) {
	if got.Kind() == reflect.Struct {
		for i := range got.NumField() {
			name := got.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			compare(name, got.Field(i), want.Field(i), list)
		}
		return
	}
	// Values that print alike may differ: a NaN does not equal itself.
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w || got.Comparable() && !got.Equal(want) {
		*list = append(*list, fmt.Sprintf("%s: got %s want %s", strings.TrimPrefix(path, "."), g, w))
	}
}
