package serve_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
)

// round is a match whose game counts, and keeps its count in checkpoints.
type round struct {
	*match
	score  uint16
	placed []session.Event
}

// newRound returns a match of some bots that walk.
func newRound(t *testing.T, bots int) *round {
	t.Helper()
	r := &round{}
	m, err := serve.New(jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor()}, Bots: bots,
		OnJoin: func(m *match, e session.Event) {
			if r.placed = append(r.placed, e); !e.Reconnected {
				place(m, e)
			}
		},
		OnCheckpoint: func(_ *match, p *bits.Packer) { p.Uint16(&r.score) },
		Think: func(c *session.Client[hero, command]) (in command) {
			in.Forward, in.Yaw = 1, float64(c.ID())
			return in
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.match = m
	return r
}

// run plays ticks from one to before another.
func (r *round) run(from, to int64) {
	for tick := from; tick < to; tick++ {
		r.Tick(clock.TickTime(tick, 60))
		r.Outgoing()
	}
}

// packed returns a checkpoint of the match.
func (r *round) packed(t *testing.T) []byte {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 1<<20))
	if r.Checkpoint(&p); p.Err() != nil {
		t.Fatal(p.Err())
	}
	return p.Bytes()
}

// unpack restores a checkpoint into a new match.
func (r *round) unpack(b []byte) error {
	var p bits.Packer
	p.Read(b)
	r.Checkpoint(&p)
	return p.Err()
}

// A match goes on from its checkpoint: the bots come back to their seats and walk on from where they
// were, and the game has what it kept.
func TestAMatchGoesOnFromItsCheckpoint(t *testing.T) {
	before := newRound(t, 3)
	before.run(1, 120)
	before.score = 4711
	b := before.packed(t)
	after := newRound(t, 3)
	if err := after.unpack(b); err != nil {
		t.Fatal(err)
	}
	if after.score != 4711 {
		t.Errorf("the game's score is %d, want 4711", after.score)
	}
	was := map[session.PlayerID]hero{}
	for id := session.PlayerID(1); id <= 3; id++ {
		a, _ := before.State(id)
		if got, ok := after.State(id); !ok || got != a {
			t.Errorf("bot %d is restored at %v, %v; want %v", id, got.Position, ok, a.Position)
		}
		was[id] = a
	}
	after.run(120, 240)
	for _, e := range after.placed {
		if !e.Reconnected {
			t.Errorf("%s joins as player %d anew, want it to come back", e.Name, e.Player)
		}
	}
	if n := len(after.Players(nil)); n != 3 || len(after.placed) != 3 {
		t.Fatalf("%d players after %d joins, want 3 and 3", n, len(after.placed))
	}
	for id, a := range was {
		if got, _ := after.State(id); got.Position.Dist(a.Position) < 5 || got.Position.Len() < a.Position.Len() {
			t.Errorf("bot %d walked from %v to %v in two seconds, want 5 m on", id, a.Position, got.Position)
		}
	}
	if again := after.packed(t); len(again) < len(b)/2 {
		t.Errorf("the next checkpoint has %d bytes, the first %d", len(again), len(b))
	}
}

// A game throws a player out in its OnTick, and a checkpoint is taken after that tick, with the free seat. The game
// has heard by then that the player left, and has let go of what it keeps of it in the checkpoint: a match that goes
// on from there would never hear it. [THR-63]
func TestACheckpointInTheTickOfAKick(t *testing.T) {
	var left []session.PlayerID
	m, err := serve.New(jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor()}, OnJoin: place, Bots: 2,
		Think: func(*session.Client[hero, command]) (in command) { return in },
		OnTick: func(m *match, now clock.Micros) {
			if now == clock.Second {
				m.Kick(2, "out")
			}
		},
		OnLeave: func(_ *match, id session.PlayerID) { left = append(left, id) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &round{match: m}
	r.run(1, 61)
	if n := len(m.Players(nil)); n != 1 || len(left) != 1 || left[0] != 2 {
		t.Errorf("a checkpoint has %d players, and OnLeave was called for %v; want 1, and for player 2", n, left)
	}
	if k := m.Kicked(); len(k) != 1 || k[0].Player != 2 {
		t.Errorf("the host closes the connections of %+v, want that of player 2", k)
	}
}

// A checkpoint of a match with other bots is refused with both numbers; one that was cut anywhere is
// refused too, and nothing panics.
func TestCheckpointsThatAreRefused(t *testing.T) {
	r := newRound(t, 2)
	r.run(1, 30)
	b := r.packed(t)
	const want = "serve: the checkpoint has 2 bots, and this match has 1"
	if err := newRound(t, 1).unpack(b); fmt.Sprint(err) != want {
		t.Errorf("with one bot: got %v, want %s", err, want)
	}
	for n := 0; n < len(b); n += max(len(b)/60, 1) {
		if err := newRound(t, 2).unpack(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are a checkpoint", n, len(b))
		}
	}
}

// ask runs a server in a folder of checkpoints until its match has played some ticks, and returns its
// log.
func ask(t *testing.T, folder string, bots, ticks int) string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	var log strings.Builder
	played := 0
	err := serve.Run(ctx, jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor()}, OnJoin: place, Checkpoint: folder, Bots: bots,
		Think: func(*session.Client[hero, command]) command { return command{} },
		OnTick: func(*match, clock.Micros) {
			if played++; played == ticks {
				stop()
			}
		},
	}, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, &log)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, log:\n%s", err, &log)
	}
	return log.String()
}

// A server that starts again in the folder of its checkpoints goes on; with other bots it begins anew,
// puts the checkpoint aside, and says why.
func TestAServerGoesOnFromItsFolder(t *testing.T) {
	folder := t.TempDir()
	if log := ask(t, folder, 2, 100); strings.Contains(log, "restored") {
		t.Errorf("a first start goes on from something:\n%s", log)
	}
	file := filepath.Join(folder, "match.checkpoint")
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("no checkpoint is left: %v", err)
	}
	if log := ask(t, folder, 2, 10); !strings.Contains(log, "msg=restored") {
		t.Errorf("the second start begins anew:\n%s", log)
	}
	log := ask(t, folder, 3, 10)
	if !strings.Contains(log, "the checkpoint has 2 bots, and this match has 3") {
		t.Errorf("with other bots, the log does not say why it begins anew:\n%s", log)
	}
	if _, err := os.Stat(file + ".refused"); err != nil {
		t.Errorf("the refused checkpoint is gone: %v", err)
	}
	notFolder := filepath.Join(folder, "file")
	if err := os.WriteFile(notFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	played := config{Session: session.ServerConfig{World: floor()}, OnJoin: place, Checkpoint: filepath.Join(notFolder, "x")}
	if err := serve.Run(t.Context(), jetpack.Game(&model), played, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, io.Discard); err == nil || !strings.Contains(err.Error(), notFolder) {
		t.Errorf("a folder that cannot be made: got %v, want its name", err)
	}
}

// A server with a folder of checkpoints and without OnCheckpoint says once in its log that hooks may lose their
// variables; one with OnCheckpoint, or without a folder, does not.
func TestAServerWarnsWhereHooksMayLoseTheirVariables(t *testing.T) {
	keeps := func(*match, *bits.Packer) {}
	for _, c := range []struct {
		what, folder string
		keep         func(*match, *bits.Packer)
		want         int
	}{
		{"a folder and no OnCheckpoint", t.TempDir(), nil, 1},
		{"a folder and OnCheckpoint", t.TempDir(), keeps, 0},
		{"no folder and no OnCheckpoint", "", nil, 0},
	} {
		ctx, stop := context.WithTimeout(t.Context(), patience)
		var log strings.Builder
		err := serve.Run(ctx, jetpack.Game(&model), config{
			Session: session.ServerConfig{World: floor()}, OnJoin: place, Checkpoint: c.folder, OnCheckpoint: c.keep,
			OnTick: func(*match, clock.Micros) { stop() },
		}, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, &log)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		const warning = "the game keeps nothing itself in a checkpoint: if its hooks have variables, set serve.Config.OnCheckpoint"
		if got := strings.Count(log.String(), warning); got != c.want {
			t.Errorf("%s: got the warning %d times, want %d, in\n%s", c.what, got, c.want, &log)
		}
	}
}

// OnStart is called before a checkpoint is read, and again for the match that takes the place of one whose
// checkpoint was refused: what a game makes in it belongs to the match that is played.
func TestEachMatchStarts(t *testing.T) {
	var calls []string
	var started *match
	c := config{
		Session: session.ServerConfig{World: floor()}, OnJoin: place, Checkpoint: t.TempDir(),
		OnStart: func(m *match) { started = m; calls = append(calls, fmt.Sprint("start at tick ", m.TickNumber())) },
		OnCheckpoint: func(m *match, p *bits.Packer) {
			if !p.Writing() {
				calls = append(calls, fmt.Sprint("read, of the same match: ", m == started))
				p.Fail(errors.New("not this one"))
			}
		},
	}
	var played *match
	for range 2 { // the first run leaves a checkpoint
		ctx, stop := context.WithTimeout(t.Context(), patience)
		c.OnTick = func(m *match, _ clock.Micros) { played = m; stop() }
		err := serve.Run(ctx, jetpack.Game(&model), c, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, io.Discard)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	want := "start at tick 0, start at tick 0, read, of the same match: true, start at tick 0"
	if got := strings.Join(calls, ", "); got != want || played != started {
		t.Errorf("got %q, and the match that is played is the one that started last: %v; want %q and true", got, played == started, want)
	}
}

// glb returns a level of one box, with one spawn point.
func glb() []byte {
	text := `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[
		{"name":"ground","translation":[0,-1,0],"scale":[12,1,12],"extras":{"backstep":{"collide":"box"}}},
		{"name":"a","translation":[-6,0.1,0],"extras":{"backstep":{"spawn":true}}}]}`
	text += "   "[:(4-len(text)%4)%4]
	u32 := binary.LittleEndian.AppendUint32
	b := u32(u32([]byte("glTF"), 2), uint32(12+8+len(text)))
	return append(u32(u32(b, uint32(len(text))), 0x4E4F534A), text...)
}

// The level's geometry is the world, unless the game has one of its own; either way the game gets its
// spawn points.
func TestTheLevelIsTheWorld(t *testing.T) {
	own := floor()
	for _, c := range []struct {
		what  string
		world config
		box   float64
	}{
		{"the level's", config{Level: glb(), OnJoin: place}, 12},
		{"the game's own", config{Level: glb(), OnJoin: place, Session: session.ServerConfig{World: own}}, own.Bounds().Max.X},
	} {
		m, err := serve.New(jetpack.Game(&model), c.world)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.World().Bounds().Max.X; got != c.box {
			t.Errorf("%s: the world reaches to %v m, want %v", c.what, got, c.box)
		}
		if len(m.Level.Spawns) != 1 || m.Level.Spawns[0].Position.X != -6 {
			t.Errorf("%s: spawn points %+v, want one at −6", c.what, m.Level.Spawns)
		}
	}
}
