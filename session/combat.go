package session

import (
	"slices"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// This file adapts a Server and a Client to the interfaces of package combat. This holds because every
// player can shoot:
const _ = uint(combat.MaxShooters - MaxPlayers)

// newCombat returns the combat of a match.
func (s *Server[S, C]) newCombat() *combat.Server {
	c := &s.config
	return combat.NewServer((*combatMatch[S, C])(s), combat.Config{
		Players: c.Players, TickRate: c.TickRate, World: c.World, History: s.history, Weapons: s.rules.Weapons(),
		Scene: s.rules.game.targets().NewScene, Visible: s.visible, Radius: s.replicator.Reach(), OnReceipt: c.OnReceipt,
	})
}

// startCombat makes the judge, with random seeds, before the first player joins. The seeds come from
// NewKey, so that a recording of the keys has them too.
func (s *Server[S, C]) startCombat() {
	if s.started {
		return
	}
	s.started = true
	k := s.config.NewKey()
	// Clients learn the seed with the welcome. The secret stays here, so they cannot compute in advance
	// what is drawn from it.
	var secret uint64
	for i := range 8 {
		s.seed |= uint64(k[i]) << (8 * i)
		secret |= uint64(k[8+i]) << (8 * i)
	}
	c := &s.config
	s.combat.Start(s.rules.game.targets().NewHitboxes(), shot.Limits{
		MaxRewind: c.MaxRewind, InterpolatedOnly: c.InterpolatedOnly,
		Beyond: c.Beyond, Cover: c.Cover, Evades: c.Evades, Seed: s.seed, Secret: secret,
	})
}

// combatMatch is a Server as combat.Match.
type combatMatch[S comparable, C any] Server[S, C]

// Player implements combat.Match.
func (m *combatMatch[S, C]) Player(id track.ID) (*combat.Player, bool) {
	t := &m.seats[id-1]
	return &t.combat, t.present()
}

// SentLog implements combat.Match.
func (m *combatMatch[S, C]) SentLog(id track.ID) *track.SentLog { return m.seats[id-1].link.sentLog() }

// Acknowledged implements combat.Match.
func (m *combatMatch[S, C]) Acknowledged(id track.ID) track.Received {
	return m.seats[id-1].link.sender.Acknowledged()
}

// Eye implements combat.Match.
func (m *combatMatch[S, C]) Eye(id track.ID) (geom.Vec3, bool) {
	t := &m.seats[id-1]
	if t.authority == nil {
		return geom.Vec3{}, false
	}
	return m.rules.Eye(t.authority.State()), true
}

// Alive implements combat.Match. A player that had not entered at the view of a shot does not
// count: the shot was at the earlier player of the seat.
func (m *combatMatch[S, C]) Alive(id track.ID, view clock.Micros) (alive bool, life uint8) {
	s := (*Server[S, C])(m)
	if id >= s.first {
		if e := s.find(id); e != nil {
			return e.placed && !e.sample.Dead, e.life
		}
		return false, 0
	}
	t := s.seats.player(id)
	if t.authority == nil || view < t.remote.entered {
		return false, 0
	}
	pose := s.rules.Pose(t.authority.State())
	return !pose.Dead, pose.Life + t.remote.lives
}

// Spawn implements combat.Match.
func (m *combatMatch[S, C]) Spawn(kind track.Kind) track.ID { return (*Server[S, C])(m).Spawn(kind) }

// SetPose implements combat.Match.
func (m *combatMatch[S, C]) SetPose(id track.ID, sample track.Sample, at clock.Micros) {
	s := (*Server[S, C])(m)
	s.UpdateEntity(id, sample)
	s.entity(id).at = at
}

// Despawn implements combat.Match.
func (m *combatMatch[S, C]) Despawn(id track.ID) { (*Server[S, C])(m).Despawn(id) }

// Sends implements combat.Match.
func (m *combatMatch[S, C]) Sends(tick uint32) bool { return (*Server[S, C])(m).sends(tick) }

// Judged implements combat.Match.
func (m *combatMatch[S, C]) Judged(fired *shot.Shot, r *shot.Receipt, tested []track.Entity, reported bool) {
	if m.observer != nil {
		m.observer.ObserveShot(fired, r, tested)
	}
	if reported {
		(*Server[S, C])(m).event(Event{Kind: Shot, Player: fired.Shooter, Receipt: *r})
	}
}

// combatEvents is a Client as combat.Events.
type combatEvents[S comparable, C any] Client[S, C]

// ShotJudged implements combat.Events.
func (e *combatEvents[S, C]) ShotJudged(r shot.Receipt) {
	(*Client[S, C])(e).event(Event{Kind: ShotJudged, Player: e.id, Receipt: r})
}

// Seen implements combat.Events. The game keeps Points.
func (e *combatEvents[S, C]) Seen(s *combat.SeenShot) {
	out := Event{Kind: ShotSeen, Player: s.Shooter, Weapon: s.Weapon, From: s.From, To: s.To}
	if s.Ended {
		out.Kind, out.From = Detonated, geom.Vec3{}
	} else if s.More > 0 {
		out.Points = slices.Clone(s.Ends[:s.More])
	}
	(*Client[S, C])(e).event(out)
}

// Detonated implements combat.Events.
func (e *combatEvents[S, C]) Detonated(at geom.Vec3, r shot.Receipt, again bool) {
	(*Client[S, C])(e).event(Event{Kind: Detonated, Player: e.id, Weapon: r.Weapon, To: at, Receipt: r, Corrected: again})
}

// Damaged implements combat.Events.
func (e *combatEvents[S, C]) Damaged(d *combat.Damage) {
	(*Client[S, C])(e).event(Event{Kind: Damaged, Player: d.By, Weapon: d.Weapon, HitGroup: d.HitGroup, Damage: d.Amount, From: d.From, Ago: d.Ago})
}

// Aim completes a claim for the next command, for games that aim themselves; with combat.Rules.Claim the client
// calls it. Call it before Frame. The shot starts at Eye and is traced through the view of the last Frame. Aim
// returns what each ray hits, one for each pellet: it is shown at once, and compared with the server's verdict.
// A projectile hits nothing yet: it is among Projectiles from the next Frame on. What a blade hits depends on
// how long the command lasts: each command of the part of the swing in which it cuts carries a claim (Fire),
// and FiredShots have what it hit, after the Frame. (Of several commands of one frame, with ClientConfig.Tick,
// those after the first claim theirs by combat.Rules.Claim.) The list is valid until the next Aim.
func (c *Client[S, C]) Aim(claim *shot.Claim) []rewind.Outcome {
	weapons := c.rules.Weapons()
	if int(claim.Weapon) >= len(weapons) || c.phase != Playing {
		panic("session: Aim needs a weapon of the game's and a player in the world")
	}
	// A correction that has come moves the eye from which the shot starts.
	c.ApplyCorrection()
	c.aimedFor = c.Newest() + 1
	met := c.combat.Aim(claim, c.aimedFor, c.Eye(), c.stamp, weapons)
	a := &c.aimed
	a.Number, a.Claim, a.Eye = c.aimedFor, *claim, c.Eye()
	a.Outcomes = append(a.Outcomes[:0], met...)
	return met
}

// AimInput aims the shot of the next Frame's input by the game's combat.Rules.Claim, and reports
// whether there is one; AimedShot has it then. Frame does it for an input that is not aimed yet, so
// only a game that shows or changes the shot before the frame calls it. With ClientConfig.Tick a shot
// may wait for its command: until that is made, no other shot is aimed, and AimInput reports false.
func (c *Client[S, C]) AimInput(in *C) bool {
	claims, trigger := c.rules.game.Combat.Claim, c.rules.Trigger(in)
	switch {
	case trigger.View != (track.View{}):
		return true // aimed already
	case claims == nil:
		return false
	case c.phase != Playing || c.Waiting() && c.aimedFor == c.Newest()+1:
		*trigger = shot.Claim{}
		return false
	}
	c.ApplyCorrection()
	if !claims(c.rules.Weapons(), c.Self(), in) {
		*trigger = shot.Claim{}
		return false
	}
	c.Aim(trigger)
	return true
}

// AimedShot returns the shot that was aimed last, for the next Frame or with it: its Claim, Eye and
// Outcomes, which a game shows at once. What a blade hits is known only once its command is made:
// FiredShots has it. Valid until the next Aim.
func (c *Client[S, C]) AimedShot() *combat.ClientShot { return &c.aimed }

// FiredShots are the shots in the commands of the last Frame, which may be several with
// ClientConfig.Tick: valid until the next Frame.
func (c *Client[S, C]) FiredShots() []combat.ClientShot { return c.combat.FiredShots() }

// LastShot returns the newest of FiredShots, and false where there is none.
func (c *Client[S, C]) LastShot() (*combat.ClientShot, bool) {
	fired := c.combat.FiredShots()
	if len(fired) == 0 {
		return nil, false
	}
	return &fired[len(fired)-1], true
}

// Projectiles are the player's own projectiles on their way, as the last Frame showed them:
// valid until the next.
func (c *Client[S, C]) Projectiles() []combat.Projectile { return c.combat.Projectiles() }

// RequestShotDebug requests the server's record of one of the player's last 32 shots, by the number of
// the command that fired it (Receipt.Shot). The answer is the event ShotDebugged.
// More than 10 requests a second, or 40 at once, are not answered.
func (c *Client[S, C]) RequestShotDebug(shot uint32) {
	if c.phase == Playing {
		c.message(0, messageShotDebugRequest, func(p *bits.Packer) { p.Uint32(&shot) })
	}
}

// ShotDebug returns the record of how one of a player's last 32 shots was judged, as RequestShotDebug
// requests it. Known is false for a shot that is not kept, and for a player that is not in
// the world.
func (s *Server[S, C]) ShotDebug(id PlayerID, number uint32) combat.ShotDebug {
	if t := s.seats.inWorld(id); t != nil {
		return t.combat.ShotDebug(number, nil)
	}
	return combat.ShotDebug{Shot: number}
}

// HiddenFor returns for how long a target has been behind cover from a point, at most the given
// time: 0 for one that is in sight, or in another life. It is what ServerConfig.Cover limits.
func (s *Server[S, C]) HiddenFor(target track.ID, life uint8, from geom.Vec3, most clock.Micros) clock.Micros {
	return shot.HiddenFor(s.history.Snapshots, collide.WorldAt{World: s.config.World}, target, life, from, most)
}

// receiveShotDebugRequest answers with what is kept of a shot. Requests over the limit get no
// answer and are counted: they are a debugging aid, so they do not cost the connection. A flood of them
// does, by the limit of all messages.
func (s *Server[S, C]) receiveShotDebugRequest(t *seat[S, C], from Peer) error {
	var number uint32
	s.packer.Uint32(&number)
	s.packer.End()
	if err := s.packer.Err(); err != nil {
		return err
	}
	if !t.limits.debugs.take(s.now, 1, debugRate, debugBurst) {
		t.traffic.Ignored++
		return nil
	}
	e := t.combat.ShotDebug(number, s.debugged[:0])
	s.message(from, messageShotDebug, e.Pack)
	return nil
}

// receiveShotDebug takes the server's answer.
func (c *Client[S, C]) receiveShotDebug() error {
	e := new(combat.ShotDebug)
	e.Pack(&c.packer)
	c.packer.End()
	if err := c.packer.Err(); err != nil {
		return err
	}
	c.event(Event{Kind: ShotDebugged, Player: c.id, ShotDebug: e})
	return nil
}
