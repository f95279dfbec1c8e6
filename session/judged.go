package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// pending is a shot between its command and its verdict.
type pending struct {
	seat int // of the shooter
	shot shot.Shot
}

// begin makes the judge, with seeds of the match's own, before anybody plays: so that what
// draws keys (a recording) sees those, too.
func (s *Server[S, C]) begin() {
	if s.judge != nil {
		return
	}
	k := s.config.NewKey()
	var secret uint64
	for i := range 8 {
		s.seed |= uint64(k[i]) << (8 * i)
		secret |= uint64(k[8+i]) << (8 * i)
	}
	c := &s.config
	s.judge = shot.NewJudge(s.weapons, s.history, looksOf(s.rules.Game), shot.Limits{
		Cap: c.Cap, MaxRewind: c.MaxRewind, InterpolatedOnly: c.InterpolatedOnly,
		Beyond: c.Beyond, Cover: c.Cover, Evades: c.Evades, Seed: s.seed, Secret: secret,
	})
	if b, ok := any(s.rules.Game).(Blocking); ok {
		s.judge.Scene().Blockers = b.Blockers()
	}
}

// judgeShot judges a shot of this tick, tells the shooter, and shows it to everybody
// else.
func (s *Server[S, C]) judgeShot(p *pending) {
	t := &s.seats[p.seat]
	r := s.judge.Judge(&s.rules.view, &t.shooter, &p.shot)
	if r.Verdict == shot.Launched {
		if t.flying < maxFlying {
			s.launch(t, p)
		} else {
			r.Verdict, r.Reason = shot.Refused, shot.TooFast
		}
	}
	s.settleHurts(&r)
	melee := int(r.Weapon) < len(s.weapons) && s.weapons[r.Weapon].Kind == shot.Melee
	s.tell(t, &word{asked: &p.shot, receipt: r, tested: s.judge.Targets(), platform: p.shot.Claim.View.Platform,
		quiet: melee && r.Verdict == shot.Miss && r.Agrees}) // a blade that met nobody
	if r.Verdict == shot.Refused || melee && !strikes(&s.weapons[r.Weapon], &p.shot.Result) {
		return // of a swing its beginning is seen
	}
	g := s.sightOf(p, &r)
	for i := range s.seats {
		if o := &s.seats[i]; o.id != t.id {
			s.showSight(o, &g, p.shot.Shooter)
		}
	}
}

// strikes reports whether a swing begins with a command.
func strikes(w *shot.Weapon, u *shot.FireResult) bool {
	return u.From == 0 && (u.To == 0 || w.Swing.Begins == 0)
}

// settleHurts takes the present of those whom a shot hurt into account, then what the game
// says of it.
func (s *Server[S, C]) settleHurts(r *shot.Receipt) {
	if r.Verdict != shot.Hit {
		return
	}
	for i := range r.Events[:r.EventCount] {
		alive, life := s.standing(r.Events[i].Target, r.ViewGranted)
		r.ConfirmDamage(i, alive, life)
	}
	if s.config.OnReceipt != nil {
		s.receipt = *r // what is handed out escapes
		s.config.OnReceipt(&s.receipt)
		*r = s.receipt
	}
}

// word is a verdict on its way to those whom it concerns.
type word struct {
	asked    *shot.Shot
	receipt  shot.Receipt
	tested   []track.Entity
	platform clock.Micros
	// strange says that the shooter's connection knows of no such shot; quiet that it is not
	// worth a word to anybody.
	strange, quiet bool
}

// tell gives a verdict to those whom it concerns: to the shooter, to those who were hurt,
// to the host and the watcher.
func (s *Server[S, C]) tell(t *seat[S, C], w *word) {
	r := &w.receipt
	if !w.quiet && !w.strange && t.present() {
		t.testify(r, w.asked.Eye, w.platform, w.tested)
		s.reply(t, r)
	}
	for i := range r.Events[:r.EventCount] {
		if h := &r.Events[i]; h.Damage > 0 && int(h.Target) <= len(s.seats) {
			s.tellHurt(s.seat(h.Target), r, h, w.asked.Eye)
		}
	}
	if s.watcher != nil {
		s.receipt, s.asked = *r, *w.asked // what is handed out escapes
		s.watcher.ObserveShot(&s.asked, &s.receipt, w.tested)
	}
	if !w.quiet {
		s.event(Event{Kind: Shot, Player: t.id, Receipt: *r})
	}
}

// reply gives the shooter the receipt.
func (s *Server[S, C]) reply(t *seat[S, C], r *shot.Receipt) {
	note := t.notices.receipts.Push(s.tick)
	note.Receipt = *r
	s.packer.Write(s.scratch[:])
	note.Pack(&s.packer, s.now)
	note.bits = s.packer.Bits()
}

// tellHurt tells somebody by whom and from where they were hurt: of who is hidden from them
// the direction alone.
func (s *Server[S, C]) tellHurt(o *seat[S, C], r *shot.Receipt, h *shot.DamageEvent, from geom.Vec3) {
	if s.visible != nil && o.authority != nil && !s.visible.Visible(o.id, r.Shooter) {
		eye := s.rules.Eye(o.authority.State())
		from = eye.Add(from.Sub(eye).ClampLen(1))
	}
	what := damage{by: r.Shooter, weapon: r.Weapon, tag: h.Tag, amount: h.Damage, from: from,
		ago: min(max(s.now-r.ViewGranted, 0), agoMost)}
	if o.peer != 0 {
		*o.notices.damage.Push(s.tick) = what
	}
}

// sightOf is what others see of a shot: where it came from and went.
func (s *Server[S, C]) sightOf(p *pending, r *shot.Receipt) seenShot {
	g := seenShot{shooter: p.shot.Shooter, weapon: r.Weapon, from: p.shot.Eye, to: r.Outcome.Point}
	if r.Verdict == shot.Launched {
		g.to = p.shot.Eye.Add(p.shot.Claim.Aim())
		return g
	}
	if s.weapons[r.Weapon].Kind != shot.Rays {
		return g
	}
	rays := s.judge.Rays()
	for i := 1; i < len(rays) && g.more < len(g.ends); i++ {
		g.ends[g.more] = rays[i].Point
		g.more++
	}
	if len(rays) > 0 {
		g.to = rays[0].Point
	}
	return g
}

// showSight shows somebody a shot, or the end of a projectile.
func (s *Server[S, C]) showSight(o *seat[S, C], g *seenShot, shooter track.ID) {
	if o.peer == 0 {
		return
	}
	from, ok := s.seesShot(o, shooter, g)
	if !ok {
		return
	}
	note := o.notices.shots.Push(s.tick)
	*note = *g
	note.from = from
}

// seesShot returns from where a player sees a shot come, and false for one that is not
// seen: of a shooter who is hidden from the player no more than where it ends, if that
// is in sight. A projectile's end has to be.
func (s *Server[S, C]) seesShot(o *seat[S, C], shooter track.ID, g *seenShot) (from geom.Vec3, ok bool) {
	if s.visible == nil || o.authority == nil || !g.burst && s.visible.Visible(o.id, shooter) {
		return g.from, true
	}
	eye := s.rules.Eye(o.authority.State())
	if from = g.to; g.burst {
		from = geom.Vec3{}
	}
	return from, s.visible.LineOfSight(eye, g.to.Lerp(eye, 1e-3))
}

// standing returns whether somebody is alive and in which life. A player who had not
// entered at the view of a shot does not count: the shot met whoever had the seat
// before.
func (s *Server[S, C]) standing(id track.ID, view clock.Micros) (alive bool, life uint8) {
	if id >= firstThing {
		t := s.find(id)
		if t == nil {
			return false, 0
		}
		return t.put && !t.sample.Dead, t.life
	}
	t := s.seat(id)
	if t.authority == nil || view < t.entered {
		return false, 0
	}
	pose := s.rules.Pose(t.authority.State())
	return !pose.Dead, pose.Life
}

// told is the sight as an event. Whoever is told keeps its Points.
func (g *seenShot) event() Event {
	if g.burst {
		return Event{Kind: Detonated, Player: g.shooter, Weapon: g.weapon, To: g.to}
	}
	e := Event{Kind: ShotSeen, Player: g.shooter, Weapon: g.weapon, From: g.from, To: g.to}
	if g.more > 0 {
		e.Points = append(e.Points, g.ends[:g.more]...)
	}
	return e
}

// told is the hurt as an event.
func (h *damage) event() Event {
	return Event{Kind: Damaged, Player: h.by, Weapon: h.weapon, Tag: h.tag, Damage: h.amount, From: h.from, Ago: h.ago}
}

var _ shot.WorldHistory = (*shown)(nil)
