package body_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/body"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
)

// Bodies of every shape in a room, and balls in a pit with a character among them, have the same
// bits on every target.
func TestGolden(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 10))
	w := body.New(room(t), body.Config{})
	for range 24 {
		w.Add(randomBody(r, 12))
	}
	got := ""
	run(w, 4*clock.Second, func(at clock.Micros) {
		if at/tick%60 == 0 {
			got += fmt.Sprintf("room, %.1f s: %d awake, hash %016x\n", at.Seconds(), w.Awake(), w.Hash())
		}
	})
	w = pit(t, 40)
	for k := range clock.Micros(120) {
		at := k * tick
		x := float64(1.5*at.Seconds()) - 1.5
		c := geom.Upright(geom.V(x, 0.9, 0), geom.Up, 0.35, 0.9)
		w.Step(tick, at, []body.Pusher{{ID: 1, Capsule: c, Velocity: geom.V(1.5, 0, 0)}})
		if k%40 == 39 {
			got += fmt.Sprintf("pit, %.1f s: %d awake, %d touched, hash %016x\n", at.Seconds(), w.Awake(), len(w.Touches()), w.Hash())
		}
	}
	golden.Check(t, "testdata/golden.txt", got)
}
