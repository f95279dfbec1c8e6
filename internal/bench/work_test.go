package bench

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/internal/benchscene"
)

var update = flag.Bool("update", false, "rewrite testdata/work.txt")

// The work of small loads, counted and not timed, is what testdata/work.txt has, within 10 %: queries of the world by a
// step, and the bytes and samples that a match sends. What grows with a reason is written anew with -update.
func TestTheWorkIsWhatItWas(t *testing.T) {
	var got strings.Builder
	count := func(name string, v float64) { fmt.Fprintf(&got, "%s %.4g\n", name, v) }
	for _, s := range []benchscene.Scene{benchscene.A, benchscene.B, benchscene.D} {
		count("queries a step on "+s.Name, queriesOfAStep(t, s))
	}
	world, err := matchScene.World()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Record(Load{Players: 10, TickRate: 128, Seconds: 2}, world)
	if err != nil {
		t.Fatal(err)
	}
	in, out := r.bytes()
	perPlayer := float64(r.Ticks() * r.load.Players)
	count("bytes from a player in a tick", float64(in)/perPlayer)
	count("bytes to a player in a tick", float64(out)/perPlayer)
	count("verdicts a second", float64(r.shots)/float64(r.load.Seconds))
	count("bytes of a snapshot of MoveWander at 20 Hz", wanderBytes(20))
	count("bytes of a snapshot of MoveWander at 60 Hz", wanderBytes(60))
	const file = "testdata/work.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(text), "\n"), strings.Split(got.String(), "\n")
	if len(was) != len(is) {
		t.Fatalf("got\n%s, %s has\n%s", got.String(), file, text)
	}
	for i := range was {
		if !within(is[i], was[i], .1) {
			t.Errorf("got %q, %s has %q: if that is meant, rewrite it with -update and say why", is[i], file, was[i])
		}
	}
}

// queriesOfAStep returns how many queries of the world a step of a crowd makes.
func queriesOfAStep(t *testing.T, s benchscene.Scene) float64 {
	world, err := s.World()
	if err != nil {
		t.Fatal(err)
	}
	c, n := NewCrowd(s, world), 0
	c.Keep(200)
	c.WarmUp()
	for range 100 * 200 {
		c.Step()
		n += c.Queries
	}
	return float64(n) / (100 * 200)
}

// bytes are those that the server received and sent in the ticks that are timed.
func (r *Recording) bytes() (in, out int) {
	p := Replay{Recording: r}
	p.Rewind()
	for p.next < len(r.ticks) {
		for _, a := range r.ticks[p.next] {
			in += len(a.bytes)
		}
		p.Tick()
		for _, o := range p.match.out {
			out += len(o.Bytes)
		}
	}
	return in, out
}

// within reports whether two lines have the same name and values that differ by at most a share.
func within(a, b string, share float64) bool {
	i, k := strings.LastIndexByte(a, ' '), strings.LastIndexByte(b, ' ')
	if i < 0 || k < 0 || a[:i] != b[:k] {
		return a == b
	}
	var x, y float64
	fmt.Sscan(a[i:], &x)
	fmt.Sscan(b[k:], &y)
	return math.Abs(x-y) <= share*math.Abs(y)
}
