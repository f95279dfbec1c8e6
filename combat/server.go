package combat

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// Match is what a Server needs of the match that it judges in. Ids of players are
// 1 … Config.Players; larger ones are entities.
type Match interface {
	// Player returns combat's part of a player, and whether it is connected.
	Player(id track.ID) (p *Player, connected bool)
	// SentLog returns the log of the snapshots that were sent over the player's connection, nil before
	// the first one. Each connection has its own log.
	SentLog(id track.ID) *track.SentLog
	// Acknowledged returns which of them have arrived, as far as the player's datagrams say so.
	Acknowledged(id track.ID) track.Received
	// Eye returns where a player sees from, and false for one that is not in the world.
	Eye(id track.ID) (eye geom.Vec3, ok bool)
	// Alive returns whether a player or entity is alive now, and in which life. One that did not exist
	// at the match time view counts as not alive.
	Alive(id track.ID, view clock.Micros) (alive bool, life uint8)
	// Spawn adds an entity of a kind and returns its id, 0 where there is no room; SetPose
	// says how it stands at a match time, and Despawn removes it.
	Spawn(kind track.Kind) track.ID
	SetPose(id track.ID, s track.Sample, at clock.Micros)
	Despawn(id track.ID)
	// Sends reports whether the snapshot of a tick is sent to clients.
	Sends(tick uint32) bool
	// Judged is called with each verdict and the targets that the shot was tested against, all valid
	// until it returns. If reported is false, the game gets no event.
	Judged(s *shot.Shot, r *shot.Receipt, tested []track.Entity, reported bool)
}

// Config configures a Server. A field is required unless it says otherwise.
type Config struct {
	// Players, TickRate, World, History and Weapons are those of the match; all are required.
	Players  int             // seats, at most MaxShooters
	TickRate int             // a second
	World    *collide.World  // the level, with its movers
	History  *rewind.History // recorded poses
	Weapons  shot.Table      // of the match; nil has none
	// Scene returns an empty scene by the game's hitboxes and rules; required.
	Scene func() *rewind.Scene
	// Visible withholds the origin of shots of hidden players; nil withholds nothing.
	Visible *visibility.Filter
	// Radius is the distance in metres, from the eye or from the end of a shot, within which players are
	// notified of the shots of others; zero means any distance.
	Radius float64
	// OnReceipt is called with each hit before it is reported, and may change the damage. Nil
	// leaves it as it was judged.
	OnReceipt func(*shot.Receipt)
}

// Server judges the shots of a match and flies its projectiles. It reads the match through Match and
// serves one goroutine.
type Server struct {
	Config
	match Match
	judge *shot.Judge // nil before Start
	// interpolated: views are judged as interpolated whatever mode they claim.
	interpolated bool
	view         collide.WorldAt

	tick        uint32
	now         clock.Micros
	sent        uint32      // newest tick that was sent
	shots       []shot.Shot // of this tick
	flights     []flight
	advancing   bool // fly goes through flights
	ended       []endedFlight
	flightScene *rewind.Scene // of the flights
	past        flightHistory

	verdict verdict // scratch: what is handed out escapes
	packer  bits.Packer
	scratch [512]byte
}

// verdict is a verdict that is being reported.
type verdict struct {
	fired    shot.Shot
	receipt  shot.Receipt
	tested   []track.Entity
	platform clock.Micros
	// foreign: an earlier connection of the shooter fired the shot. The present one counts its commands
	// anew and would take the receipt for that of another shot. unreported: the game gets no event.
	foreign, unreported bool
}

// NewServer returns a Server for a match.
func NewServer(match Match, config Config) *Server {
	s := &Server{Config: config, match: match, flightScene: config.Scene(), view: collide.WorldAt{World: config.World}}
	s.past.server = s
	return s
}

// Start makes the judge; call it once, before the first shot.
func (s *Server) Start(hitboxes rewind.HitboxProvider, limits shot.Limits) {
	s.judge = shot.NewJudge(s.Weapons, s.History, hitboxes, limits)
	s.judge.Scene().Blockers = s.flightScene.Blockers
	s.interpolated = limits.InterpolatedOnly
}

// Fire takes a shot of a move of this tick. Resolve judges it.
func (s *Server) Fire(shot *shot.Shot) { s.shots = append(s.shots, *shot) }

// Resolve judges the shots of a tick, which must be recorded already, and then advances the projectiles to
// that tick. sent is the newest tick that was sent to clients.
func (s *Server) Resolve(tick uint32, now clock.Micros, sent uint32) {
	s.tick, s.now, s.sent = tick, now, sent
	for i := range s.shots {
		s.judgeShot(&s.shots[i])
	}
	s.shots = s.shots[:0]
	s.fly()
}

// judgeShot judges a shot of this tick, reports the verdict, and shows the shot to the other
// players.
func (s *Server) judgeShot(fired *shot.Shot) {
	// The game has removed the player since its move. The next player of the seat must not get the hit.
	if _, inWorld := s.match.Eye(fired.Shooter); !inWorld {
		return
	}
	p, _ := s.match.Player(fired.Shooter)
	v := &s.verdict
	*v = verdict{fired: *fired, receipt: s.judge.Judge(&s.view, &p.shooter, fired)}
	r := &v.receipt
	// As the judge has it: movers never stand earlier than characters.
	v.platform = max(fired.Claim.View.Platform, r.ViewGranted)
	// Each projectile casts several times a tick, so a client that launches without end would cost
	// the server without bound [THR-11].
	if r.Verdict == shot.Launched {
		if p.flying < maxFlying {
			s.launch(p, fired)
		} else {
			r.Verdict, r.Reason, r.ViewGranted, r.Agrees = shot.Refused, shot.TooFast, 0, false
		}
	}
	s.confirmDamage(r)
	// The weapon of a refused claim may not be in the table.
	melee := int(r.Weapon) < len(s.Weapons) && s.Weapons[r.Weapon].Kind == shot.Melee
	v.tested = s.judge.Targets()
	// A swing is judged command by command, and most of its commands hit nothing.
	v.unreported = melee && r.Verdict == shot.Miss && r.Agrees
	s.report(p, v)
	if r.Verdict == shot.Refused || melee && !fired.Result.BeginsSwing(&s.Weapons[r.Weapon]) {
		return // others see a swing once, when it begins
	}
	seen := s.seenShot(fired, r)
	s.show(&seen)
}

// confirmDamage removes the damage to targets that have died since the view [GAP-50]; then the game
// may change the rest.
func (s *Server) confirmDamage(r *shot.Receipt) {
	if r.Verdict != shot.Hit {
		return
	}
	for i := range r.Events[:r.EventCount] {
		alive, life := s.match.Alive(r.Events[i].Target, r.ViewGranted)
		r.ConfirmDamage(i, alive, life)
	}
	if s.OnReceipt != nil {
		s.OnReceipt(r)
	}
}

// report sends a verdict to the shooter and to the players that it damaged, and hands it to the
// match.
func (s *Server) report(p *Player, v *verdict) {
	r := &v.receipt
	if _, connected := s.match.Player(v.fired.Shooter); connected && !v.unreported && !v.foreign {
		p.keep(r, v.fired.Eye, v.platform, v.tested)
		// Packed once now to know its size: by the bound of the largest receipt few would fit into
		// a datagram.
		n := p.receipts.Push(s.tick)
		n.Receipt = *r
		s.packer.Write(s.scratch[:])
		n.Pack(&s.packer, s.now)
		n.Bits = s.packer.Bits()
	}
	// Entities are the game's own: it learns of their damage from the receipt.
	for i := range r.Events[:r.EventCount] {
		if e := &r.Events[i]; e.Damage > 0 && int(e.Target) <= s.Players {
			s.reportDamage(r, e, v.fired.Eye)
		}
	}
	s.match.Judged(&v.fired, r, v.tested, !v.unreported)
}

// reportDamage notifies a player of the damage and its origin. If the shooter is hidden from the player, the
// notice has the direction only: the exact place would show a wallhack where to aim.
func (s *Server) reportDamage(r *shot.Receipt, e *shot.DamageEvent, from geom.Vec3) {
	p, connected := s.match.Player(e.Target)
	if !connected {
		return
	}
	if eye, ok := s.match.Eye(e.Target); ok && s.Visible != nil && !s.Visible.Visible(e.Target, r.Shooter) {
		from = eye.Add(from.Sub(eye).ClampLen(1))
	}
	*p.damage.Push(s.tick) = Damage{By: r.Shooter, Weapon: r.Weapon, HitGroup: e.HitGroup, Amount: e.Damage, From: from,
		Ago: min(max(s.now-r.ViewGranted, 0), maxAgo)}
}

// seenShot returns the notice of a shot for other players.
func (s *Server) seenShot(fired *shot.Shot, r *shot.Receipt) SeenShot {
	g := SeenShot{Shooter: fired.Shooter, Weapon: r.Weapon, From: fired.Eye, To: r.Outcome.Point}
	if r.Verdict == shot.Launched {
		g.To = fired.Eye.Add(fired.Claim.Aim())
		return g
	}
	if s.Weapons[r.Weapon].Kind != shot.Hitscan {
		return g
	}
	rays := s.judge.Rays()
	// The first ray is To.
	for i := 1; i < len(rays) && g.More < len(g.Ends); i++ {
		g.Ends[g.More] = rays[i].Point
		g.More++
	}
	if len(rays) > 0 {
		g.To = rays[0].Point
	}
	return g
}

// show shows the other players a shot, or the end of a projectile.
func (s *Server) show(g *SeenShot) {
	for i := range s.Players {
		id := track.ID(i + 1)
		p, connected := s.match.Player(id)
		if id == g.Shooter || !connected {
			continue
		}
		if from, ok := s.seenFrom(id, g); ok {
			n := p.shots.Push(s.tick)
			n.set(g)
			n.From = from
		}
	}
}

// seenFrom returns from where a player sees a shot come, and false for a shot that it does not
// see or that is beyond Radius. If the shooter is hidden from the player, only the end of the shot is
// shown, if that is in sight. The end of a projectile has to be in sight too. A player that is not in the world
// sees every shot if nothing is hidden, else none.
func (s *Server) seenFrom(id track.ID, g *SeenShot) (from geom.Vec3, ok bool) {
	eye, ok := s.match.Eye(id)
	if ok && s.Radius > 0 && eye.Dist(g.To) > s.Radius && (g.Ended || eye.Dist(g.From) > s.Radius) {
		return from, false
	}
	if s.Visible == nil || ok && !g.Ended && s.Visible.Visible(id, g.Shooter) {
		return g.From, true
	}
	// Or a second connection that waits would show a cheat where everybody is.
	if !ok {
		return from, false
	}
	if from = g.To; g.Ended {
		from = geom.Vec3{}
	}
	// A little before the end: the surface that was hit would hide its own point.
	return from, s.Visible.LineOfSight(eye, g.To.Lerp(eye, 1e-3))
}
