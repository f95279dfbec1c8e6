package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// The player strafes and is shot. On the killer's screen the killcam has the player where the server tested the shot,
// and before that on its own way; on the player's own screen it has the camera where the page drew it when the shot was
// judged, and the killer as the page drew it. A new life ends it.
func TestAKillcamReplaysBothScreens(t *testing.T) {
	p := newPage(t)
	o := p.join()
	p.apart(8)
	drawn := map[clock.Micros]struct{ feet, eye, killer geom.Vec3 }{}
	for end := p.now + 3*clock.Second; p.now < end && killcam.message == nil; {
		controls.Right = 1
		if p.now/clock.Second%2 == 0 {
			controls.Right = -1
		}
		p.shotAt(clock.Second / 60)
		if killcam.message == nil && len(exported.Remotes) == 1 {
			at := block.Player.View().Platform
			drawn[at] = struct{ feet, eye, killer geom.Vec3 }{exported.Position, exported.Eye, exported.Remotes[0].Position}
		}
	}
	controls.Right = 0
	m := killcam.message
	if m == nil || block.Killcam.Killer != o.player.ID() || !block.Killcam.Direct || block.Killcam.Age != m.Age {
		t.Fatalf("killcam %+v of %+v, want one of player %d", block.Killcam, m, o.player.ID())
	}
	near := func(at clock.Micros) (nearest struct{ feet, eye, killer geom.Vec3 }) {
		best := clock.Micros(math.MaxInt64)
		for k, d := range drawn {
			if off := max(k-at, at-k); off < best {
				best, nearest = off, d
			}
		}
		return nearest
	}
	screen := func(s Screen, before clock.Micros) *ShownKillcam {
		controls.Killcam = KillcamTime{s, before}
		p.run(clock.Second / 60)
		return &block.Killcam
	}
	evidence := p.match.ShotDebug(session.PlayerID(o.player.ID()), lastShotOf(p, m.View()))
	if !evidence.Known || len(evidence.Targets) != 1 {
		t.Fatalf("no evidence of the shot: %+v", evidence)
	}
	k := screen(KillerScreen, 0)
	if off := k.Players[0].Position.Dist(evidence.Targets[0].Position); k.Players[0].ID != exported.ID || off > 0.002 {
		t.Errorf("the killer's screen has player %d %.4f m from where the shot was tested", k.Players[0].ID, off)
	}
	if off := k.Eye.Dist(evidence.Eye); off > 0.002 || len(block.Figures) != 1 || block.Figures[0].Player != exported.ID {
		t.Errorf("the killer's eye is %.4f m off, and there are %d figures", off, len(block.Figures))
	}
	const before = 400 * clock.Millisecond
	k = screen(KillerScreen, before)
	if off := k.Players[0].Position.Dist(near(m.View() - before).feet); off > 0.15 {
		t.Errorf("400 ms before the shot the player is %.2f m from where it was drawn", off)
	}
	k = screen(OwnScreen, 0)
	want := near(m.Judged)
	if off := k.Eye.Dist(want.eye); off > 0.15 {
		t.Errorf("on the own screen the camera is %.2f m from where it was", off)
	}
	if len(k.Players) != 1 || k.Players[0].ID != o.player.ID() || k.Players[0].Position.Dist(want.killer) > 0.15 {
		t.Errorf("on the own screen: %+v, want the killer at %v", k.Players, want.killer)
	}
	p.run(4 * clock.Second)
	if block.Killcam.Killer != 0 || len(block.Figures) != 1 || block.Figures[0].Player != o.player.ID() {
		t.Errorf("in the next life: %+v", block.Killcam)
	}
}

// lastShotOf returns the number of the partner's shot into a view.
func lastShotOf(p *page, view clock.Micros) uint32 {
	for n := uint32(1); n < 2000; n++ {
		if e := p.match.ShotDebug(session.PlayerID(p.other.player.ID()), n); e.Known && e.Receipt.ViewGranted == view {
			return n
		}
	}
	return 0
}
