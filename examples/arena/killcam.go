package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Killcam is the evidence of the shot that killed a player: how the server judged it, and what the killer's screen
// showed of the victim. Only the victim receives it, when it dies. It reveals one position of an opponent that was
// hidden from the victim: that at the shot, and no later one.
type Killcam struct {
	Killer uint16       // the player that fired
	Weapon uint8        // its index in the table
	Judged clock.Micros // match time at which the server judged the shot
	// Age is how much older than Judged the view of the shot was: the view that the killer saw.
	Age clock.Micros
	// Fired is the time from the shot, by the killer's clock, to Judged; movers are drawn at that instant. For
	// a projectile it is the time from its impact.
	Fired clock.Micros
	// Hidden is how long the victim had been behind cover from Eye at Judged, to 1 ms, at most MostHidden. For a blast
	// it is 0.
	Hidden clock.Micros
	// Eye is the killer's eye at the shot, or for a projectile when that was judged. Point is where the shot ended.
	Eye, Point geom.Vec3
	// Seen is the victim's pose against which the shot was tested, in the world's frame, quantised as in a snapshot.
	// Position is where the victim's feet were at Judged.
	Seen     track.Sample
	Position geom.Vec3
}

// MostHidden is the longest Killcam.Hidden.
const MostHidden = clock.Second

// maxKillcamAge is the longest Age and Fired, far above any rewind.
const maxKillcamAge = 60 * clock.Second

// killcamScale is the resolution of a Killcam's points, in steps a metre.
const killcamScale = 1000

// pack packs the message in either direction.
func (k *Killcam) pack(p *bits.Packer) {
	kind := uint8(messageKillcam)
	if p.Byte(&kind); kind != messageKillcam {
		p.Fail(errMessage)
	}
	packPlayer(p, &k.Killer)
	weapon, hidden := int(k.Weapon), int(k.Hidden/clock.Millisecond)
	p.Ranged(&weapon, 0, shot.MaxWeapons-1)
	p.Ranged(&hidden, 0, int(MostHidden/clock.Millisecond))
	k.Weapon, k.Hidden = uint8(weapon), clock.Micros(hidden)*clock.Millisecond
	packTime(p, &k.Judged, maxMatchTime)
	packTime(p, &k.Age, maxKillcamAge)
	packTime(p, &k.Fired, maxKillcamAge)
	p.Vec(&k.Eye, killcamScale)
	p.Vec(&k.Point, killcamScale)
	p.Vec(&k.Position, killcamScale)
	k.Seen.PackDelta(p, k.View(), nil, 0)
}

// View returns the match time of the view that the shot was judged in.
func (k *Killcam) View() clock.Micros { return k.Judged - k.Age }

// sendKillcam sends a player that a shot has killed the evidence of it. It sends nothing if the server no longer has
// the shot, or tested it against no pose of the victim.
func (m *Match) sendKillcam(d *damage.Result) {
	victim, killer := session.PlayerID(d.Target), session.PlayerID(d.Attacker)
	if d.Attacker == 0 || d.Attacker == d.Target || m.fighters[victim].score.Bot {
		return
	}
	e := m.Server.ShotDebug(killer, d.Shot)
	hero, ok := m.Server.State(victim)
	from, ok2 := m.Server.State(killer)
	if !e.Known || !ok || !ok2 {
		return
	}
	for i := range e.Targets {
		if e.Targets[i].ID != d.Target {
			continue
		}
		k := Killcam{
			Killer: uint16(killer), Weapon: e.Receipt.Weapon, Judged: m.Server.Now(), Eye: e.Eye, Point: e.Receipt.Outcome.Point,
			Seen: track.Quantise(e.Targets[i].Sample), Position: hero.Position,
		}
		k.Age, k.Fired = max(k.Judged-e.Receipt.ViewGranted, 0), max(k.Judged-e.Platform, 0)
		if m.game.weapons[k.Weapon].Kind == shot.Projectile {
			k.Eye = m.game.Eye(&from)
		}
		// A blast reaches around corners: cover has nothing to do with it.
		if e.Receipt.Outcome.Kind == rewind.Player && e.Receipt.Outcome.Target == d.Target {
			k.Hidden = m.Server.HiddenFor(d.Target, d.Life, e.Eye, MostHidden)
		}
		m.packer.Write(m.scratch[:])
		k.pack(&m.packer)
		m.Server.SendMessage(victim, m.packer.Bytes())
		return
	}
}
