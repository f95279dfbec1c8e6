package combat

import (
	"testing"

	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// leave removes a player from the match, as a kick by the game does.
func (m *match) leave(id track.ID) {
	p := &m.players[id-1]
	*p = standIn{feet: p.feet, log: track.NewSentLog(128)}
	m.RemoveProjectiles(id)
}

// A game may remove a shooter because of what its shot hit (ServerConfig.OnReceipt), such as for damage to its
// own team. The projectiles that the shooter still has in the air end without effect, and those of others
// fly on.
func TestAShooterThatIsRemovedByItsHit(t *testing.T) {
	m := newMatch(t)
	m.fire(m.shoot(1, rocket, m.body(2)))
	m.fire(m.shoot(1, rocket, m.body(2)))
	m.fire(m.shoot(3, rocket, geom.V(40, 1, 30)))
	m.onShot = func(r *shot.Receipt) {
		if r.Shooter == 1 {
			m.leave(1)
		}
	}
	for ended := len(m.verdicts); len(m.verdicts) == ended && m.ticks < 600; {
		m.run(1)
	}
	if len(m.flights) != 1 || m.flights[0].Shooter != 3 {
		t.Fatalf("%d flights are left, want the one of player 3", len(m.flights))
	}
	m.run(40)
	if len(m.entities) != 1 {
		t.Errorf("%d entities are left, want the one of player 3", len(m.entities))
	}
	if p := &m.players[0].combat; p.flying != 0 {
		t.Errorf("%d projectiles of the player that was removed count as in the air", p.flying)
	}
}

// A shot of a player that left between its move and the verdict is not judged: the seat may be that of another
// player when the projectile hits.
func TestAShotOfAPlayerThatLeft(t *testing.T) {
	for _, weapon := range []uint8{rifle, rocket} {
		m := newMatch(t)
		s := m.shoot(1, weapon, m.body(2))
		m.Fire(&s)
		m.leave(1)
		m.run(60)
		if len(m.verdicts) != 0 || len(m.flights) != 0 || len(m.entities) != 0 {
			t.Errorf("weapon %d: got %+v, %d flights, %d entities; want none", weapon, m.verdicts, len(m.flights), len(m.entities))
		}
		if n := m.players[0].combat.flying; n != 0 {
			t.Errorf("weapon %d: %d projectiles of the free seat count as in the air", weapon, n)
		}
	}
}
