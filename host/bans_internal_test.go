package host

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/backstep-net/backstep/character"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport"
	"github.com/backstep-net/backstep/transport/mem"
)

// Bans come, end, are lifted and are made anew, of accounts and of networks that overlap, in any order: whoever comes is
// kept out exactly as long as one of its bans lasts, and a server that starts again has the same bans. Against a list of
// all that was ever said, of which the latest of an account or network counts. [THR-34]
func TestBansAgainstAList(t *testing.T) {
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			h := &Host{config: Config{Log: slog.New(slog.DiscardHandler)}}
			h.bans.file = filepath.Join(t.TempDir(), "bans.json")
			said := map[string]Ban{}
			networks := []string{"203.0.113.0/32", "203.0.113.1/32", "203.0.113.0/31", "203.0.113.0/30", "2001:db8::/64", "2001:db8::/62", "::ffff:203.0.113.2/128"}
			for step := range 60 {
				b := Ban{Why: fmt.Sprint(step)}
				if b.Account = []string{"ada", "eve", ""}[random.IntN(3)]; b.Account == "" {
					b.Address = netip.MustParsePrefix(networks[random.IntN(len(networks))])
				}
				if random.IntN(3) > 0 {
					b.Until = time.Now().Add(time.Duration(random.IntN(40)-10) * time.Second)
				}
				if err := h.Ban(b); err != nil {
					t.Fatal(err)
				}
				said[b.Account+b.Address.String()] = b
				time.Sleep(time.Duration(random.IntN(10)) * time.Second)
				again := bans{file: h.bans.file}
				if err := again.read(); err != nil || len(again.list) != len(h.Bans()) {
					t.Fatalf("seed %d, step %d: %d bans in the file (%v), want %d", seed, step, len(again.list), err, len(h.Bans()))
				}
				for _, account := range []string{"ada", "eve", "bob", ""} {
					for _, from := range []string{"203.0.113.0", "203.0.113.1", "203.0.113.2", "203.0.113.4", "2001:db8::7", "2001:db8:0:3::7", "2001:db8:0:4::7"} {
						var whys []string
						for _, s := range said {
							network := s.Address
							if network.IsValid() && network.Addr().Is4In6() {
								network = netip.MustParsePrefix("203.0.113.2/32")
							}
							of := s.Account != "" && s.Account == account || network.IsValid() && network.Contains(netip.MustParseAddr(from))
							if of && (s.Until.IsZero() || time.Now().Before(s.Until)) {
								whys = append(whys, s.Why)
							}
						}
						for _, list := range []*bans{&h.bans, &again} {
							got := list.find(account, netip.AddrPortFrom(netip.MustParseAddr(from), 1).String(), time.Now())
							if (got == nil) != (len(whys) == 0) || got != nil && !slices.Contains(whys, got.Why) {
								t.Fatalf("seed %d, step %d: %q from %s: got %+v, want one of the bans %v", seed, step, account, from, got, whys)
							}
						}
					}
				}
			}
		})
	}
}

// watched is a connection that reports each question for its address.
type watched struct {
	transport.Conn
	asked func()
}

func (c *watched) Remote() string {
	c.asked()
	return "203.0.113.7:1"
}

// An address is banned between the search for its ban and its joining the match, and the match ticks then: it is thrown out
// all the same. [THR-34]
func TestABanBetweenTheDoorAndTheMatch(t *testing.T) {
	l, _ := newLedgerLoop(nil)
	h := &Host{config: Config{Log: slog.New(slog.DiscardHandler)}, door: newDoor(Limits{}), loops: []*loop{l}}
	h.draining.begun = make(chan struct{})
	var g session.Game[movement.State, movement.Command]
	model := movement.DefaultModel()
	character.Fill(&g, &model)
	c := session.NewClient(g, session.ClientConfig{})
	c.Hello("eve", session.Key{})
	here, there := mem.Pipe()
	asked := 0
	conn := &watched{Conn: there, asked: func() {
		if asked++; asked != 2 { // the first question is that of the bans, the second that of the limits
			return
		}
		if err := h.Ban(Ban{Address: netip.MustParsePrefix("203.0.113.7/32"), Why: "Bad manners"}); err != nil {
			t.Error(err)
		}
		l.tick(20_000, time.Now())
	}}
	hello := transport.Packet{Channel: transport.Stream, Bytes: c.Outgoing()[0].Bytes}
	if r := h.admitOne(conn, []transport.Packet{hello}, beginJoin(noTracer, conn), time.Now()); r != nil || asked < 2 {
		t.Fatalf("refused at the door: %v, after %d questions; want it to get in", r, asked)
	}
	l.tick(40_000, time.Now())
	read := ""
	for _, p := range here.Drain(nil) {
		read += string(p.Bytes)
	}
	if want := string(session.RefusalMessage("host: you are banned: Bad manners")); read != want || len(l.connections) != 1 || !l.connections[0].closing() {
		t.Errorf("got %q and %d connections, want %q and one that closes", read, len(l.connections), want)
	}
}
