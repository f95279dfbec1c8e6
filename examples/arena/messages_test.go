package arena

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
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

// samples are messages with something in every field, and with the most there is.
var samples = []message{
	{kind: messageScore, score: Score{Player: 7, Connected: true, Bot: true, Team: Blue, Kills: 12, Deaths: 300, Name: "Zoë"}},
	{kind: messageScore, score: Score{Player: session.MaxPlayers, Kills: 65535, Deaths: 65535, Name: strings.Repeat("🦊", session.MaxName)}},
	{kind: messageGoals, goals: Goals{Red: 3, Blue: 65535, By: 128, Team: Blue}},
	{kind: messageKill, kill: Kill{Killer: 3, Victim: 64, Weapon: 8, Part: rig.Head, Distance: 41.5}},
	{kind: messageKill},
}

// The messages' bytes are frozen: a change of them needs a new session.Version.
func TestGoldenMessages(t *testing.T) {
	var got strings.Builder
	for _, n := range samples {
		fmt.Fprintln(&got, hex.EncodeToString(written(t, n.pack)))
	}
	s := Status{Health: 75, Respawn: 3 * clock.Second, Hurt: 9, From: geom.V(1.5, -2, 30)}
	fmt.Fprintln(&got, hex.EncodeToString(written(t, s.Pack)))
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

func TestMessagesComeAsTheyWereSent(t *testing.T) {
	for _, want := range samples {
		var got message
		var p bits.Packer
		p.Read(written(t, want.pack))
		got.pack(&p)
		if p.End(); p.Err() != nil || math.Abs(got.kill.Distance-want.kill.Distance) > 0.05 {
			t.Errorf("%+v became %+v (%v)", want, got, p.Err())
		}
		if got.kill.Distance = want.kill.Distance; got != want {
			t.Errorf("%+v became %+v", want, got)
		}
	}
}

// A message may be anything: the player takes what makes sense and leaves the
// rest, and nothing in it leads outside the scoreboard.
func TestPlayersIgnoreMalformedMessages(t *testing.T) {
	good := written(t, samples[0].pack)
	bad := [][]byte{
		nil, {0}, {9}, {messageScore}, {messageKill, 1}, good[:len(good)-1],
		append(bytes.Clone(good), 0),
		{messageScore, 129, 0, 0, 0, 0, 0, 0},                     // player 129
		{messageScore, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},  // and 255, a name of 127 bytes
		{messageKill, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},         // players 255
		append(bytes.Clone(good[:len(good)-1]), 0xff),             // not UTF-8
		bytes.Repeat([]byte{messageScore}, session.MaxMessage/64), // long
	}
	p := NewPlayer(session.ClientConfig{})
	for _, b := range bad {
		p.handleEvent(session.Event{Kind: session.Message, Bytes: b})
	}
	if p.Scores != [session.MaxPlayers + 1]Score{} || len(p.Kills) != 0 {
		t.Errorf("took %v %v", p.Scores, p.Kills)
	}
	p.handleEvent(session.Event{Kind: session.Message, Bytes: good})
	if p.Scores[7] != samples[0].score {
		t.Errorf("got %+v, want %+v", p.Scores[7], samples[0].score)
	}
}

// Whatever arrives is an error or in range, and what is read writes again as the
// same bytes.
func FuzzNote(f *testing.F) { // THR-13
	for _, n := range samples {
		f.Add(written(f, n.pack))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var n message
		var p bits.Packer
		p.Read(b)
		n.pack(&p)
		if p.End(); p.Err() != nil {
			return
		}
		if max(n.score.Player, n.kill.Killer, n.kill.Victim) > session.MaxPlayers || len(n.score.Name) > 4*session.MaxName ||
			!(n.kill.Distance >= 0 && n.kill.Distance <= 1000) {
			t.Errorf("out of range: %+v", n)
		}
		if again := written(t, n.pack); !bytes.Equal(again, b) {
			t.Errorf("%x reads as %+v, which writes %x", b, n, again)
		}
	})
}

func FuzzStatus(f *testing.F) { // THR-13
	f.Add(written(f, (&Status{Health: 75, Respawn: 3 * clock.Second, Hurt: 9, From: geom.V(1.5, -2, 30)}).Pack))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s Status
		var p bits.Packer
		p.Read(b)
		s.Pack(&p)
		if p.End(); p.Err() != nil {
			return
		}
		if s.Health > FullHealth || s.Respawn < 0 || s.Respawn > 66*clock.Second || !s.From.Finite() {
			t.Errorf("out of range: %+v", s)
		}
		if again := written(t, s.Pack); !bytes.Equal(again, b) {
			t.Errorf("%x reads as %+v, which writes %x", b, s, again)
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
