package scenario

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

func someCommands() *Commands {
	return &Commands{
		Zero: clock.Second,
		Commands: []Command{
			{End: 16640, Lasts: 16640, Position: geom.V(0.1, -2.0/3, 1e-9), Packed: []byte{1, 2, 0xff}},
			{End: 33320, Lasts: 16680, Position: geom.V(1, 2, 3), Packed: []byte{0}},
		},
		Places: []PlaceAt{{0, []byte{7}}, {16668, []byte{8, 9}}, {99999, []byte{10}}},
	}
}

// Commands are read as they were written, every bit of a position included.
func TestCommandsComeBackAsTheyWere(t *testing.T) {
	want := someCommands()
	text := want.AppendText(nil)
	got, err := ReadCommands(bytes.NewReader(text))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v\nof\n%s", got, err, want, text)
	}
}

// A file that is not one of commands is refused with its line.
func TestBadCommandsAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                              "first line",
		"backstep commands 2\n":                                         "first line",
		"backstep commands 1\nq 1\n":                                    "line 2",
		"backstep commands 1\nzero x\n":                                 "line 2",
		"backstep commands 1\nzero -1\n":                                "line 2",
		"backstep commands 1\np 0 00\nzero 5\n":                         "line 3",
		"backstep commands 1\np 5 00\np 4 00\n":                         "line 3",
		"backstep commands 1\np 0 0\n":                                  "line 2",
		"backstep commands 1\nc 1 1 0 0 0\n":                            "line 2",
		"backstep commands 1\nc 1 1 0 NaN 0 00\n":                       "line 2",
		"backstep commands 1\nc 1 1 0 1e9 0 00\n":                       "line 2",
		"backstep commands 1\nc 2 1 0 0 0 00\nc 2 1 0 0 0 00\n":         "line 3",
		"backstep commands 1\nc 99999999999999 1 0 0 0 00\n":            "line 2",
		"backstep commands 1\np 0 " + strings.Repeat("00", 5000) + "\n": "line 2",
		"backstep commands 1\np 0 " + strings.Repeat("0", 99999) + "\n": "too long",
	} {
		if _, err := ReadCommands(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: got %v, want %q", text, err, want)
		}
	}
}

// Other keys that control a player do not go with commands.
func TestCommandsGoWithNothingElse(t *testing.T) {
	begin := "duration: 1s\nlevel: x.world\nplayers:\n  - {name: ann, commands: a.commands"
	s, err := parse("dir/s.yaml", begin+"}\n")
	if err != nil || s.Players[0].Commands != "dir/a.commands" || s.Level.File != "dir/x.world" {
		t.Fatalf("got %+v, %v", s, err)
	}
	for _, more := range []string{"script: []", "bot: hunter", "cheat: speed", "frame: 30", "tick: 60", "clock: {rate: 2}"} {
		key, _, _ := strings.Cut(more, ":")
		if _, err := parse("s.yaml", begin+", "+more+"}\n"); err == nil || !strings.Contains(err.Error(), key+" does not go with commands") {
			t.Errorf("%s: got %v", more, err)
		}
	}
	if _, err := parse("s.yaml", "duration: 1s\nlevel: x.world\nplayers: [{name: ann, commands: [1]}]\n"); err == nil {
		t.Errorf("a list of commands: no error")
	}
}

// FuzzCommands: any text is commands or an error; commands come back as they were.
func FuzzCommands(f *testing.F) {
	f.Add(someCommands().AppendText(nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := ReadCommands(bytes.NewReader(text))
		if err != nil {
			return
		}
		again, err := ReadCommands(bytes.NewReader(c.AppendText(nil)))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("got %+v, %v\nwant %+v", again, err, c)
		}
	})
}
