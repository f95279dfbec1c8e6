package rewind

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/golden"
)

// put adds what was hit to a hash.
func put(h hash.Hash64, m HitTarget, numbers ...float64) {
	var b [8]byte
	b[0], b[1], b[2], b[3] = byte(m.Kind), byte(m.Target), byte(m.Hitbox), byte(m.HitGroup)
	h.Write(b[:])
	for _, x := range numbers {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
		h.Write(b[:])
	}
}

// One golden hash of every query of a scene, of characters that turn, crouch, tilt and hold
// shields, before a wall: on every processor and in the browser the same bits. A change of it
// changes what shots, blades and blasts hit.
func TestGoldenScenes(t *testing.T) {
	r := rand.New(rand.NewPCG(78, 0))
	w := walls(30)
	h := fnv.New64a()
	s := NewScene(Holders{Dummy(t)})
	var balls, cut, blown int
	for range 600 {
		list := crowd(12, r)
		for i := range list {
			e := &list[i]
			e.Yaw, e.UserData = float64(r.Float64()*6), uint16(r.IntN(2))
			if r.IntN(4) == 0 {
				e.Up = geom.V(r.Float64()-.5, 1, r.Float64()-.5).Unit()
			}
		}
		s.Set(*w, list)
		for range 4 {
			to := list[r.IntN(len(list))].Position.Add(geom.V(r.Float64()-.5, float64(r.Float64()*1.8), r.Float64()-.5))
			o := s.Sphere(eye, to.Sub(eye).Unit(), 60, float64(r.Float64()*.3), Policy(r.IntN(2)))
			put(h, o.HitTarget, o.Distance, o.Point.X, o.Point.Y, o.Point.Z)
			if o.Kind == Player {
				balls++
			}
			from := to.Add(geom.V(r.Float64()-1.5, .3, r.Float64()-.5))
			for _, o := range s.Arc(Arc{From: from, Yaw: -math.Pi / 2, Tilt: r.Float64() - .5, A: -.9, B: .7, Reach: 2, Radius: .04}, HeadFirst, nil) {
				put(h, o.HitTarget, o.Distance, o.Point.X, o.Point.Y, o.Point.Z)
				cut++
			}
			for _, b := range s.Blast(from, 4, .05, nil) {
				put(h, HitTarget{Player, b.Target, b.Hitbox, b.HitGroup}, b.Distance, b.Point.X, b.Point.Y, b.Point.Z)
				blown++
			}
		}
	}
	got := fmt.Sprintf("balls %d, blades %d, blasts %d, hash %016x\n", balls, cut, blown, h.Sum64())
	golden.Check(t, "testdata/scenes.txt", got)
}
