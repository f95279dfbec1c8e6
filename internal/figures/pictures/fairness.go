package main

import (
	"fmt"
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
)

// edge is where the wall of the fairness picture begins, along X; it stands between the two players.
const edge = 0.0

// corner is a floor with a wall that the runner runs behind.
func corner() (*collide.World, error) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(100, 1, 100), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(edge+5, 1, 0.9), geom.V(5, 1, 0.15), geom.IdentityQuat, collide.Surface{})
	return b.Bake()
}

// drawFairness draws a shot at a runner that reaches cover: the shooter's screen, the runner's own
// screen when it is hit, and the same shot where the match bounds how far it reaches back.
func drawFairness() (string, error) {
	world, err := corner()
	if err != nil {
		return "", err
	}
	d := duel{
		world: world, shooterRTT: 150, ownerRTT: 60,
		shooter: at(-1, 4.5, 0), runner: at(-5, 0, -math.Pi/2),
		fire: func(drawn geom.Vec3, _ clock.Micros) bool { return drawn.X > edge-0.45 },
	}
	whole, err := d.play()
	if err != nil {
		return "", err
	}
	d.maxRewind = 100 * clock.Millisecond
	capped, err := d.play()
	if err != nil {
		return "", err
	}
	s := newSheet(296, "A shot at a runner that reaches cover: for the shooter, for the runner, and with a bound")
	s.text(16, 24, "head", "start", "A runner reaches cover; round trips: shooter 150 ms, runner 60 ms")
	p := s.courts(106, 27, [3]string{"1  the shooter's screen", "2  the runner's screen, at the hit", "3  with MaxRewind: 100 ms"})
	for _, q := range p {
		x, y := q.at(geom.V(edge, 0, 0.75))
		s.put(`<rect x="%s" y="%s" width="%s" height="%s" class="fill dimmed" stroke="none"/>`, n(x), n(y), n(q.x+110-x), n(0.3*q.scale))
	}
	p[0].ray(s, whole.eye, whole.hit, "red bold")
	p[0].body(s, whole.drawn, "blue", true, "in the open")
	p[1].ray(s, whole.eye, whole.hit, "red bold")
	p[1].slide(s, whole.drawn, whole.own, "orange")
	p[1].body(s, whole.own, "orange", true, fmt.Sprintf("hit, %.1f m behind it", whole.own.X-edge))
	p[2].ray(s, capped.eye, capped.eye.Add(whole.hit.Sub(whole.eye).Mul(1.15)), "dimmed thin dashes")
	p[2].body(s, capped.drawn, "blue", false, "")
	words := "as judged: missed"
	if capped.met {
		words = "as judged: hit"
	}
	p[2].body(s, capped.tested, "green", true, words)
	s.text(16, 280, "dim", "start", "Without a bound of its own the shot reaches back %.0f ms; with the bound, 100 ms.", ms(whole.judged-whole.granted))
	return s.end(), nil
}
