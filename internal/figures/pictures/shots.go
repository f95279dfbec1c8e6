package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// fired is one shot at a runner, and where both ends and the runner's own screen had its target.
type fired struct {
	begun, judged, granted clock.Micros
	eye, hit               geom.Vec3 // of the server's cast
	drawn                  geom.Vec3 // the target on the shooter's screen
	now                    geom.Vec3 // the target on the server when the shot was judged
	own                    geom.Vec3 // the target on its own screen then
	tested                 geom.Vec3 // the target in the view that was judged
	met                    bool      // whether the target was hit
}

// duel is a shooter that fires once at a runner.
type duel struct {
	world                *collide.World
	maxRewind            clock.Micros
	shooterRTT, ownerRTT int
	shooter, runner      hero
	// fire reports whether to fire at a runner that is drawn there.
	fire func(drawn geom.Vec3, t clock.Micros) bool
}

// play plays the duel and returns its shot. The runner runs towards +X.
func (d *duel) play() (f fired, err error) {
	var trail []point // of the runner on the server, along X
	own := geom.Vec3{}
	m := match{
		seed: 3, duration: 2 * clock.Second, world: d.world,
		session: session.ServerConfig{MaxRewind: d.maxRewind},
		players: []player{
			{
				name: "Ann", network: rtt(d.shooterRTT), spawn: d.shooter,
				play: func(c *client, t clock.Micros) (in command) {
					if len(c.Remotes()) == 0 {
						return in
					}
					drawn := c.Remotes()[0].Position
					to := drawn.Sub(c.Position())
					in.Yaw = geom.Yaw(to)
					if f.begun == 0 && d.fire(drawn, t) {
						f.begun, f.drawn, f.eye = t, drawn, c.Position()
						in.Claim.Fire = true
					}
					return in
				},
			},
			{
				name: "Ben", network: rtt(d.ownerRTT), spawn: d.runner,
				play: func(_ *client, _ clock.Micros) (in command) {
					in.Forward, in.Yaw = 1, -math.Pi/2
					return in
				},
				drawn: func(c *client, _ clock.Micros) { own = c.Position() },
			},
		},
		moved: func(t clock.Micros, s *session.MoveStep) {
			if s.Player == 2 {
				trail = append(trail, point{t, s.Position.X})
			}
		},
	}
	m.judged = func(t clock.Micros, s *server, r *shot.Receipt) {
		b, _ := s.State(2)
		f.judged, f.now, f.own, f.hit, f.granted = t, b.Position, own, r.Outcome.Point, r.ViewGranted-begins
		f.tested, f.met = geom.V(valueAt(trail, f.granted), 0, f.drawn.Z), r.Outcome.Kind == rewind.Player
	}
	err = m.run()
	return f, err
}

// panel is a top view: where the middle of the level is on the sheet, and pixels a metre.
type panel struct{ x, y, scale float64 }

func (p panel) at(v geom.Vec3) (x, y float64) { return p.x + p.scale*v.X, p.y + p.scale*v.Z }

// courts draws the frames of three panels with their headings and returns the panels.
func (s *sheet) courts(middle, scale float64, heads [3]string) (panels [3]panel) {
	for i, head := range heads {
		panels[i] = panel{x: 120 + 230*float64(i), y: middle, scale: scale}
		s.put(`<rect x="%s" y="40" width="222" height="216" rx="6" class="grid" fill="none"/>`, n(9+230*float64(i)))
		s.text(20+230*float64(i), 60, "", "start", "%s", head)
	}
	return panels
}

// body puts a character's capsule, seen from above, filled or as an outline, with words above it.
func (p panel) body(s *sheet, v geom.Vec3, class string, filled bool, words string) {
	x, y := p.at(v)
	if filled {
		s.dot(x, y, 0.34*p.scale, class)
	} else {
		s.put(`<circle cx="%s" cy="%s" r="%s" class="hollow %s dashes"/>`, n(x), n(y), n(0.34*p.scale), class)
	}
	if words != "" {
		s.text(x, y-0.34*p.scale-7, class, "middle", "%s", words)
	}
}

// slide puts a character that moves from one place to another, again and again.
func (p panel) slide(s *sheet, from, to geom.Vec3, class string) {
	x1, y1 := p.at(from)
	x2, _ := p.at(to)
	s.put(`<circle cx="%s" cy="%s" r="%s" class="moving fill %s" opacity="0.45" stroke="none"><animate attributeName="cx" values="%s;%s;%s" keyTimes="0;0.6;1" dur="3s" repeatCount="indefinite"/></circle>`,
		n(x1), n(y1), n(0.34*p.scale), class, n(x1), n(x2), n(x2))
}

// ray puts the shot from the shooter to its end.
func (p panel) ray(s *sheet, from, to geom.Vec3, class string) {
	x1, y1 := p.at(from)
	x2, y2 := p.at(to)
	s.dot(x1, y1, 0.34*p.scale, "dimmed")
	s.text(x1+0.34*p.scale+5, y1+4, "dim", "start", "shooter")
	s.line(x1, y1, x2, y2, class)
}
