package parkour_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/movement/parkour"
)

// Every field survives packing, the zero State costs a bit, and what no state can have is refused.
func TestStatesSurvivePacking(t *testing.T) { // ENT-10, THR-13
	ledge := parkour.Ledge{Mover: 3, From: geom.V(1, 2, 3), Corner: geom.V(1, 4, 3), To: geom.V(1, 4, 2), Elapsed: 5}
	for _, c := range []struct {
		what  string
		state parkour.State
		fails bool
	}{
		{"zero", parkour.State{}, false},
		{"slides", parkour.State{Sliding: true}, false},
		{"lies", parkour.State{Prone: true}, false},
		{"rests", parkour.State{SlideCooldown: 1, LadderCooldown: clock.Second}, false},
		{"climbs", parkour.State{Wall: geom.V(.6, 0, -.8)}, false},
		{"mantles", parkour.State{Ledge: ledge, SlideCooldown: 7}, false},
		{"rests for less than no time", parkour.State{SlideCooldown: -1}, true},
		{"rests for days", parkour.State{LadderCooldown: 86400 * clock.Second}, true},
		{"climbs nowhere", parkour.State{Wall: geom.V(math.NaN(), 0, 0)}, true},
		{"mantles an obstacle", parkour.State{Ledge: parkour.Ledge{Mover: 40000}}, true},
		{"mantles beyond the world", parkour.State{Ledge: parkour.Ledge{To: geom.V(1e9, 0, 0)}}, true},
	} {
		var buf [256]byte
		p, got := bits.NewWriter(buf[:]), parkour.State{Prone: true}
		written := c.state
		written.Pack(&p)
		size, failed := p.Bits(), p.Err() != nil
		if !failed {
			p.Read(p.Bytes())
			got.Pack(&p)
			p.End()
		}
		if failed != c.fails || !failed && (got != c.state || p.Err() != nil) || c.state == (parkour.State{}) && size != 1 {
			t.Errorf("%s: %d bits, got %+v (%v)", c.what, size, got, p.Err())
		}
	}
	p, got := bits.Packer{}, parkour.State{Prone: true}
	p.Read([]byte{1, 0, 0}) // some, and then nothing
	if got.Pack(&p); p.Err() == nil || got != (parkour.State{}) {
		t.Errorf("a longer form of nothing: %+v, %v", got, p.Err())
	}
}

// Each number of a Model is in the list of tunables, with a default that Check allows.
func TestTunables(t *testing.T) {
	m := parkour.DefaultModel()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(&m).Elem()
	for i := 1; i < v.NumField(); i++ {
		kept := v.Field(i).Float()
		for _, wrong := range []float64{math.NaN(), -1, 1e9} {
			v.Field(i).SetFloat(wrong)
			var bad *movement.BadTunable
			if err := m.Check(); !errors.As(err, &bad) || bad.Name != v.Type().Field(i).Name {
				t.Errorf("%s = %v: %v", v.Type().Field(i).Name, wrong, err)
			}
		}
		v.Field(i).SetFloat(kept)
	}
	m.MaxWalkSpeed = -1
	if m.Check() == nil {
		t.Error("movement's own tunables are not checked")
	}
}

// A move of no time, a character held still, and one put into a mode without its part of the state.
func TestOddMoves(t *testing.T) { // PRF-02, PRF-10
	r := in(t, 60, geom.V(0, .0215, -1.65), tower(t, nil))
	r.step()
	start := r.h
	r.d, r.c = 0, movement.Command{Forward: 1, Jump: true, Buttons: parkour.ProneButton}
	if r.step(); r.h.doing() != start.doing() || r.h.Position != start.Position {
		t.Errorf("a move of no time: %s at %v", r.h.doing(), r.h.Position)
	}
	r.d, r.h = 16667, start
	r.h.Mode = movement.None
	if r.step(); r.h.Position != start.Position || r.h.Parkour != (parkour.State{}) {
		t.Errorf("held still: %+v", r.h)
	}
	for _, mode := range []movement.Mode{parkour.Ladder, parkour.Mantle} {
		r.h, r.c = start, movement.Command{}
		r.h.Mode, r.h.Floor, r.h.Position.Z = mode, movement.Floor{}, 5
		if r.run(.5); r.h.Mode != movement.Walking {
			t.Errorf("mode %v by itself: %v", mode, r.h.Mode)
		}
	}
}
