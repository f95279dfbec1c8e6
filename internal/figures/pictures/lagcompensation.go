package main

import (
	"fmt"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// drawLagCompensation draws one shot at a runner from above: as the shooter saw it, where the runner is
// when the shot arrives, and the view that the server rebuilds.
func drawLagCompensation() (string, error) {
	d := duel{
		world: collide.Floor(100), shooterRTT: 150, ownerRTT: 30,
		shooter: at(0, 4.5, 0), runner: at(-4, 0, -math.Pi/2),
		fire: func(_ geom.Vec3, t clock.Micros) bool { return t >= 650*clock.Millisecond },
	}
	f, err := d.play()
	if err != nil {
		return "", err
	}
	s := newSheet(296, "A shot at a runner from above: on the shooter's screen, on the server, and in the view that the server rebuilds")
	s.text(16, 24, "head", "start", "One shot at a runner, 6 m/s, from above; the shooter's round trip is 150 ms")
	p := s.courts(106, 27, [3]string{"1  the shooter's screen", "2  the server, on arrival", "3  the view it rebuilds"})
	p[0].ray(s, f.eye, f.hit, "red bold")
	p[0].body(s, f.drawn, "blue", true, "as drawn")
	p[1].ray(s, f.eye, f.eye.Add(f.hit.Sub(f.eye).Mul(1.3)), "dimmed thin dashes")
	p[1].slide(s, f.drawn, f.now, "orange")
	p[1].body(s, f.now, "orange", true, fmt.Sprintf("%.2f m further on", f.now.Sub(f.drawn).X))
	p[2].ray(s, f.eye, f.hit, "red bold")
	p[2].body(s, f.now, "orange", false, "")
	p[2].body(s, f.tested, "green", true, "as rebuilt: hit")
	s.text(16, 280, "dim", "start", "Fired at %.0f ms, judged at %.0f ms, in the view of %.0f ms. The rebuilt pose is the drawn one to the bit.", ms(f.begun), ms(f.judged), ms(f.granted))
	return s.end(), nil
}
