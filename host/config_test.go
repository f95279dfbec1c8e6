package host

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A match without a rate of its own ticks 60 times a second, as a session does.
func TestAMatchWithoutARate(t *testing.T) {
	l := newLoop(MatchConfig{Name: "a", Match: &ledger{}}, newDoor(Limits{}), newTicks(nil), new(drain), slog.New(slog.DiscardHandler))
	if got := l.status.Load().TickRate; got != 60 || l.config.TickRate != 60 {
		t.Errorf("got %d and %d a second, want 60", got, l.config.TickRate)
	}
}

// homeless is a match without the hash of its level.
type homeless struct{ ledger }

func (homeless) LevelHash() string { return "" }

// torn is a match whose level hash cannot be a part of a URL.
type torn struct{ ledger }

func (torn) LevelHash() string { return "a/../b" }

// A configuration that cannot be served panics with the field and the cure, before a port is open.
func TestConfigsThatMakeNoSense(t *testing.T) {
	m := MatchConfig{Name: "a", TickRate: 60, Match: &ledger{}}
	const incomplete = "host: each of Config.Matches needs a Match, a TickRate of at least 0 and a Name of its own"
	for _, c := range []struct {
		name string
		list []MatchConfig
		want string
	}{
		{"a checkpoint", []MatchConfig{{Name: "a", Match: m.Match, Checkpoint: "a.checkpoint"}}, "host: a MatchConfig with a Checkpoint needs a Match that is a Checkpointer"},
		{"no match", nil, "host: Config.Matches is empty: give it at least one match"},
		{"no name", []MatchConfig{{TickRate: 60, Match: m.Match}}, incomplete},
		{"one twice", []MatchConfig{m, m}, incomplete},
		{"a rate", []MatchConfig{{Name: "a", TickRate: -1, Match: m.Match}}, incomplete},
		{"no content", []MatchConfig{{Name: "a", TickRate: 60}}, incomplete},
		{"no level hash", []MatchConfig{{Name: "a", TickRate: 60, Match: &homeless{}}},
			`host: match "a": the hash of its level is "", with which no client finds it; set session.ServerConfig.LevelHash to World.Hash()`},
		{"no hash", []MatchConfig{{Name: "a", TickRate: 60, Match: &torn{}}},
			`host: match "a": the hash of its level is "a/../b", with which no client finds it; set session.ServerConfig.LevelHash to World.Hash()`},
	} {
		func() {
			defer func() {
				if p := recover(); p != c.want {
					t.Errorf("%s: panic %v, want %s", c.name, p, c.want)
				}
			}()
			_, _ = New(Config{Matches: c.list})
		}()
	}
}

func TestAPortInUseIsNamed(t *testing.T) {
	seats := []MatchConfig{{Name: "a", TickRate: 60, Match: &ledger{}}}
	h, err := New(Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Matches: seats})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field  string
		config Config
	}{
		{"Addr", Config{Addr: h.Addr().String(), QUIC: "127.0.0.1:0"}},
		{"QUIC", Config{Addr: "127.0.0.1:0", QUIC: h.QUICAddr().String()}},
		{"Addr", Config{Addr: "nonsense", QUIC: "127.0.0.1:0"}},
		{"QUIC", Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:99999"}},
		{"Web", Config{Addr: "127.0.0.1:0", QUIC: "127.0.0.1:0", Web: "no/such/folder"}},
	} {
		c.config.Matches = seats
		_, err := New(c.config)
		if a, ok := err.(*AddressError); !ok || a.Field != c.field || !strings.Contains(a.Error(), "Config."+c.field) {
			t.Errorf("%+v: %v, want it to name %s", c.config, err, c.field)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := h.Run(ctx); err != nil {
		t.Error(err)
	}
}

// A program whose server cannot be opened, because a port is taken or a folder is not there, may change that and try
// again: nothing is left open of the first try.
func TestAServerThatCannotBeOpenedLeavesNothingOpen(t *testing.T) {
	seats := []MatchConfig{{Name: "a", TickRate: 60, Match: &ledger{}}}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	damaged := filepath.Join(t.TempDir(), "bans.json")
	if err := os.WriteFile(damaged, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]Config{
		"Bans": {Bans: damaged}, "Web": {Web: "no/such/folder"}, "Admin": {Admin: tcp.Addr().String()},
		"Addr": {Addr: tcp.Addr().String()}, "QUIC": {QUIC: "127.0.0.1:99999"},
	} {
		if c.Matches = seats; c.Admin == "" {
			c.Admin = "127.0.0.1:0"
		}
		const tries = 20
		before := openDescriptors(t)
		for range tries {
			if _, err := New(c); err == nil || !strings.Contains(err.Error(), what) {
				t.Fatalf("got %v, want an error that names %s", err, what)
			}
		}
		if after := openDescriptors(t); after >= before+tries {
			t.Errorf("%s: %d descriptors after %d tries, %d before", what, after, tries, before)
		}
	}
}

// openDescriptors returns how many descriptors this process has open.
func openDescriptors(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the system does not say which descriptors are open")
	}
	return len(list)
}
