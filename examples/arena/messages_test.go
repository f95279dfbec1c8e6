package arena

import (
	"bytes"
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// written returns what pack writes.
func written(t testing.TB, pack func(p *bits.Packer)) []byte {
	t.Helper()
	var p bits.Packer
	p.Write(make([]byte, 256))
	pack(&p)
	if p.Err() != nil {
		t.Fatalf("writing: %v", p.Err())
	}
	return bytes.Clone(p.Bytes())
}

// kills are a kill with something in every field, and the empty one.
var kills = []Kill{{Killer: 3, Victim: 64, Weapon: 8, HitGroup: rig.Head, Distance: 41.5}, {}}

// killcams are one with something in every field, and the empty one.
var killcams = []Killcam{{
	Killer: 3, Weapon: 7, Judged: 12_345_678, Age: 213_000, Fired: 98_000, Hidden: 90 * clock.Millisecond,
	Eye: geom.V(1.5, 1.62, -20), Point: geom.V(3.25, 1.1, 4), Position: geom.V(4.5, 0.02, 4),
	Seen: track.Quantise(track.Sample{
		At:       12_130_000,
		Pose:     track.Pose{Position: geom.V(3.3, 0.02, 4), Velocity: geom.V(6, 0, 0), Yaw: 1, Pitch: -0.1, Mode: 1, StrideDistance: 2.5},
		GameData: track.GameData{Life: 3, UserData: 2},
	}),
}, {}}

// The messages' bytes are frozen: a change of them needs a new session.Version.
func TestGoldenMessages(t *testing.T) {
	var got strings.Builder
	for _, k := range kills {
		got.WriteString(hex.EncodeToString(written(t, k.pack)) + "\n")
	}
	for _, k := range killcams {
		got.WriteString(hex.EncodeToString(written(t, k.pack)) + "\n")
	}
	const file = "testdata/messages.hex"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestKillsComeAsTheyWereSent(t *testing.T) {
	for _, want := range kills {
		got, ok := KillOf(written(t, want.pack))
		if !ok || math.Abs(got.Distance-want.Distance) > 0.05+1e-9 {
			t.Errorf("%+v became %+v, %v", want, got, ok)
		}
		if got.Distance = want.Distance; got != want {
			t.Errorf("%+v became %+v", want, got)
		}
	}
}

// A killcam comes as it was sent; no kill is read as one, nor the other way round.
func TestKillcamsComeAsTheyWereSent(t *testing.T) {
	for _, want := range killcams {
		b := written(t, want.pack)
		if got, ok := KillcamOf(b); !ok || got != want {
			t.Errorf("%+v became %+v, %v", want, got, ok)
		}
		if _, ok := KillOf(b); ok {
			t.Errorf("%x is a kill too", b)
		}
		if len(b) > 96 {
			t.Errorf("%d bytes, want at most 96", len(b))
		}
	}
	if _, ok := KillcamOf(written(t, kills[0].pack)); ok {
		t.Error("a kill is a killcam too")
	}
}

// A message may be anything: the player takes what makes sense and leaves the rest.
func TestPlayersIgnoreMalformedMessages(t *testing.T) {
	good := written(t, kills[0].pack)
	p := NewPlayer(session.ClientConfig{})
	for _, b := range [][]byte{
		nil, {0}, {9}, {messageKill}, {messageKill, 1}, good[:len(good)-1],
		append(bytes.Clone(good), 0),
		{messageKill, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},        // players 255
		bytes.Repeat([]byte{messageKill}, session.MaxMessage/64), // long
	} {
		p.handleEvent(session.Event{Kind: session.Message, Bytes: b})
	}
	if len(p.Kills) != 0 {
		t.Errorf("took %v", p.Kills)
	}
	p.handleEvent(session.Event{Kind: session.Message, Bytes: good})
	if len(p.Kills) != 1 || p.Kills[0] != kills[0] {
		t.Errorf("got %+v, want %+v", p.Kills, kills[0])
	}
}

// Whatever arrives is an error or in range, and what is read writes again as the
// same bytes.
func FuzzKill(f *testing.F) { // THR-13
	for _, k := range kills {
		f.Add(written(f, k.pack))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		k, ok := KillOf(b)
		if !ok {
			return
		}
		if max(k.Killer, k.Victim) > session.MaxPlayers || !(k.Distance >= 0 && k.Distance <= 1000) {
			t.Errorf("out of range: %+v", k)
		}
		if again := written(t, k.pack); !bytes.Equal(again, b) {
			t.Errorf("%x reads as %+v, which writes %x", b, k, again)
		}
	})
}

// Whatever arrives as a killcam is an error or in range, and writes again as the same bytes.
func FuzzKillcam(f *testing.F) { // THR-13
	for _, k := range killcams {
		f.Add(written(f, k.pack))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		k, ok := KillcamOf(b)
		if !ok {
			return
		}
		if k.Killer > session.MaxPlayers || k.Hidden > MostHidden || !k.Eye.Finite() || !k.Seen.Position.Finite() {
			t.Errorf("out of range: %+v", k)
		}
		if again := written(t, k.pack); !bytes.Equal(again, b) {
			t.Errorf("%x reads as %+v, which writes %x", b, k, again)
		}
	})
}

// What a hostile client may put into its commands and states is an error or in
// range, and packs again as the same bytes. [CMD-07]
func FuzzCommand(f *testing.F) { // THR-13
	game := NewGame()
	c := Command{Reload: true}
	c.Move.Forward, c.Move.Yaw, c.Move.Jump = 1, 0.5, true
	c.Quantise()
	f.Add(written(f, func(p *bits.Packer) { game.PackCommand(p, &c, &Command{}) }))
	c.Select, c.Shield, c.Aim, c.Hook = 5, true, true, true
	f.Add(written(f, func(p *bits.Packer) { game.PackCommand(p, &c, &Command{}) }))
	f.Fuzz(func(t *testing.T, b []byte) {
		var c Command
		var p bits.Packer
		p.Read(b)
		game.PackCommand(&p, &c, &Command{})
		if p.End(); p.Err() != nil {
			return
		}
		if m := c.Move; math.Abs(m.Forward) > 1 || math.Abs(m.Right) > 1 || !geom.Finite(m.Yaw) || !geom.Finite(m.Pitch) {
			t.Errorf("out of range: %+v", c)
		}
		if again := written(t, func(p *bits.Packer) { game.PackCommand(p, &c, &Command{}) }); !bytes.Equal(again, b) {
			t.Errorf("%x reads as %+v, which writes %x", b, c, again)
		}
	})
}
