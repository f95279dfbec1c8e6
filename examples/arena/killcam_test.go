package arena

import (
	"math"
	"testing"
	"time"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

// coverFight is a shooter at z = 10, and a victim that runs along z = −2 behind the wall of wallWorld, if there is one,
// and dies of one shot.
type coverFight struct {
	*stage
	shooter, victim *Player
	killcam         *Killcam
	shots           map[uint32]combat.ClientShot // that the shooter fired, with what it drew
	path            []track.Sample               // of the victim, as the server ran it
	others          int                          // killcams that came to the shooter
}

// wallWorld returns a floor and, with wall, a wall that hides from the shooter what is at x > 2.
func wallWorld(t *testing.T, wall bool) *collide.World {
	t.Helper()
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(40, 1, 40), geom.IdentityQuat, collide.Surface{})
	if wall {
		b.Box(geom.V(10, 2, 0), geom.V(8, 2, 0.2), geom.IdentityQuat, collide.Surface{})
	}
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newCoverFight(t *testing.T, wall bool, rtt clock.Micros) *coverFight {
	d := &coverFight{stage: newStage(t, wallWorld(t, wall), Spawn{Position: geom.V(0, 0.02, 10)}, Spawn{Position: geom.V(-4, 0.02, -2)}), shots: map[uint32]combat.ClientShot{}}
	d.match.config.Assigned = true
	for i := range d.match.game.weapons {
		for k := range d.match.game.weapons[i].Damage {
			d.match.game.weapons[i].Damage[k] = 250
		}
	}
	d.shooter = d.join(60, mem.Network{RTT: time.Duration(rtt) * time.Microsecond}, func(p *Player, at clock.Micros) Input {
		if c, ok := p.LastShot(); ok {
			kept := *c
			kept.Targets = append([]track.Entity(nil), c.Targets...)
			d.shots[c.Number] = kept
		}
		if p.Killcam != nil {
			d.others++
		}
		in := Input{}
		for _, e := range p.Remotes() {
			in.Yaw, in.Pitch = Aim(p.Eye(), e.Position.MulAdd(geom.Up, 1))
			in.Fire = e.Position.X > 1.8 && !e.Dead
		}
		return in
	})
	d.victim = d.join(60, mem.Network{RTT: time.Duration(rtt) * time.Microsecond}, func(p *Player, at clock.Micros) Input {
		if p.Killcam != nil {
			d.killcam = p.Killcam
		}
		if at < 2*clock.Second {
			return Input{}
		}
		return Input{Right: 1}
	})
	d.exp.Server = watched{d.match, func(m *session.MoveStep) {
		if uint16(m.Player) == uint16(d.victim.ID()) && d.killcam == nil {
			d.path = append(d.path, m.Pose)
		}
	}}
	return d
}

// hidden returns for how long the victim had been out of sight at a match time, by its moves on the server.
func (d *coverFight) hidden(eye geom.Vec3, at clock.Micros) clock.Micros {
	since := at
	for i := len(d.path) - 1; i >= 0; i-- {
		s := &d.path[i]
		if s.At > at {
			continue
		}
		for _, side := range []float64{-0.35, 0, 0.35} {
			to := s.Position.Add(geom.V(side, 1.2, 0))
			if _, hit := d.match.config.World.Ray(eye, to.Sub(eye)); !hit {
				return at - since
			}
		}
		since = s.At
	}
	return at - since
}

// A victim that has reached cover is killed by a shot that its killer fired while it still saw the victim. The killcam
// has what the killer's client drew, to the millimetre, and for how long the victim had been behind cover; only the
// victim receives it.
func TestAKillcamShowsWhatTheKillerSaw(t *testing.T) {
	for _, c := range []struct {
		rtt  clock.Micros
		wall bool
	}{{160 * clock.Millisecond, true}, {160 * clock.Millisecond, false}, {20 * clock.Millisecond, false}} {
		d := newCoverFight(t, c.wall, c.rtt)
		d.run(5 * clock.Second)
		k := d.killcam
		if k == nil {
			t.Fatalf("RTT %v, wall %v: no killcam after %d shots", c.rtt, c.wall, len(d.shots))
		}
		if k.Killer != uint16(d.shooter.ID()) || k.Weapon != 0 || d.others != 0 {
			t.Errorf("killer %d with weapon %d, the shooter got %d; want player %d, 0, none", k.Killer, k.Weapon, d.others, d.shooter.ID())
		}
		found := false
		for _, s := range d.shots {
			if s.Claim.View.At != k.View() {
				continue
			}
			found = true
			seen := s.Targets[0]
			if off := seen.Position.Dist(k.Seen.Position); off > 0.002 || math.Abs(geom.WrapAngle(seen.Yaw-k.Seen.Yaw)) > 0.001 {
				t.Errorf("the killcam has the victim %.4f m from where its killer's client drew it", off)
			}
			if off := s.Eye.Dist(k.Eye); off > 0.002 {
				t.Errorf("the killer's eye is %.4f m off", off)
			}
		}
		if !found {
			t.Errorf("the killer fired no shot into a view of %v", k.View())
		}
		want := d.hidden(k.Eye, k.Judged)
		if diff := k.Hidden - want; diff < -34*clock.Millisecond || diff > 34*clock.Millisecond {
			t.Errorf("RTT %v, wall %v: behind cover for %v, by its moves %v", c.rtt, c.wall, k.Hidden, want)
		}
		if c.wall == (k.Hidden == 0) {
			t.Errorf("wall %v: behind cover for %v", c.wall, k.Hidden)
		}
		apart := k.Seen.Position.Dist(k.Position)
		if run := float64(k.Age) / 1e6 * 6; math.Abs(apart-run) > 0.25 {
			t.Errorf("seen %.2f m from where it was %v later, want about %.2f at 6 m/s", apart, k.Age, run)
		}
		t.Logf("RTT %v, wall %v: seen %v late, %.2f m apart, behind cover for %v", c.rtt, c.wall, k.Age, apart, k.Hidden)
	}
}

// A player leaves while its rocket is on its way: a victim of the rocket receives no killcam, and the match goes on.
func TestAKillerThatHasLeftHasNoKillcam(t *testing.T) {
	m := NewMatch(MatchConfig{ServerConfig: session.ServerConfig{World: wallWorld(t, false), LevelHash: "test", NewKey: keys()}, Spawns: []Spawn{{}}, KillHeight: -50})
	if e := m.Server.ShotDebug(7, 1); e.Known || e.Shot != 1 {
		t.Errorf("of a player that is not there: %+v", e)
	}
	m.sendKillcam(&damage.Result{Hit: damage.Hit{Attacker: 7, Target: 3, Shot: 1}})
}
