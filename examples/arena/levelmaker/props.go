package levelmaker

import (
	"math"

	"github.com/backstep-net/backstep/geom"
)

// spot is the place and yaw of an object in red's half.
type spot struct{ x, y, z, yaw float64 }

// scatter places copies of one shape.
func scatter(name string, s *shape, how extras, spots ...spot) []*part {
	var out []*part
	for _, at := range spots {
		out = append(out, &part{name: name, at: geom.V(at.x, at.y, at.z), yaw: at.yaw, shape: s, marks: how})
	}
	return out
}

var (
	crateShape   = makeCrate()
	palletShape  = makePallet()
	barrierShape = makeBarrier()
	boulderShape = makeBoulder()
	lampShape    = makeLamp()
)

// crates are 1 m high and need a jump; pallets are 0.4 m high and can be stepped onto.
func crates() []*part {
	box := extras{Collide: "box"}
	out := scatter("crate", crateShape, box,
		spot{-7.8, 0, 17.6, 0.06}, spot{-6.7, 0, 17.5, -0.04}, spot{-7.3, 1, 17.6, 0.2}, spot{-7.9, 0, 18.8, 0.4},
		spot{5.6, 0, 12.2, 0.3}, spot{6.3, 0, 13.3, -0.1},
		spot{-22.4, 0, -6.5, 0.1}, spot{-22.3, 0, -7.7, -0.2}, spot{-22.4, 1, -7.1, 0.1},
		spot{24.6, 0, 3, 0.15}, spot{-27, 0, 14, 0.4}, spot{-15.6, 0, 0.9, 0.3})
	return append(out, scatter("pallet", palletShape, box,
		spot{-5.4, 0, 17.7, 0.1}, spot{-7.2, 0, 16.3, -0.1}, spot{-7.1, 0.4, 16.2, 0.05},
		spot{7.4, 0, 12.2, 0.5}, spot{-22.2, 0, -5.2, 0.2}, spot{24.4, 0, 4.4, 0})...)
}

func makeCrate() *shape {
	s := &shape{}
	m := &s.patches[matte]
	m.bevelled(oak, geom.V(-0.48, 0, -0.48), geom.V(0.48, 0.985, 0.48))
	for _, y := range []float64{0, 0.84} {
		m.bevelled(walnut, geom.V(-0.5, y, -0.5), geom.V(0.5, y+0.16, 0.5))
	}
	for i := range 4 {
		x, z := -0.5+float64(0.86*float64(i&1)), -0.5+float64(0.86*float64(i>>1))
		m.bevelled(walnut, geom.V(x, 0.1, z), geom.V(x+0.14, 0.9, z+0.14))
	}
	return s
}

func makePallet() *shape {
	s := &shape{}
	m := &s.patches[matte]
	for i := range 4 {
		x := -0.7 + float64(0.36*float64(i))
		m.bevelled(speckle(oak, 0.1, i, 5), geom.V(x, 0.28, -0.7), geom.V(x+0.32, 0.4, 0.7))
	}
	m.bevelled(walnut, geom.V(-0.62, 0, -0.62), geom.V(0.62, 0.3, 0.62))
	return s
}

// barriers are low walls, to shoot over and to see over when standing.
func barriers() []*part {
	return scatter("barrier", barrierShape, extras{Collide: "hull"},
		spot{-3.6, 0, 12.6, 0.12}, spot{2.6, 0, 15.2, -0.08}, spot{-12.6, 0, 19.5, 0.9},
		spot{-20.6, 0, 6.8, math.Pi / 2}, spot{9.8, 0, 8.2, 0.5}, spot{20.5, 0, 3.2, math.Pi/2 + 0.1},
		spot{-3.8, 0, 21, 0.2}, spot{27.3, 0, 17, 1.2}, spot{-26.5, 0, -3, math.Pi / 2})
}

func makeBarrier() *shape {
	s := &shape{}
	s.patches[matte].prism(limestone, -1.4, 1.4, [][2]float64{
		{0.42, -0.1}, {-0.42, -0.1}, {-0.42, 0.18}, {-0.2, 1}, {0.2, 1}, {0.42, 0.18},
	})
	return s
}

// boulders lie on and around the hills.
func boulders() []*part {
	at := func(x, z, yaw float64, size geom.Vec3) *part {
		return &part{name: "boulder", at: geom.V(x, rise(x, z)+float64(0.3*size.Y), z), yaw: yaw, scale: size,
			shape: boulderShape, marks: extras{Collide: "hull"}}
	}
	return []*part{
		at(23, 31, 0.3, geom.V(1.6, 1.3, 1.4)), at(24.6, 30.2, 1.9, geom.V(0.9, 0.8, 1)),
		at(-21, 24.5, 2.2, geom.V(1.8, 1.1, 1.3)), at(-16.5, 32, 1, geom.V(1.4, 1.5, 1.2)),
		at(-24.8, 19, 0.7, geom.V(1, 0.9, 1.2)), at(26.2, 24.5, 2.8, geom.V(1.2, 1, 1.5)),
		at(16.5, 25.4, 0.2, geom.V(1, 0.8, 1.2)),
	}
}

// makeBoulder is an irregular icosahedron of about 1 m radius.
func makeBoulder() *shape {
	const a, b = 0.525731112119134, 0.85065080835204
	s := &shape{}
	var v []geom.Vec3
	for i := range 4 {
		p, q := float64(a*float64(2*(i&1)-1)), float64(b*float64(i&2-1))
		v = append(v, geom.V(p, q, 0), geom.V(0, p, q), geom.V(q, 0, p))
	}
	for i := range v {
		v[i] = v[i].Mul(1 + float64(0.1*noise(i, 31)))
	}
	for i := range v {
		for j := range i {
			for k := range j {
				if v[i].Dist(v[j]) < 1.4 && v[j].Dist(v[k]) < 1.4 && v[k].Dist(v[i]) < 1.4 {
					p, q := v[j], v[k]
					if p.Sub(v[i]).Cross(q.Sub(v[i])).Dot(v[i]) < 0 {
						p, q = q, p
					}
					s.patches[matte].flat(speckle(rock, 0.12, i, j, k), v[i], p, q)
				}
			}
		}
	}
	return s
}

// lamps light the paths.
func lamps(s side) []*part {
	out := scatter("lamp", lampShape, extras{Collide: "none"},
		spot{-4.6, 0, 22.6, 0.4}, spot{4.6, 0, 22.6, math.Pi - 0.4}, spot{-10.6, 0, 8.6, 0.8},
		spot{10.4, 0, 12, 2.4}, spot{-27.6, 0, 21, math.Pi}, spot{27.8, 0, 10.8, 0}, spot{-20.8, 0, -2.5, 0})
	for _, p := range out {
		p.name = s.name + " lamp"
		p.solid(geom.V(-0.14, -root, -0.14), geom.V(0.14, 3.3, 0.14))
	}
	return out
}

func makeLamp() *shape {
	s := &shape{}
	m := &s.patches[metal]
	m.bevelled(charcoal, geom.V(-0.08, -root, -0.08), geom.V(0.08, 3.3, 0.08))
	m.bevelled(charcoal, geom.V(-0.16, -root, -0.16), geom.V(0.16, 0.3, 0.16))
	m.bevelled(charcoal, geom.V(-0.06, 3.16, -0.06), geom.V(0.95, 3.28, 0.06))
	m.bevelled(charcoal, geom.V(0.5, 3.22, -0.2), geom.V(1.1, 3.32, 0.2))
	s.patches[glowWarm].bevelled(limestone, geom.V(0.55, 3.1, -0.15), geom.V(1.05, 3.24, 0.15))
	return s
}

// woods are pines on the cliffs, out of reach.
func woods() *part {
	p := structure("woods", geom.Vec3{})
	m := &p.shape.patches[matte]
	for j := -cells; j <= cells; j++ {
		for i := -cells; i <= cells; i++ {
			v := corner(i, j)
			if outside(v.X, v.Z) < 3.2 || noise(i, j, 50) < 0.62 {
				continue
			}
			size := 1.1 + float64(0.35*noise(i, j, 51))
			m.cone(walnut, v.Add(geom.V(0, -0.6, 0)), 0.3, 3, 4, i+j)
			for tier := range 3 {
				t := float64(tier)
				c := pine.Lerp(fir, float64(t*0.5))
				m.cone(c, v.Add(geom.V(0, float64(size*(0.8+float64(t*1.05))), 0)), float64(size*(1.5-float64(t*0.38))),
					float64(size*1.7), 6, i*100+j*10+tier)
			}
		}
	}
	return p
}
