package arena

import (
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
)

// A spectator flies, is drawn to nobody, is hit by nothing and shoots nobody; and
// comes back to play as a player that died would. [VOL-03]
func TestSpectators(t *testing.T) {
	r := newRoom(t)
	ann, bob := r.join("Ann", [16]byte{1}), r.join("Bob", [16]byte{2})
	r.stand(ann, geom.V(0, 0.02, 0), 0)
	r.stand(bob, geom.V(0, 0.02, -3), 0)
	bob.Spectate(true)
	bob.input = func(*Player, clock.Micros) Input { return Input{Jump: true, Fire: true, Dash: true, Hook: true} }
	ann.input = shootAt(bob, 1, 4)
	r.run(clock.Second)
	h, _ := r.match.State(bob.ID())
	if !h.Spectating || h.Mode != movement.Flying || h.Position.Y < 5 {
		t.Errorf("after a second up: watching %v, mode %d, height %.1f; want flying above 5 m", h.Spectating, h.Mode, h.Position.Y)
	}
	if h.InHand().Rounds != r.match.game.Weapons()[0].Magazine || h.DashCooldown != 0 {
		t.Errorf("it fired or dashed: %d rounds left, rest %v", h.InHand().Rounds, h.DashCooldown)
	}
	for _, e := range ann.Remotes() {
		if e.ID == bob.ID() && !e.Dead {
			t.Errorf("Ann sees it: %+v", e.Sample)
		}
	}
	if bob.Status.Health != FullHealth || r.match.Score(bob.ID()).Deaths != 0 {
		t.Errorf("it was hit: %+v", bob.Status)
	}
	bob.input = nil
	bob.Spectate(false)
	r.run(500 * clock.Millisecond)
	if h, _ := r.match.State(bob.ID()); !h.Spectating {
		t.Error("back at once: watching would be a way out of a fight")
	}
	r.run(RespawnAfter)
	if h, _ := r.match.State(bob.ID()); h.Spectating || h.Mode != movement.Walking || bob.Status.Health != FullHealth {
		t.Errorf("after the wait: watching %v, mode %d, health %d; want on foot and whole", h.Spectating, h.Mode, bob.Status.Health)
	}
}

func TestInAStrictMatchOnlyTheDeadWatch(t *testing.T) {
	r := newRoom(t)
	r.match.config.Strict = true
	ann := r.join("Ann", [16]byte{1})
	ann.Spectate(true)
	r.run(200 * clock.Millisecond)
	if h, _ := r.match.State(ann.ID()); h.Spectating {
		t.Error("a living player may watch")
	}
	r.stand(ann, geom.V(0, -60, 0), 0) // below the kill height
	ann.Spectate(true)
	r.run(200 * clock.Millisecond)
	if h, _ := r.match.State(ann.ID()); !h.Spectating {
		t.Error("the dead may not watch")
	}
	ann.SendMessage([]byte{messagePlay, 9})
	ann.SendMessage([]byte{77})
	ann.SendMessage(nil)
	r.run(200 * clock.Millisecond)
	if h, _ := r.match.State(ann.ID()); !h.Spectating {
		t.Error("words that make no sense end it")
	}
}
