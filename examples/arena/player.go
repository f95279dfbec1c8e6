package arena

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

// Player is a player's side of the arena: the session, and what the match tells
// beside it. A person's page, a bot, and a test drive it alike: Receive what
// arrives, Play once a frame, look, send Outgoing.
type Player struct {
	*session.Client[Hero, Command]

	Status       Status                        // of oneself
	Scores       [session.MaxPlayers + 1]Score // by player id; Here where taken
	Kills        []Kill                        // of this frame
	Notices      []session.Event               // of this frame: all but messages
	Shots        []Fired                       // of this frame: one's own
	Marks        []HitMarker                   // of this frame: hits shown, confirmed and taken back
	Detonations  []session.Event               // of this frame: where projectiles ended (session.Detonated)
	DamageEvents []session.Event               // of this frame: by whom one was hurt (session.Damaged)
	Goals        Goals                         // on the pitch
	// Turned is by how much, in radians, what the player rides on turned during this
	// frame: add it to the view's yaw (BAS-01).
	Turned float64
	// Ping says when to warn of a high ping (LAG-02): whether the warning is Shown
	// after a frame. Its periods may be set before the first.
	Ping clock.PingNotice
	// Tamper may change a command before it is simulated and sent: for tests, and
	// the cheats of the lab. Nil is honest.
	Tamper func(*Command)
	// Bodiless players simulate no bodies: bots, who do not look at them. It is to be set
	// before Enter.
	Bodiless bool
	game     *Game
	bodies   *remote.Bodies // nil before Enter
	next     Command
	claim    shot.Claim // scratch
	shown    shown
	latest   uint32 // number of the last shot that was noted
	aimed    uint32 // number of the command that the last shot was aimed for
	packer   bits.Packer
}

// NewPlayer returns a player that has not said hello.
func NewPlayer(config session.ClientConfig) *Player { return NewPlayerOf(NewGame(), config) }

// NewPlayerOf is NewPlayer with rules of its own: the match's, and nobody else's
// value.
func NewPlayerOf(game *Game, config session.ClientConfig) *Player {
	c := session.NewClient[Hero, Command](game, config)
	return &Player{Client: c, game: game}
}

// Play is one drawn frame at a local time, with what the hands did during it.
func (p *Player) Play(local clock.Micros, in Input) {
	p.Kills, p.Notices, p.Shots = p.Kills[:0], p.Notices[:0], p.Shots[:0]
	p.Marks, p.Detonations, p.DamageEvents = p.Marks[:0], p.Detonations[:0], p.DamageEvents[:0]
	for _, e := range p.Events() {
		p.hear(e)
	}
	p.hearStatus()
	p.next = p.command(in)
	if p.Tamper != nil {
		p.Tamper(&p.next)
	}
	base := p.base()
	p.Frame(local, &p.next)
	p.Turned = turned(base, p.base())
	p.show()
	p.simulate(local)
	p.Ping.Update(local, p.Stats().RTT)
}

// turned is by how much the body that somebody rode on throughout turned meanwhile. It
// is what the frame turned however many moves it took: one that took the place of the
// frame's before turns again what that one had turned.
func turned(from, to movement.Base) float64 {
	if from.Body != to.Body {
		return 0
	}
	return geom.WrapAngle(to.Angle - from.Angle)
}

// base is what the player stands on.
func (p *Player) base() movement.Base {
	if self := p.Self(); self != nil {
		return self.Base
	}
	return movement.Base{}
}

// Watch asks the server to let the player fly about as a spectator, or, with false,
// to play again.
func (p *Player) Watch(on bool) {
	if on {
		p.SendMessage([]byte{askWatch})
	} else {
		p.SendMessage([]byte{askPlay})
	}
}

// hearStatus reads the newest status. One that makes no sense changes nothing.
func (p *Player) hearStatus() {
	b := p.Client.Status()
	if len(b) == 0 {
		return
	}
	var s Status
	p.packer.Read(b)
	s.Pack(&p.packer)
	p.packer.End()
	if p.packer.Err() == nil {
		p.Status = s
	}
}

// command turns the hands' doing into a command. A shot that the arms do not allow is not
// even claimed.
func (p *Player) command(in Input) Command {
	c := Command{
		Move: movement.Command{
			Forward: in.Forward, Right: in.Right,
			Yaw: in.Yaw, Pitch: in.Pitch,
			Jump: in.Jump, Crouch: in.Crouch,
		},
		Reload: in.Reload, Dash: in.Dash, Hook: in.Hook, Shield: in.Shield, Aim: in.Aim, Select: in.Select,
	}
	if p.swims() {
		c.Move.Up = up(in)
		c.Move.Crouch = false
	}
	p.choose(&c, &in)
	c.Quantise()
	if p.Phase() == session.Playing {
		p.pull(&c, &in)
	}
	return c
}

// swims reports whether the player swims or flies, where the hands mean up and down.
func (p *Player) swims() bool {
	self := p.Self()
	return self != nil && (self.Mode == movement.Swimming || self.Mode == movement.Flying)
}

// up is what the hands want of the third dimension.
func up(in Input) float64 {
	switch {
	case in.Jump && !in.Crouch:
		return 1
	case in.Crouch && !in.Jump:
		return -1
	}
	return 0
}

// died reports that the match has said so, though the body may still be up.
func (p *Player) died() bool { return p.Client.Status() != nil && p.Status.Health == 0 }

// hear sorts an event: the match's own messages are read, the rest is News. A match on
// terms that make no sense is not entered.
func (p *Player) hear(e session.Event) {
	switch e.Kind {
	case session.Message:
		p.listen(e.Bytes)
		return
	case session.Welcomed:
		if err := p.game.SetTerms(e.Bytes); err != nil {
			e = session.Event{Kind: session.Refused, Text: err.Error()}
		}
	case session.Confirmed:
		p.confirm(&e.Receipt)
	case session.Detonated:
		p.Detonations = append(p.Detonations, e)
		p.burst(&e)
	case session.Damaged:
		p.DamageEvents = append(p.DamageEvents, e)
	}
	p.Notices = append(p.Notices, e)
}

// listen reads one of the match's own messages.
func (p *Player) listen(b []byte) {
	var n note
	p.packer.Read(b)
	n.pack(&p.packer)
	p.packer.End()
	if p.packer.Err() != nil {
		return
	}
	switch n.kind {
	case tellScore:
		p.Scores[n.score.Player] = n.score
	case tellKill:
		p.Kills = append(p.Kills, n.kill)
	case tellGoals:
		p.Goals = n.goals
	}
}

// Friend reports whether another plays for the player's own team.
func (p *Player) Friend(id session.PlayerID) bool {
	if int(id) >= len(p.Scores) || int(p.ID()) >= len(p.Scores) {
		return false
	}
	team := p.Scores[p.ID()].Team
	return team != 0 && p.Scores[id].Team == team
}

// Clear reports whether nothing of the level stands between two points.
func (p *Player) Clear(from, to geom.Vec3) bool {
	_, hit := p.World().Ray(from, to.Sub(from))
	return !hit
}

// Reach is how far one can see from a point along a unit vector, at most max.
func (p *Player) Reach(from, dir geom.Vec3, max float64) float64 {
	hit, ok := p.World().Ray(from, dir.Mul(max))
	if !ok {
		return max
	}
	return float64(hit.Fraction * max)
}
