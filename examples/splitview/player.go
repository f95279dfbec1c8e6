package splitview

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/transport/mem"
)

const (
	players  = 2   // you and the opponent
	stepRate = 60  // server ticks and frames of both screens a second
	sendRate = 30  // datagrams a second in each direction, so that one can be told from another
	chest    = 1.0 // height of what is aimed at, metres above the feet
)

// player is one player: its client, its way to the server and back, and what steers it.
type player struct {
	client    *session.Client[Hero, Input]
	up, down  *link
	offset    clock.Micros // of its clock: local time is match time and this
	bot       bot
	input     Input // a local one would escape
	yaw       float64
	aimUntil  clock.Micros // match time until which it faces its last shot
	pressed   bool         // a trigger that was pulled and has not fired yet
	pullEnd   clock.Micros // match time at which that is forgotten
	corrected int          // corrections that are events already
	// made has when the command of a number was drawn, by number modulo its length.
	made [256]clock.Micros
}

func newPlayer(i int, n mem.Network, seed uint64) *player {
	p := &player{
		client: session.NewClient(Rules(), session.ClientConfig{SendRate: sendRate}),
		up:     newLink(n, seed+10), down: newLink(n, seed+20),
		offset: clock.Micros(1+i) * 1000 * clock.Second, bot: newBot(seed + 30), yaw: spawns[i].Yaw,
	}
	p.client.Hello([players]string{"You", "Opponent"}[i], session.Key{})
	return p
}

// frame plays a frame of the player's screen. It returns whether the player fired.
func (p *player) frame(now clock.Micros, c Controls) bool {
	if c.Fire {
		p.pressed, p.pullEnd = true, now+300*clock.Millisecond
	}
	p.pressed = p.pressed && now < p.pullEnd
	p.input = p.command(now, c)
	p.client.Frame(now+p.offset, &p.input)
	p.made[p.client.Newest()%uint32(len(p.made))] = now
	fired := len(p.client.FiredShots()) > 0
	if fired {
		p.pressed, p.aimUntil = false, now+350*clock.Millisecond
	}
	return fired
}

// madeAt returns the match time of the frame that drew the command of a number, one of the last 256.
func (p *player) madeAt(number uint32) clock.Micros { return p.made[number%uint32(len(p.made))] }

// command turns what the player does into its command: it runs where it likes and faces its way, or
// its shot.
func (p *player) command(now clock.Micros, c Controls) (in Input) {
	way := geom.V(c.Right, 0, c.Back)
	aim, aims := p.aim(c)
	switch {
	case p.pressed && aims:
		p.yaw = geom.WrapAngle(geom.Yaw(aim) + c.Off)
		in.Pitch = geom.Pitch(aim)
		in.Claim.Fire = true
	case now >= p.aimUntil && way.Len() > 0.1:
		p.yaw = geom.Yaw(way)
	}
	in.Yaw, in.Jump = p.yaw, c.Jump
	in.Forward, in.Right = way.Dot(geom.Forward(p.yaw)), way.Dot(geom.Right(p.yaw))
	return in
}

// aim returns the way from the eye to what the player aims at, and false where nothing is to be seen.
func (p *player) aim(c Controls) (geom.Vec3, bool) {
	if p.client.Self() == nil {
		return geom.Vec3{}, false
	}
	if c.AtPoint {
		return c.Point.Sub(p.client.Eye()), true
	}
	other, ok := p.other()
	return other.Position.Add(geom.V(0, chest, 0)).Sub(p.client.Eye()), ok
}

// other returns the other player as this one's screen shows it.
func (p *player) other() (track.Sample, bool) {
	for _, r := range p.client.Remotes() {
		return r.Sample, true
	}
	return track.Sample{}, false
}
