package session_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// GAP-47, HIT-10, HIT-14: what a client could forge in the reference has no place in a claim:
// no origin, target list, radius, damage, hit type or hit result. Saw and Sum are compared
// and decide nothing.
func TestWhatAClaimCanSay(t *testing.T) {
	want := map[string]bool{"Fire": true, "Weapon": true, "Yaw": true, "Pitch": true, "View": true, "SeenHit": true, "SceneSum": true}
	claim := reflect.TypeFor[shot.Claim]()
	for i := range claim.NumField() {
		if name := claim.Field(i).Name; !want[name] {
			t.Errorf("a claim says %s: what may a cheater do with that?", name)
		}
	}
}

// cells is a level in which every player at x > 5 is walled in.
func cells(t *testing.T) *collide.World {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	for _, side := range []float64{-3, 3} {
		b.Box(geom.V(20+side, 2, 0), geom.V(.2, 2, 3.2), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(20, 2, side), geom.V(3.2, 2, .2), geom.IdentityQuat, collide.Surface{})
	}
	b.Box(geom.V(20, 4, 0), geom.V(3.2, .2, 3.2), geom.IdentityQuat, collide.Surface{})
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// anything is a claim with anything in it.
func anything(w *rand.Rand, honest *shot.Claim) shot.Claim {
	c := *honest
	c.Fire = true
	c.SeenHit = rewind.HitTarget{Kind: rewind.Player, Target: track.ID(1 + w.IntN(20)), Hitbox: rig.HitboxID(1 + w.IntN(31)), HitGroup: rig.Head}
	c.SceneSum = uint16(w.Uint32())
	if w.IntN(2) == 0 {
		c.Weapon = uint8(w.IntN(shot.MaxWeapons))
	}
	if w.IntN(2) == 0 {
		c.Yaw, c.Pitch = w.NormFloat64()*4, w.NormFloat64()
	}
	switch w.IntN(4) {
	case 0:
		c.View.At = clock.Micros(w.Uint64() >> (11 + w.IntN(40)))
	case 1:
		c.View.At -= clock.Micros(w.Int64N(3e6))
	case 2:
		c.View.Seen = track.Received{Newest: w.Uint32() >> w.IntN(32), Mask: w.Uint64()}
	}
	if w.IntN(3) == 0 {
		c.View.BlendFrom, c.View.BlendAt = track.Received{Newest: c.View.Seen.Newest - w.Uint32N(70), Mask: w.Uint64()}, c.View.At-clock.Micros(w.Int64N(200_000))
	}
	return c
}

// forger writes another claim each time that a command is packed, or bits that are none.
func forger(w *rand.Rand, count *int) func(p *bits.Packer, c *duelMove) {
	return func(p *bits.Packer, c *duelMove) {
		*count++
		if w.IntN(4) == 0 {
			for range 1 + w.IntN(6) {
				n := w.Uint64()
				p.Uint(&n, 64)
			}
			return
		}
		for { // what cannot be written has been among the random bits
			claim := anything(w, &c.Shot).Quantise()
			var probe bits.Packer
			probe.Write(make([]byte, 64))
			if claim.Pack(&probe); probe.Err() == nil {
				claim.Pack(p)
				return
			}
		}
	}
}

// forgery is a way to forge requests, and where.
type forgery struct {
	name   string
	count  int // commands
	world  *collide.World
	dead   bool  // the forger is
	hand   uint8 // what it has in hand
	claims uint8 // what it says it shoots with
	wild   bool  // it says anything; else it aims well
}

// E2E-08, THR-13, GAP-47: 20,000 forged requests and moves: random claims and random bits
// in every command's place for one, spoiled datagrams, moves that claim to last anything;
// claims by the dead; claims of weapons that are not in hand. Nothing falls over, no player is
// hurt, and the victims are what they were. [HIT-14, GAP-69]
func TestE2E08(t *testing.T) {
	singleThreaded(t)
	for _, c := range []forgery{
		{"anything, at people in cells", 14000, cells(t), false, rifle, rifle, true},
		{"by the dead, well aimed, in the open", 3000, nil, true, rifle, rifle, false},
		{"of a weapon not in hand, well aimed, in the open", 3000, nil, false, sword, rifle, false},
	} {
		r := newRing(t, 8, session.ServerConfig{World: c.world}, c.hand, geom.V(0, 0, 0), geom.V(20, 0, 0), geom.V(19, 0, 1))
		for _, p := range r.parties {
			p.line(30*ms, 30*ms)
		}
		place := r.place
		r.place = func(name string) dueller {
			s := place(name)
			s.Dead = c.dead && name == "a"
			return s
		}
		r.ready()
		before := [2]dueller{}
		for i := range before {
			before[i], _ = r.server.State(r.parties[1+i].ID())
		}
		forged, requests := c.play(r)
		v := r.verdicts(r.parties[0].ID())
		figures.Check(t, c.name, 0.1, "%d commands, %d forgeries in packets: %d hits", forged, requests, v.hits)
		t.Logf("%s: %d commands, %d forgeries in packets, %d datagrams refused; judged %d: refused %v, %d misses, %d hits",
			c.name, forged, requests, r.bad, v.judged, v.why, v.misses, v.hits)
		for i, b := range before {
			p := r.parties[1+i]
			s, _ := r.server.State(p.ID())
			vitals := r.ledger.Vitals(p.ID())
			if s != b || vitals.Health != 60000 || p.Stats().Moves.Corrections != 0 || p.Stats().Bad != 0 {
				t.Errorf("%s: victim %d was %+v, is %+v, %+v, %+v", c.name, i, b, s, vitals, p.Stats())
			}
		}
		if v.hits != 0 || len(r.dealt) != 0 || v.judged < 100 || !c.wild && v.refused != v.judged || forged < c.count {
			t.Errorf("%s: %+v, %d blows", c.name, v, len(r.dealt))
		}
	}
}

// play has the first of the ring forge so many commands, each with a request, and returns how
// many there were, and how many requests that are none were written into packets.
func (c *forgery) play(r *ring) (commands, requests int) {
	w := rand.New(rand.NewPCG(8, uint64(c.count)))
	liar := r.parties[0]
	liar.input = func(p *party, now clock.Micros) duelMove {
		commands++
		m := duelMove{Run: c.wild, Yaw: w.NormFloat64(), Shot: shot.Claim{Weapon: c.claims}}
		m.Shot.Yaw, m.Shot.Pitch = towards(p.Eye(), chest(p.Remotes()[0].Position))
		if p.Aim(&m.Shot); !c.wild {
			m.Shot.SeenHit = rewind.HitTarget{Kind: rewind.Player, Target: p.Remotes()[0].ID, Hitbox: 2, HitGroup: rig.Head}
		}
		return m
	}
	if c.wild {
		liar.game.forge = forger(w, &requests)
		liar.lasted = func(d clock.Micros) clock.Micros { return clock.Micros(float64(d) * math.Exp(w.NormFloat64()*2)) }
		liar.spoil = func(b []byte) []byte {
			if w.IntN(4) == 0 {
				return spoil(w, b)
			}
			return b
		}
	}
	r.ticked = func(clock.Micros) {
		r.server.Forgive(liar.peer)
		if s, _ := r.server.State(liar.ID()); s.Pos.Len() > 8 { // back out of the cells
			r.server.SetState(liar.ID(), r.place("a"))
		}
	}
	for commands < c.count {
		r.run(r.now() + clock.Second)
	}
	return commands, requests
}

// GAP-48, GAP-54, HIT-14, THR-06: every datagram of a player comes 1 to 20 times, up to
// 150 ms late and out of order: each shot has one verdict and does its damage once.
func TestDuplicatedClaims(t *testing.T) {
	r := newRing(t, 48, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
	for _, p := range r.parties {
		p.line(20*ms, 20*ms)
	}
	r.parties[1].input = orbiting(geom.Vec3{}, 10)
	r.ready()
	shooter := r.parties[0]
	shooter.up.jitter = 150 * ms
	sent, came := 0, 0
	shooter.copies = func() int { n := 1 + r.rnd.IntN(20); sent++; came += n; return n }
	claimed := map[uint32]bool{}
	shooter.input = shoots(rifle, func(p *party, now clock.Micros, c *shot.Claim) { claimed[p.Newest()+1] = true })
	r.ticked = func(clock.Micros) { r.server.Forgive(shooter.peer) } // the flood has limits of its own
	r.run(r.now() + 20*clock.Second)
	shooter.input = nil
	r.run(r.now() + 2*clock.Second)
	verdicts, damage := map[uint32]int{}, uint16(0)
	for _, e := range r.shots {
		if verdicts[e.Receipt.Shot]++; !claimed[e.Receipt.Shot] {
			t.Errorf("shot %d was never claimed", e.Receipt.Shot)
		}
		damage += e.Receipt.Damage
	}
	for n, times := range verdicts {
		if times != 1 {
			t.Errorf("shot %d has %d verdicts", n, times)
		}
	}
	lost := 60000 - r.ledger.Vitals(r.parties[1].ID()).Health
	figures.Check(t, "seen", 0.1, "%d datagrams as %d copies: %d shots claimed, %d judged, once each", sent, came, len(claimed), len(verdicts))
	if len(verdicts) < len(claimed)-2 || lost != damage || damage == 0 {
		t.Errorf("claimed %d, judged %d, damage %d, lost %d", len(claimed), len(verdicts), damage, lost)
	}
}

// THR-19: a player that fires in every command that allows it, holds its packets back by a switch,
// or has his clock run fast, gets no more shots through, in any time t, than t/100 ms + 3;
// and in a minute no more than the honest and the slack's worth. [HIT-14]
func TestRateOfFireOverALink(t *testing.T) {
	singleThreaded(t)
	const long = 30 * clock.Second
	honest, cheats := 0, figures.Range{}
	for _, c := range []struct {
		name   string
		hold   clock.Micros
		lasted float64
		clock  float64
	}{
		{"honest", 0, 1, 0},
		{"lag switch of 0.25 s", 250 * ms, 1, 0},
		{"lag switch of 1 s", clock.Second, 1, 0},
		{"lag switch of 5 s", 5 * clock.Second, 1, 0},
		{"moves that last 2×", 0, 2, 0},
		{"stamps at 1.1×", 0, 1, .1},
		{"stamps at 2×", 0, 1, 1},
		{"lag switch of 1 s, moves that last 2×, stamps at 1.5×", clock.Second, 2, .5},
	} {
		r := newRing(t, 19, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
		for _, p := range r.parties {
			p.line(20*ms, 20*ms)
		}
		r.ready()
		p := r.parties[0]
		begin := r.now()
		p.up.lockstep, p.up.off = c.hold, begin+long
		p.lasted = func(d clock.Micros) clock.Micros { return clock.Micros(float64(d) * c.lasted) }
		p.shift = func(now clock.Micros) clock.Micros { return clock.Micros(float64(now-begin) * c.clock) }
		p.input = shoots(rifle, nil)
		r.run(begin + long)
		var passed []clock.Micros
		for _, e := range r.shots {
			if e.Receipt.Verdict != shot.Refused {
				passed = append(passed, e.At)
			}
		}
		most := 0.0
		for i := range passed {
			for k := i; k < len(passed); k++ {
				beyond := float64(k-i+1) - math.Floor(float64(passed[k]-passed[i])/float64(100*ms))
				most = max(most, beyond)
			}
		}
		t.Logf("%s: %d shots counted, %.0f beyond the rate, %d refused", c.name, len(passed), most, len(r.shots)-len(passed))
		if honest == 0 {
			honest = len(passed)
		} else {
			cheats.Add(float64(len(passed)))
		}
		if most > 3 || len(passed) > honest+5 || honest < 250 {
			t.Errorf("%s: %d shots, %.0f beyond the rate; the honest has %d", c.name, len(passed), most, honest)
		}
	}
	figures.Check(t, "shots", 0.1, "%d shots in 30 s for an honest client, %.0f to %.0f with a cheat", honest, cheats.Least, cheats.Most)
}

// stride is by how much a player got further in any window of some ticks than at full speed.
type stride struct {
	windows []int
	beyond  []float64 // metres, most
	path    []geom.Vec3
}

func (s *stride) add(at geom.Vec3) {
	s.path = append(s.path, at)
	for i, n := range s.windows {
		if len(s.path) > n {
			way := at.Dist(s.path[len(s.path)-1-n])
			s.beyond[i] = max(s.beyond[i], way-toySpeed*clock.TickTime(int64(n), 60).Seconds())
		}
	}
}

// THR-22, THR-23: 100,000 frames of a player that runs straight on while its clock jumps by up
// to 2 s, forwards and back, and his moves claim to last anything: the server's time of that
// player only grows, no more of it is simulated than passed and the slack, and in no window
// of 1 tick to 10 s does he get further than at full speed by more than what he may borrow
// (Slack) and have held back before (Silent).
// Afterwards the player is as good as any. (predict.TestAdversary has stamps that no client
// of ours can make, movement.TestRandomTriangles 200,000 moves into every corner of a room.)
func TestTickbaseJumps(t *testing.T) {
	singleThreaded(t)
	r := newRing(t, 22, session.ServerConfig{}, rifle, geom.V(0, 0, 0))
	p := r.parties[0]
	p.line(20*ms, 20*ms)
	r.ready()
	w := rand.New(rand.NewPCG(22, 0))
	var last, ran, begin clock.Micros
	begin = r.now()
	commands, back := 0, 0
	var state *dueller // the player's; what it draws meanwhile is another, which gains it nothing
	r.game.ran = func(s *dueller, at, d clock.Micros) {
		if state == nil {
			state = s
		} else if s != state {
			return
		}
		if commands++; at < last {
			back++
		}
		last = at
		ran += d
	}
	var jump clock.Micros
	p.shift = func(now clock.Micros) clock.Micros {
		switch w.IntN(40) {
		case 0:
			jump = clock.Micros(w.Int64N(4e6)) - 2e6
		case 1:
			jump += clock.Micros(w.NormFloat64() * 50_000)
		case 2:
			jump = 0
		}
		return jump
	}
	p.lasted = func(d clock.Micros) clock.Micros { return clock.Micros(float64(d) * math.Exp(w.NormFloat64())) }
	p.input = func(*party, clock.Micros) duelMove { return duelMove{Run: true} }
	way := stride{windows: []int{1, 2, 6, 15, 60, 150, 300, 600}, beyond: make([]float64, 8)}
	r.ticked = func(clock.Micros) {
		r.server.Forgive(p.peer)
		s, _ := r.server.State(1)
		way.add(s.Pos)
	}
	r.run(begin + 100_000*(clock.Second/60))
	passed := r.now() - begin
	figures.Check(t, "seen", 0.1, "%d of %d commands back in time; at most %.2f m beyond full speed in a window of a tick to 10 s",
		back, commands, slices.Max(way.beyond))
	if back > 0 || ran > passed+clock.Second {
		t.Errorf("%d commands went back in time, %d µs were simulated in %d", back, ran, passed)
	}
	const slack, silence = 250 * ms, 250 * ms // the defaults of predict.Limits.MaxTimeDiscrepancy and SilenceTimeout
	for i, d := range way.beyond {
		most := toySpeed * (slack + silence).Seconds() // borrowed, and held back before
		if i == 0 {
			most = toySpeed * (slack + predict.MaxDuration).Seconds()
		}
		if d > most+.01 {
			t.Errorf("%.2f m beyond full speed in %d ticks, want %.2f at most", d, way.windows[i], most)
		}
	}
	p.shift, p.lasted = nil, nil
	r.run(r.now() + 10*clock.Second)
	before := p.Stats().Moves
	r.run(r.now() + 10*clock.Second)
	after := p.Stats().Moves
	if n := after.Corrections + after.Timeouts + after.Throttles - before.Corrections - before.Timeouts - before.Throttles; n > 0 || after.Acked < before.Acked+500 {
		t.Errorf("afterwards %d corrections in 10 s, %d moves acknowledged", n, after.Acked-before.Acked)
	}
}

// angles is a Watcher that measures by how much each shot's aim is off the middle of the
// target nearest to it, and by how much the aim has turned since the shot before.
type angles struct {
	off, turned []float64
	last        geom.Vec3
}

func (a *angles) ObserveMove(*session.MoveStep) {}

func (a *angles) ObserveShot(s *shot.Shot, r *shot.Receipt, targets []track.Entity) {
	if r.Verdict == shot.Refused {
		return
	}
	aim, least := s.Claim.Aim(), math.Pi
	for _, e := range targets {
		to := chest(e.Position).Sub(s.Eye).Unit()
		least = min(least, math.Acos(min(aim.Dot(to), 1)))
	}
	if len(targets) > 0 {
		a.off = append(a.off, least)
	}
	if a.last != (geom.Vec3{}) {
		a.turned = append(a.turned, math.Acos(geom.Clamp(aim.Dot(a.last), -1, 1)))
	}
	a.last = aim
}

// spreadOf returns the mean and the deviation.
func spreadOf(list []float64) (mean, deviation float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		deviation += (x - mean) * (x - mean) / float64(len(list))
	}
	return mean, math.Sqrt(deviation)
}

// THR-24: hits that are claimed beside the aim are not believed: no damage, and the shot
// is told to disagree. What tells aimed by hand from aimed by a program, the angle of each
// shot, is there for a Watcher: a shaking hand and an unshaking one differ in it. [GAP-47]
func TestAimAbuse(t *testing.T) {
	var deviation [2]float64
	for i, c := range []struct {
		name  string
		shake float64
		aside float64
		hits  bool
	}{{"by hand", .015, 0, true}, {"by a program", 0, 0, true}, {"a metre beside, claiming heads", 0, .1, false}} {
		r := newRing(t, 24, session.ServerConfig{}, rifle, geom.V(0, 0, 0), geom.V(10, 0, 0))
		for _, p := range r.parties {
			p.line(30*ms, 30*ms)
		}
		r.parties[1].input = orbiting(geom.Vec3{}, 10)
		r.ready()
		var a angles
		r.server.Observe(&a)
		w := rand.New(rand.NewPCG(24, 0))
		r.parties[0].input = shoots(rifle, func(p *party, _ clock.Micros, s *shot.Claim) {
			s.Yaw, s.Pitch = s.Yaw+c.shake*w.NormFloat64()+c.aside, s.Pitch+c.shake*w.NormFloat64()
			s.SeenHit = rewind.HitTarget{Kind: rewind.Player, Target: r.parties[1].ID(), Hitbox: rig.DefaultHead, HitGroup: rig.Head}
		})
		r.run(r.now() + 10*clock.Second)
		v := r.verdicts(r.parties[0].ID())
		agree, heads := 0, 0
		for _, e := range r.shots {
			if e.Receipt.Agrees {
				agree++
			}
			if e.Receipt.Outcome.HitGroup == rig.Head {
				heads++
			}
		}
		mean, d := spreadOf(a.off)
		if !c.hits {
			figures.Check(t, "seen", 0.1, "%d claimed heads, %d hits", v.judged, v.hits)
		}
		t.Logf("%s: %d shots, %d hits (%d heads), %d agree; aim off the middle %.4f ± %.4f rad over %d", c.name, v.judged, v.hits, heads, agree, mean, d, len(a.off))
		if c.hits != (v.hits > 0) || agree != heads || !c.hits && len(r.dealt) > 0 {
			t.Errorf("%s: %+v, %d agree, %d heads, %d blows", c.name, v, agree, heads, len(r.dealt))
		}
		if i < 2 {
			deviation[i] = d
		}
	}
	if deviation[0] < 3*deviation[1] {
		t.Errorf("a hand's aim is off by ± %.4f rad, a program's by ± %.4f: they cannot be distinguished", deviation[0], deviation[1])
	}
}

// volley has a player shoot at a wall with a seed and a secret, and returns where the first
// pellets met it, by the server and on the shooter's own screen.
func volley(t *testing.T, weapon uint8, seed, secret byte) (server, screen []geom.Vec3) {
	var b collide.Builder
	b.Box(geom.V(0, -1, 0), geom.V(500, 1, 500), geom.IdentityQuat, collide.Surface{})
	b.Box(geom.V(0, 5, -20), geom.V(50, 50, 1), geom.IdentityQuat, collide.Surface{})
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	n := byte(0)
	r := newRing(t, 25, session.ServerConfig{World: world, NewKey: func() session.Key { n++; return session.Key{0: seed, 8: secret, 15: n} }},
		weapon, geom.V(0, 0, 0), geom.V(5, 0, 0))
	r.ready()
	r.parties[0].input = func(p *party, _ clock.Micros) (m duelMove) {
		if p.Waiting() || !p.Self().Loadout.Claims(p.game.table, true) {
			return m
		}
		m.Shot.Weapon = weapon
		screen = append(screen, p.Aim(&m.Shot)[0].Point)
		return m
	}
	r.run(r.now() + 10*clock.Second)
	for _, e := range r.shots {
		if e.Receipt.Verdict == shot.Miss {
			server = append(server, e.Receipt.Outcome.Point)
		}
	}
	return server, screen[:len(server)]
}

// apart is the mean distance between the points of two lists.
func apart(a, b []geom.Vec3) (mean float64) {
	for i := range a {
		mean += a[i].Dist(b[i]) / float64(len(a))
	}
	return mean
}

// THR-25, LAG-05: of a weapon whose spread is Secret, servers with other secrets scatter
// otherwise where the client knows and does the same: what it shows is a guess, as far off
// as chance has it. Of one whose spread is shared, the client knows where its pellets go
// beforehand, exactly: stated, and the choice of the table.
func TestSpreadCannotBeForeseen(t *testing.T) {
	one, guess := volley(t, secretly, 1, 7)
	other, same := volley(t, secretly, 1, 8)
	again, _ := volley(t, secretly, 1, 7)
	if len(one) < 40 || len(one) != len(other) || apart(guess, same) != 0 || apart(one, again) != 0 {
		t.Fatalf("%d and %d shots; the client's knowledge differs by %v m, the same server by %v", len(one), len(other), apart(guess, same), apart(one, again))
	}
	chance := apart(one[1:], one[:len(one)-1]) // two points drawn apart from each other
	figures.Check(t, "guess", 0.01, "%d shots: the client's guess is %.2f m off, chance %.2f m", len(one), apart(one, guess), chance)
	for _, d := range []float64{apart(one, other), apart(one, guess), apart(other, guess)} {
		if math.Abs(d/chance-1) > .4 {
			t.Errorf("%.3f m apart, chance is %.3f: too near to be no hint", d, chance)
		}
	}
	shared, known := volley(t, shotgun, 1, 7)
	t.Logf("shared: %d shots, the client's prediction %.4f m off", len(shared), apart(shared, known))
	if apart(shared, known) > 1e-9 {
		t.Errorf("the shared spread is %v m off", apart(shared, known))
	}
}
