package arena

import (
	"github.com/backstep-net/backstep/bodies"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/session"
)

// Player is a player's side of the arena: the session, and what the match tells
// beside it. A person's page, a bot, and a test drive it alike: Receive what
// arrives, Play once a frame, look, send Outgoing.
type Player struct {
	*session.Client[Hero, Command]

	Status       Status          // of oneself
	Kills        []Kill          // of this frame
	Notices      []session.Event // of this frame: all but messages
	Shots        []Fired         // of this frame: own shots
	HitMarkers   []HitMarker     // of this frame: predicted, confirmed and denied hits
	Detonations  []session.Event // of this frame: where projectiles ended (session.Detonated)
	DamageEvents []session.Event // of this frame: damage taken, with its attacker (session.Damaged)
	Killcam      *Killcam        // of this frame: by what the shot that killed the player was judged; else nil
	Goals        Goals           // on the pitch
	Round        Round           // the round: time, winner, vote
	// Turned is the angle in radians by which the player's base turned during this frame:
	// add it to the view's yaw. [BAS-01]
	Turned float64
	// Ping decides when to warn of a high ping: Shown after a frame. Its periods may be
	// set before the first frame. [LAG-02]
	Ping clock.PingNotice
	// Tamper may change a command before it is simulated and sent, for tests and the lab's
	// cheats. Nil changes nothing.
	Tamper func(*Command)
	// NoBodies disables the simulation of bodies, for bots. Set it before Enter.
	NoBodies      bool
	game          *Game
	bodies        *bodies.Client // nil before Enter, and with NoBodies
	next          Command
	predictedHits shotNumbers
	lastShot      uint32 // number of the last recorded shot
}

// NewPlayer returns a player that has not said hello.
func NewPlayer(config session.ClientConfig) *Player { return NewPlayerOf(NewGame(), config) }

// NewPlayerOf is NewPlayer with rules of its own: the match's, and nobody else's
// value.
func NewPlayerOf(game *Game, config session.ClientConfig) *Player {
	return NewPlayerFor(game, session.NewClient(game.Rules(), config))
}

// NewPlayerFor returns the player of a session's client with those rules, such as that of a client.Client.
func NewPlayerFor(game *Game, client *session.Client[Hero, Command]) *Player {
	return &Player{Client: client, game: game}
}

// Play runs one frame at a local time with the player's input.
func (p *Player) Play(local clock.Micros, in Input) { p.PlayEvents(local, in, p.Events()) }

// PlayEvents is Play with the client's events, where they were taken from it before.
func (p *Player) PlayEvents(local clock.Micros, in Input, events []session.Event) {
	p.Kills, p.Notices, p.Shots = p.Kills[:0], p.Notices[:0], p.Shots[:0]
	p.HitMarkers, p.Detonations, p.DamageEvents, p.Killcam = p.HitMarkers[:0], p.Detonations[:0], p.DamageEvents[:0], nil
	for _, e := range events {
		p.handleEvent(e)
	}
	p.readFields()
	p.setNext(&in)
	if p.Tamper != nil {
		p.Tamper(&p.next)
	}
	base := p.base()
	p.Frame(local, &p.next)
	p.Turned = turned(base, p.base())
	p.updateShots()
	p.simulate(local)
	p.Ping.Update(local, p.Stats().RTT)
}

// turned returns the angle by which the base turned while the player rode it throughout. It
// is the frame's angle however many moves the frame made: a move that replaces the previous
// frame's repeats that frame's turn.
func turned(from, to movement.Base) float64 {
	if from.Mover != to.Mover {
		return 0
	}
	return geom.WrapAngle(to.Angle - from.Angle)
}

// base returns what the player stands on.
func (p *Player) base() movement.Base {
	if self := p.Self(); self != nil {
		return self.Base
	}
	return movement.Base{}
}

// Spectate asks the server to become a spectator, or with false to play again.
func (p *Player) Spectate(on bool) {
	if on {
		p.SendMessage([]byte{messageSpectate})
	} else {
		p.SendMessage([]byte{messagePlay})
	}
}

// setNext converts input into the next command. A shot that the loadout does not allow is not
// claimed.
func (p *Player) setNext(in *Input) {
	c := &p.next
	*c = Command{
		Move: movement.Command{
			Forward: in.Forward, Right: in.Right,
			Yaw: in.Yaw, Pitch: in.Pitch,
			Jump: in.Jump, Crouch: in.Crouch,
		},
		Reload: in.Reload, Dash: in.Dash, Hook: in.Hook, Shield: in.Shield, Aim: in.Aim, Select: in.Select,
	}
	if p.swims() {
		c.Move.Up = verticalInput(*in)
		c.Move.Crouch = false
	}
	p.chooseWeapon(c, in)
	c.Quantise()
	if p.Phase() == session.Playing {
		p.aimShot(c, in)
	}
}

// swims reports whether the player swims or flies, so that jump and crouch mean up and
// down.
func (p *Player) swims() bool {
	self := p.Self()
	return self != nil && (self.Mode == movement.Swimming || self.Mode == movement.Flying)
}

// verticalInput returns the vertical input.
func verticalInput(in Input) float64 {
	switch {
	case in.Jump && !in.Crouch:
		return 1
	case in.Crouch && !in.Jump:
		return -1
	}
	return 0
}

// died reports whether the match has reported the death, though the body may still stand.
func (p *Player) died() bool { return p.NumberAt(p.ID(), fieldPlaying) != 0 && p.Status.Health == 0 }

// handleEvent handles an event: kills and killcams are messages, and the rest is added to Notices.
func (p *Player) handleEvent(e session.Event) {
	switch e.Kind {
	case session.Message:
		if k, ok := KillOf(e.Bytes); ok {
			p.Kills = append(p.Kills, k)
		} else if k, ok := KillcamOf(e.Bytes); ok {
			p.Killcam = &k
		}
		return
	case session.Welcomed:
		p.game.weapons = p.Client.Weapons()
	case session.ShotJudged:
		p.confirm(&e.Receipt)
	case session.Detonated:
		p.Detonations = append(p.Detonations, e)
		p.markDetonation(&e)
	case session.Damaged:
		p.DamageEvents = append(p.DamageEvents, e)
	}
	p.Notices = append(p.Notices, e)
}

// Friend reports whether another player is on the same team.
func (p *Player) Friend(id session.PlayerID) bool {
	team := p.NumberAt(p.ID(), fieldTeam)
	return team != 0 && p.NumberAt(id, fieldTeam) == team
}

// Clear reports whether nothing of the level is between two points.
func (p *Player) Clear(from, to geom.Vec3) bool {
	_, hit := p.World().Ray(from, to.Sub(from))
	return !hit
}

// Reach returns the free distance from a point along a unit vector, at most max.
func (p *Player) Reach(from, dir geom.Vec3, max float64) float64 {
	hit, ok := p.World().Ray(from, dir.Mul(max))
	if !ok {
		return max
	}
	return float64(hit.Fraction * max)
}
