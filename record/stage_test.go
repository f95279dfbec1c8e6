package record_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/examples/arena/assets"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// arenaLevel is the arena's level and its mesh, read once.
var arenaLevel = sync.OnceValues(func() (*level.Level, *nav.Mesh) {
	l, err := level.Read(assets.Arena)
	if err != nil {
		panic(err)
	}
	mesh, err := arena.Mesh(l.World, l.Spawns[0].Position)
	if err != nil {
		panic(err)
	}
	return l, mesh
})

// keys are drawn in order, so that a run can be repeated.
func keys() func() session.Key {
	n := uint64(0)
	return func() (k session.Key) {
		n++
		binary.LittleEndian.PutUint64(k[:], n)
		return k
	}
}

func config() arena.MatchConfig {
	l, mesh := arenaLevel()
	c := arena.MatchConfig{
		ServerConfig: session.ServerConfig{World: l.World, LevelHash: l.World.Hash(), NewKey: keys(), PlayersBlock: true},
		KillHeight:   l.KillHeight, Seed: 7, Mesh: mesh,
	}
	for _, s := range l.Spawns {
		c.Spawns = append(c.Spawns, arena.Spawn{Position: s.Position, Yaw: s.Yaw})
	}
	return c
}

// guest is a client over a bad link, controlled by a bot.
type guest struct {
	*arena.Player
	bot      *arena.Bot
	peer     session.Peer
	up, down *mem.Link
	gone     bool
}

func newGuest(name string, peer session.Peer, key session.Key) *guest {
	_, mesh := arenaLevel()
	bad := mem.Network{RTT: 80 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.03}
	g := &guest{
		Player: arena.NewPlayer(session.ClientConfig{}), bot: arena.NewBot(arena.Veteran, uint64(peer)), peer: peer,
		up: mem.NewLink(bad, uint64(peer)), down: mem.NewLink(bad, uint64(peer)+100),
	}
	g.bot.Mesh = mesh
	g.Hello(name, key)
	return g
}

// play is a match: bots of its own, guests, the tick.
type play struct {
	t      testing.TB
	bots   *arena.Bots
	guests []*guest
	tick   int64
	got    []mem.Arrival
	said   map[uint32][]session.Packet // the game's messages, by the tick after which they were sent
}

func std(m clock.Micros) time.Duration { return time.Duration(m) * time.Microsecond }

// until plays up to a match time.
func (p *play) until(end clock.Micros) {
	l, _ := arenaLevel()
	for p.tick++; clock.TickTime(p.tick, 60) <= end; p.tick++ {
		now := clock.TickTime(p.tick, 60)
		for _, g := range p.guests {
			if g.gone {
				continue
			}
			p.got = g.down.Deliver(std(now), p.got[:0])
			for _, a := range p.got {
				_ = g.Receive(session.Channel(a.Channel), clock.Micros(a.At/time.Microsecond), a.Bytes)
			}
			g.Play(now, g.bot.Think(g.Player, now))
			for _, e := range g.Notices {
				if e.Kind == session.Welcomed {
					g.Enter(l.World)
				}
			}
			for _, out := range g.Outgoing() {
				g.up.Send(std(now), transport.Channel(out.Channel), out.Bytes)
			}
			p.got = g.up.Deliver(std(now), p.got[:0])
			for _, a := range p.got {
				_ = p.bots.Receive(g.peer, session.Channel(a.Channel), clock.Micros(a.At/time.Microsecond), a.Bytes)
			}
		}
		p.bots.Tick(now)
		for _, out := range p.bots.Outgoing() {
			if out.Channel == session.Stream && out.Bytes[0] == 4 { // protocol.md, section 3
				n := p.bots.TickNumber()
				p.said[n] = append(p.said[n], session.Packet{Peer: out.Peer, Bytes: bytes.Clone(out.Bytes)})
			}
			for _, g := range p.guests {
				if g.peer == out.Peer && !g.gone {
					g.down.Send(std(now), transport.Channel(out.Channel), out.Bytes)
				}
			}
		}
	}
	p.tick--
}

// recorded plays a match into a file of the test's folder and returns the file's name.
func recorded(t *testing.T, bots, guests int, long clock.Micros) (string, *play, *record.Recorder) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "match.bsrec")
	m, rec, err := replay.Record(name, config(), "arena", "test")
	if err != nil {
		t.Fatal(err)
	}
	p := &play{t: t, bots: arena.NewBots(m, bots, arena.Veteran), said: map[uint32][]session.Packet{}}
	p.bots.SetEndpoint(rec)
	for i := range guests {
		p.guests = append(p.guests, newGuest([]string{"ann", "bob"}[i], session.Peer(i+1), session.Key{}))
	}
	p.until(long)
	return name, p, rec
}

func open(t *testing.T, name string) *record.File {
	t.Helper()
	f, err := record.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func bytesOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
