package record_test

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena/replay"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/record"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// A minute of eight bots and two players over bad links, one of which disconnects and reconnects by
// key: replayed from the file alone, the match has the recorded hash each second, and the file has
// its outputs.
func TestAMatchPlaysAgainToItsHashes(t *testing.T) {
	if testing.Short() {
		t.Skip("long matches in one goroutine")
	}
	name, p, rec := recorded(t, 8, 2, 30*clock.Second)
	bob := p.guests[1]
	bob.gone = true
	p.bots.Disconnect(bob.peer)
	p.until(35 * clock.Second)
	back := newGuest("bob", 3, bob.Key())
	p.guests = append(p.guests, back)
	p.until(60 * clock.Second)
	last := *p.bots.FullSnapshot()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}

	f := open(t, name)
	v, err := replay.Verify(f)
	if err != nil || v.Differed || v.Hashes < 60 || v.Ticks != 3600 {
		t.Errorf("played again: %v, %v; want 3600 ticks and 60 equal hashes", v, err)
	}
	figures.Check(t, "file", 0.1, "%d of %d hashes equal, %.1f MB a minute", v.Hashes, v.Hashes, float64(len(bytesOf(t, name)))/1e6)
	if f.Duration() != 60*clock.Second || !f.Closed() || f.Damage() != nil {
		t.Errorf("the file: %v long, closed %v, %v", f.Duration(), f.Closed(), f.Damage())
	}
	seen, shots, messages := 0, map[record.Shot]int{}, 0
	names := map[session.PlayerID]string{}
	for tick, err := range f.Ticks(0) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		for _, s := range tick.Shots {
			if shots[s]++; shots[s] > 1 {
				t.Fatalf("tick %d has the shot %+v once more", tick.Snapshot.Tick, s)
			}
		}
		said := p.said[tick.Snapshot.Tick]
		for _, m := range tick.Messages {
			for _, to := range m.To {
				if to >= 1<<31 { // a bot
					continue
				}
				if messages++; len(said) == 0 || said[0].Peer != to || !bytes.HasSuffix(said[0].Bytes, m.Bytes) {
					t.Fatalf("tick %d: %d bytes to %d, want the next of %+v", tick.Snapshot.Tick, len(m.Bytes), to, said)
				}
				said = said[1:]
			}
		}
		if len(said) > 0 {
			t.Errorf("tick %d has not the messages %+v", tick.Snapshot.Tick, said)
		}
		for _, p := range tick.Players {
			names[p.ID] = p.Name
		}
		if tick.Snapshot.Tick == last.Tick {
			same(t, tick.Snapshot, &last)
		}
	}
	if seen != 3600 || len(shots) == 0 || messages == 0 || len(names) != 10 {
		t.Errorf("outputs: %d ticks, %d shots, %d messages, players %v", seen, len(shots), messages, names)
	}
	t.Logf("%d shots, %d messages, players %v", len(shots), messages, names)
	if got, want := stateOf(t, f, 0, last.Tick), fieldsNow(p.bots, names); !maps.Equal(got, want) || len(want) < 60 {
		t.Errorf("fields and seats in the end:\n got %v\nwant %v", got, want)
	}
	for _, tick := range []uint32{3000, 3030, 3600} { // the beginning of a chunk, the middle of one, the last tick
		if got, want := stateOf(t, f, tick, tick), stateOf(t, f, 0, tick); !maps.Equal(got, want) {
			t.Errorf("fields and seats of the first tick read, %d:\n got %v\nwant %v", tick, got, want)
		}
	}
}

// stateOf returns the fields that are not zero and the taken seats at a tick as the file has them, read from a tick on.
func stateOf(t *testing.T, f *record.File, from, to uint32) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for tick, err := range f.Ticks(from) {
		if err != nil {
			t.Fatal(err)
		}
		if tick.Snapshot.Tick > to {
			break
		}
		for _, p := range tick.Players {
			if fields[fmt.Sprint("seat ", p.ID)] = p.Name; !p.Taken {
				delete(fields, fmt.Sprint("seat ", p.ID))
			}
		}
		for i := range tick.Fields {
			note(fields, tick.Fields[i].ID, tick.Fields[i].Name, tick.Fields[i].Number, tick.Fields[i].Text)
		}
	}
	return fields
}

// fieldsNow returns the fields that are not zero as the match has them, and the seats.
func fieldsNow(m record.Match, seats map[session.PlayerID]string) map[string]string {
	fields := map[string]string{}
	for id, name := range seats {
		fields[fmt.Sprint("seat ", id)] = name
	}
	m.ChangedFields(0, func(id track.ID, name string, number int64, text string) { note(fields, id, name, number, text) })
	return fields
}

func note(fields map[string]string, id track.ID, name string, number int64, text string) {
	key := fmt.Sprint(id, " ", name)
	if fields[key] = fmt.Sprint(number, " ", text); fields[key] == "0 " {
		delete(fields, key)
	}
}

// same compares frames on the grid of the file: players' samples are on it already.
func same(t *testing.T, got, want *track.Snapshot) {
	t.Helper()
	if got.Len() != want.Len() || got.At != want.At {
		t.Fatalf("the last frame has %d entities at %d, want %d at %d", got.Len(), got.At, want.Len(), want.At)
	}
	theirs := want.Entities(nil)
	for i, g := range got.Entities(nil) {
		if g != theirs[i] {
			t.Errorf("entity %d:\n got %+v\nwant %+v", g.ID, g, theirs[i])
		}
	}
}

// Who a peer is belongs to the inputs: replayed, a player with an account has its name and comes back by
// its account alone, and a peer that was refused has no seat. So does a player whom the host throws out.
func TestIdentitiesAndKicksPlayAgain(t *testing.T) {
	name, p, rec := recorded(t, 0, 0, clock.Second)
	join := func(peer session.Peer, who session.Identity) {
		p.bots.Identify(peer, who)
		p.guests = append(p.guests, newGuest("eve", peer, session.Key{}))
	}
	ada := session.Identity{Account: "a-1", Name: "Ada", Data: []byte("red")}
	join(1, ada)
	join(2, session.Identity{Refused: "host: no token"})
	p.until(4 * clock.Second)
	p.guests[0].gone = true
	join(3, ada)
	p.until(8 * clock.Second)
	p.guests = append(p.guests, newGuest("mal", 4, session.Key{}))
	p.until(10 * clock.Second)
	p.bots.Kick(p.guests[3].ID(), "Bad manners")
	p.until(12 * clock.Second)
	want := p.bots.Players(nil)
	if len(want) != 1 || want[0].Name != "Ada" || want[0].Account != "a-1" {
		t.Fatalf("players %+v, want Ada alone", want)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	f := open(t, name)
	if v, err := replay.Verify(f); err != nil || v.Differed || v.Hashes < 8 {
		t.Errorf("played again: %+v, %v; want equal hashes", v, err)
	}
}

// A match without players takes under 150 bytes a second.
func TestAnEmptyMatchTakesLittleRoom(t *testing.T) {
	name, p, rec := recorded(t, 0, 0, clock.Second)
	before := len(bytesOf(t, name))
	p.until(61 * clock.Second)
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	per := float64(len(bytesOf(t, name))-before) / 61
	if per > 150 {
		t.Errorf("%.0f bytes a second, want fewer than 150", per)
	}
	t.Logf("%.0f bytes a second", per)
}
