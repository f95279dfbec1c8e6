package serve_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backstep-net/backstep/client"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/jetpack"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/serve"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/mem"
)

type (
	hero    = jetpack.Hero
	command = jetpack.Command
	config  = serve.Config[hero, command]
	match   = serve.Match[hero, command]
)

var (
	_ host.Match       = (*match)(nil)
	_ host.EventSource = (*match)(nil)
)

var model = movement.DefaultModel()

func floor() *collide.World { return collide.Floor(50) }

func place(m *match, e session.Event) {
	m.SetState(e.Player, hero{State: movement.Spawn(geom.V(0, 0.1, 0), 0), Fuel: clock.Second})
}

// A player joins, walks, says something and leaves: each hook is called for what it is for.
func TestHooks(t *testing.T) {
	var log []string
	note := func(what string) {
		if len(log) == 0 || log[len(log)-1] != what {
			log = append(log, what)
		}
	}
	ticks, simulated := 0, 0
	m, err := serve.New(jetpack.Game(&model), config{
		Session:   session.ServerConfig{World: floor()},
		OnJoin:    func(m *match, e session.Event) { note("join " + e.Name); place(m, e) },
		OnLeave:   func(*match, session.PlayerID) { note("leave") },
		OnTick:    func(*match, clock.Micros) { ticks++ },
		Simulate:  func(*match, clock.Micros) { simulated++ },
		OnMessage: func(_ *match, _ session.PlayerID, b []byte) { note("message " + string(b)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	client := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
	client.Hello("Ann", session.Key{})
	said, left := false, false
	var report []serve.PlayerReport
	_, err = lab.Run(lab.Experiment{
		Server: m, Duration: 3 * clock.Second, Seed: 1,
		Players: []lab.Player{{
			Name: "Ann", Client: client, Network: mem.Network{RTT: 40 * time.Millisecond},
			Play: func(local, now clock.Micros) {
				for _, e := range client.Events() {
					if e.Kind == session.Welcomed {
						client.EnterWorld(m.World())
					}
				}
				c := command{Command: movement.Command{Forward: 1}}
				if client.Phase() == session.Playing && !said {
					client.SendMessage([]byte("hi"))
					said = true
				}
				if now > 2*clock.Second && !left {
					report = m.Report().([]serve.PlayerReport)
					client.Leave()
					left = true
				}
				client.Frame(local, &c)
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(log, ", "); got != "join Ann, message hi, leave" {
		t.Errorf("got %q", got)
	}
	if ticks < 170 || simulated != ticks {
		t.Errorf("got %d ticks, %d simulated; want about 180, as many", ticks, simulated)
	}
	if len(report) != 1 || report[0].ID != 1 || report[0].Name != "Ann" || !report[0].Present || report[0].Ping < 40 || report[0].Ping > 80 {
		t.Errorf("the operator reads %+v, want Ann, player 1, present, with a ping of 40 ms and some ticks", report)
	}
}

// A match has finished when no player but its bots is connected, or, where the game wants a say, when the game
// says so: it is told once how long it has. [THR-32]
func TestAMatchFinishes(t *testing.T) {
	var told []time.Duration
	for name, onDrain := range map[string]func(*match, time.Duration){"by itself": nil, "by the game": func(_ *match, left time.Duration) { told = append(told, left) }} {
		m, err := serve.New(jetpack.Game(&model), config{
			Session: session.ServerConfig{World: floor()}, OnJoin: place, Bots: 2, OnDrain: onDrain,
			Think: func(*session.Client[hero, command]) command { return command{} },
		})
		if err != nil {
			t.Fatal(err)
		}
		client := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
		client.Hello("Ann", session.Key{})
		hello := slices.Clone(client.Outgoing()[0].Bytes)
		for tick := int64(1); tick < 20; tick++ {
			m.Tick(clock.TickTime(tick, 60))
			m.Outgoing()
		}
		if err := m.Receive(9, session.Stream, 0, hello); err != nil {
			t.Fatal(err)
		}
		m.Drain(time.Minute)
		if m.Drained() {
			t.Errorf("%s: finished while a player is connected", name)
		}
		m.Disconnect(9)
		if want := onDrain == nil; m.Drained() != want {
			t.Errorf("%s: finished without players: %v, want %v", name, m.Drained(), want)
		}
		if m.Finish(); !m.Drained() {
			t.Errorf("%s: not finished after Finish", name)
		}
	}
	if len(told) != 1 || told[0] != time.Minute {
		t.Errorf("the game was told %v, want a minute, once", told)
	}
}

// THR-32: the operator kicks a bot, then stops the server. The match has not finished as long as a player is connected,
// also one that has the seat of that bot.
func TestAMatchWithoutAllItsBotsFinishes(t *testing.T) {
	m, err := serve.New(jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor(), Players: 2}, OnJoin: place, Bots: 2,
		Think: func(*session.Client[hero, command]) command { return command{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	tick := int64(0)
	play := func() {
		for range 20 {
			tick++
			m.Tick(clock.TickTime(tick, 60))
			m.Outgoing()
		}
	}
	play()
	m.Kick(1, "no bots here")
	play()
	client := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
	client.Hello("Ann", session.Key{})
	if err := m.Receive(9, session.Stream, 0, client.Outgoing()[0].Bytes); err != nil {
		t.Fatal(err)
	}
	play()
	if got := m.Players(nil); len(got) != 2 || got[0].Name != "Ann" {
		t.Fatalf("the players are %+v, want Ann and a bot", got)
	}
	m.Drain(time.Minute)
	if m.Drained() {
		t.Error("finished while a player is connected")
	}
	m.Disconnect(9)
	if !m.Drained() {
		t.Error("not finished without players")
	}
}

// Three bots play in the server's own process: they join, walk where Think says, and are seen. The game can tell them
// from players when they join.
func TestBots(t *testing.T) {
	joined := map[bool]int{} // by whether it is a bot
	m, err := serve.New(jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor()}, Bots: 3,
		OnJoin: func(m *match, e session.Event) {
			joined[m.IsBot(e.Player)]++
			place(m, e)
		},
		Think: func(c *session.Client[hero, command]) command {
			return command{Command: movement.Command{Forward: 1, Yaw: 2 * float64(c.ID())}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	client := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
	client.Hello("Ann", session.Key{})
	_, err = lab.Run(lab.Experiment{
		Server: m, Duration: 3 * clock.Second, Seed: 1,
		Players: []lab.Player{{
			Name: "Ann", Client: client, Network: mem.Network{RTT: 40 * time.Millisecond},
			Play: func(local, now clock.Micros) {
				if client.Phase() == session.Loading {
					client.EnterWorld(m.World())
				}
				client.Frame(local, new(command))
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, p := range m.Players(nil) {
		names += p.Name + ", "
	}
	if names != "Bot 1, Bot 2, Bot 3, Ann, " && names != "Ann, Bot 1, Bot 2, Bot 3, " {
		t.Errorf("got players %q", names)
	}
	if joined[true] != 3 || joined[false] != 1 {
		t.Errorf("%d bots and %d players joined, want 3 and 1", joined[true], joined[false])
	}
	if len(client.Remotes()) != 3 {
		t.Fatalf("got %d others, want 3 bots", len(client.Remotes()))
	}
	for _, r := range client.Remotes() {
		if far := r.Position.Len(); far < 10 {
			t.Errorf("player %d walked %.1f m, want at least 10", r.ID, far)
		}
	}
}

// A configuration that no match can have is refused with the field and what to do.
func TestBadConfigs(t *testing.T) {
	for _, c := range []struct {
		config config
		want   string
	}{
		{config{}, "Config.OnJoin is nil"},
		{config{OnJoin: place}, "Config.Session.World and Config.Level are nil"},
		{config{OnJoin: place, Level: []byte("no level")}, "Config.Level"},
		{config{OnJoin: place, Session: session.ServerConfig{World: floor()}, Bots: 2}, "serve: bots need Config.Think"},
		{config{OnJoin: place, Session: session.ServerConfig{World: floor()}, Bots: 2000}, "Config.Bots is 2000"},
	} {
		if _, err := serve.New(jetpack.Game(&model), c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want it to say %q", err, c.want)
		}
	}
}

// Wrong flags are reported with the flag and what it wants; a taken port with the flag that names
// another.
func TestFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-tick=5000"}, "-tick=5000: want 1 to 1000"},
		{[]string{"-players=3000"}, "-players=3000: want 1 to 1000"},
		{[]string{"again"}, `"again" is no flag`},
		{[]string{"-matchs=3"}, "serve: there is no flag -matchs; the nearest is -matches: see -help"},
		{[]string{"-tick=x"}, `serve: invalid value "x" for flag -tick: parse error: see -help`},
		{[]string{"-bots=3"}, "serve: bots need Config.Think, which returns what a bot does in a frame"},
		{[]string{"-addr=127.0.0.1:-1", "-quic=127.0.0.1:0"}, "-addr or -quic"},
		{[]string{"-origin=https://game.example"}, `invalid value "https://game.example" for flag -origin: `},
		{[]string{"-proxy=nowhere"}, `invalid value "nowhere" for flag -proxy: `},
		{[]string{"-public=a/b"}, `invalid value "a/b" for flag -public: want a host, or host:port`},
		{[]string{"-tls-cert=cert.pem"}, "both --tls-cert and --tls-key"},
		{[]string{"-queue=1025"}, "-queue=1025: want 0 to 1024"},
		{[]string{"-queue=-1"}, "-queue=-1: want 0 to 1024"},
		{[]string{"-per-address=0"}, "serve: -per-address=0: want 1 or more, or -1 for any number"},
		{[]string{"-bans=serve_test.go", "-addr=127.0.0.1:0", "-quic=127.0.0.1:0"}, "serve: -bans=serve_test.go: "},
		{[]string{"-tick=-1"}, "-tick=-1: want 1 to 1000"},
		{[]string{"-log=xml"}, "-log=xml: want text or json"},
		{[]string{"-token-key=none.key"}, `invalid value "none.key" for flag -token-key: `},
		{[]string{"-acme=game.example"}, "acme-dir"},
		{[]string{"-config=none.yaml"}, "none.yaml"},
		{[]string{"-admin=0.0.0.0:0", "-addr=127.0.0.1:0", "-quic=127.0.0.1:0"}, "serve: -admin=0.0.0.0:0: other machines reach it"},
		{[]string{"-web=no/such/folder", "-addr=127.0.0.1:0", "-quic=127.0.0.1:0"}, "serve: -web=no/such/folder: "},
		{[]string{"-help"}, flag.ErrHelp.Error()},
	} {
		var log bytes.Buffer
		err := serve.Run(context.Background(), jetpack.Game(&model), config{Session: session.ServerConfig{World: floor()}, OnJoin: place}, c.args, &log)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want it to say %q", c.args, err, c.want)
		}
	}
}

// Run serves until its context ends, and then ends without an error. A script that gives -bots 0 to every server also
// starts a game that has no bots.
func TestRunEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var log bytes.Buffer
	err := serve.Run(ctx, jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor()}, OnJoin: place,
		OnTick: func(*match, clock.Micros) { stop() },
	}, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0", "-bots", "0"}, &log)
	if err != nil && !errors.Is(err, context.Canceled) || !strings.Contains(log.String(), "serving") {
		t.Errorf("got %v, log:\n%s", err, &log)
	}
}

// A match of two bots is recorded, and simulates again to the same hashes. One that cannot open its ports leaves no
// file, and a recording and checkpoints exclude each other.
func TestAMatchIsRecorded(t *testing.T) {
	folder := t.TempDir()
	c := config{
		Session: session.ServerConfig{World: floor()}, OnJoin: place, Bots: 2,
		Think: func(*session.Client[hero, command]) (in command) { in.Forward = 1; return in },
	}
	start := func(args ...string) error {
		ctx, stop := context.WithTimeout(t.Context(), patience)
		defer stop()
		ticks := 0
		c := c
		c.OnTick = func(*match, clock.Micros) {
			if ticks++; ticks == 90 {
				stop()
			}
		}
		return serve.Run(ctx, jetpack.Game(&model), c, append(args, "-quic", "127.0.0.1:0", "-record", folder), io.Discard)
	}
	if err := start("-addr", "nowhere:none"); err == nil {
		t.Error("a server without a port started")
	}
	if err := start("-addr", "127.0.0.1:0", "-checkpoint", t.TempDir()); err == nil || !strings.Contains(err.Error(), "-record and -checkpoint exclude each other") {
		t.Errorf("with checkpoints: %v", err)
	}
	if err := start("-addr", "127.0.0.1:0"); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*-match.bsrec"))
	if err != nil || len(files) != 1 {
		t.Fatalf("recordings: %q, %v; want one", files, err)
	}
	f, err := record.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	result, err := f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
		c.Session.World, c.Session.NewKey = f.World(), newKey
		return serve.New(jetpack.Game(&model), c)
	})
	if err != nil || result.Ticks < 80 || result.Hashes == 0 || result.Differed {
		t.Errorf("simulated again: %+v, %v", result, err)
	}
}

// A recorded server drains: what the game does then, such as to gather its players, is part of the match, which simulates again
// to the same hashes.
func TestTheEndOfAServerIsRecorded(t *testing.T) {
	folder := t.TempDir()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	told := 0
	c := config{
		Session: session.ServerConfig{World: floor()}, OnJoin: place, Bots: 2,
		Think: func(*session.Client[hero, command]) (in command) { return in },
		OnTick: func(_ *match, now clock.Micros) {
			if now > clock.Second/2 {
				stop()
			}
		},
		OnDrain: func(m *match, left time.Duration) {
			told++
			m.SetState(1, hero{State: movement.Spawn(geom.V(left.Seconds()/600, 3, 0), 0)})
			m.Finish()
		},
	}
	err := serve.Run(ctx, jetpack.Game(&model), c, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0", "-record", folder, "-drain", "1h"}, io.Discard)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*-match.bsrec"))
	if len(files) != 1 {
		t.Fatalf("recordings: %q, want one", files)
	}
	f, err := record.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	result, err := f.Verify(func(f *record.File, newKey func() session.Key) (record.Match, error) {
		c.Session.World, c.Session.NewKey = f.World(), newKey
		return serve.New(jetpack.Game(&model), c)
	})
	if err != nil || result.Differed || told != 2 {
		t.Errorf("simulated again: %v, %v, and OnDrain was called %d times; want the same hashes, and twice", result, err, told)
	}
}

// Forty bots play in a match on two cores until it ends: its goroutines end with it. [ENT-14]
func TestAMatchOnTwoCores(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	played := 0
	err := serve.Run(ctx, jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor(), Players: 40, Workers: 2}, Bots: 40, OnJoin: place,
		Think: func(c *session.Client[hero, command]) command {
			return command{Command: movement.Command{Forward: 1, Yaw: float64(c.ID())}}
		},
		OnTick: func(m *match, _ clock.Micros) {
			played = 0
			for id := session.PlayerID(1); int(id) <= m.Seats(); id++ {
				if s, ok := m.State(id); ok && s.Position.Len() > 3 {
					played++
				}
			}
			if played == 40 {
				stop()
			}
		},
	}, []string{"-addr", "127.0.0.1:0", "-quic", "127.0.0.1:0"}, io.Discard)
	if err != nil && !errors.Is(err, context.Canceled) || played != 40 {
		t.Errorf("got %v, and %d players walked 3 m, want 40", err, played)
	}
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(20 * time.Millisecond) { // those of the ports end after it
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// A game's server takes its settings from flags, a file and, in Main, the environment; -check-config prints them and
// opens no port. [THR-56]
func TestSettingsOfAGame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "game.yaml")
	if err := os.WriteFile(file, []byte("players: 3\ntick: 30\norigin: [a.example, b.example]\nlog: json\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	played := config{Session: session.ServerConfig{World: floor()}, OnJoin: place}
	var out bytes.Buffer
	if err := serve.Run(t.Context(), jetpack.Game(&model), played, []string{"-config", file, "-tick", "20", "-check-config"}, &out); err != nil {
		t.Fatal(err)
	}
	printed := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"players: 3 # " + file + ":1", "tick: 20 # flag", "origin: [a.example, b.example] # " + file, "log: json # " + file, "queue: 0 # default"} {
		if !strings.Contains(printed, want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	for text, want := range map[string]string{
		"playrs: 3":         `:1: unknown key "playrs"; did you mean "players"?`,
		"players: x":        `:1: players is "x"`,
		"players: 1900":     "-players=1900: want 1 to 1000, or 0 for 16 (from " + file + ":1)",
		"admin-secret: abc": "names the file that holds the secret",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := serve.Run(t.Context(), jetpack.Game(&model), played, []string{"-config", file, "-check-config"}, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

// A game's server bounds the connections of one address with -per-address, and reads its bans from the file of -bans.
func TestLimitsOfAGame(t *testing.T) {
	bans := filepath.Join(t.TempDir(), "bans.json")
	if err := os.WriteFile(bans, []byte(`[{"address": "127.0.0.1/32", "why": "Bad manners"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args        []string
		first, then string // of the errors of two players, "" for none
	}{
		{[]string{"-per-address", "1"}, "", "too many players from your address"},
		{[]string{"-per-address", "-1"}, "", ""},
		{[]string{"-bans", bans}, "Bad manners", "Bad manners"},
	} {
		s := start(t, config{Session: session.ServerConfig{World: floor()}, OnJoin: place, Limits: host.Limits{Loopback: true}}, c.args...)
		for i, want := range []string{c.first, c.then} {
			p, err := client.Dial(s.ctx, s.url, jetpack.Game(&model), client.Config{Name: "Ann"})
			if err == nil {
				defer p.Close()
			}
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%q: player %d: got %v, want %q", c.args, i+1, err, want)
			}
		}
	}
}

// Two players join in one tick, and the game throws the first one out as it joins, which is an event too: the
// second one still joins, and the first one leaves once. [THR-34]
func TestAPlayerIsThrownOutAsItJoins(t *testing.T) {
	var log []string
	m, err := serve.New(jetpack.Game(&model), config{
		Session: session.ServerConfig{World: floor()},
		OnJoin: func(m *match, e session.Event) {
			log = append(log, "join "+e.Name)
			if place(m, e); e.Name == "Ann" {
				m.Kick(e.Player, "not you")
			}
		},
		OnLeave: func(*match, session.PlayerID) { log = append(log, "leave") },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"Ann", "Bob"} {
		c := session.NewClient(jetpack.Game(&model), session.ClientConfig{})
		c.Hello(name, session.Key{})
		if err := m.Receive(session.Peer(1+i), session.Stream, 0, c.Outgoing()[0].Bytes); err != nil {
			t.Fatal(err)
		}
	}
	var kicked []session.Event
	for tick := int64(1); tick < 4; tick++ {
		m.Tick(clock.TickTime(tick, 60))
		m.Outgoing()
		kicked = append(kicked, m.Kicked()...)
	}
	if got, want := strings.Join(log, ", "), "join Ann, join Bob, leave"; got != want {
		t.Errorf("the hooks were called for %q, want %q", got, want)
	}
	if len(kicked) != 1 || kicked[0].Peer != 1 {
		t.Errorf("the host closes the connections of %+v, want that of peer 1", kicked)
	}
}
