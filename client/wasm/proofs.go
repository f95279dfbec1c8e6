package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// How much is kept of the player's own last shots.
const (
	mostProofs  = 16
	mostSeen    = 8   // figures of each, those nearest to the aim
	mostFlown   = 120 // places of a flight
	nearAim     = 1.6 // metres from the aim within which a figure is kept
	asksAgain   = 400 * clock.Millisecond
	quiet       = clock.Second            // after it a blade met nobody, of which no word comes
	oneSwing    = 400 * clock.Millisecond // the claims of one swing
	proofTarget = 0.9                     // metres above the feet
)

// proof is a shot as the page showed it, and the server's word on it.
type proof struct {
	number   uint32
	weapon   uint8
	fired    clock.Micros // by the match's clock
	noted    clock.Micros // local time
	began    clock.Micros // platform time at which a projectile left
	ended    clock.Micros // likewise, at which it ended, and the picture that it met then
	met      clock.Micros
	claim    shot.Claim
	eye      geom.Vec3
	saw      rewind.Outcome
	points   []geom.Vec3 // where its rays ended
	flown    []geom.Vec3 // where a projectile was
	seen     []track.Entity
	told     bool
	receipt  shot.Receipt
	evidence *combat.ShotDebug
	asked    clock.Micros // local time of the last question
}

// ring is the last of them.
type ring struct {
	list   [mostProofs]proof
	count  int // ever
	chosen int // which is looked at, from 0 the newest
	latest uint32
	room   []track.Entity // scratch
}

var proofs ring

// forget begins a new session.
func (r *ring) forget() { r.count, r.chosen, r.latest = 0, 0, 0 }

// kept is how many there are.
func (r *ring) kept() int { return min(r.count, mostProofs) }

// at returns the i-th newest.
func (r *ring) at(i int) *proof { return &r.list[(r.count-1-i+mostProofs)%mostProofs] }

// find returns the shot of a number, nil where it is not kept.
func (r *ring) find(number uint32) *proof {
	for i := range r.kept() {
		if p := r.at(i); p.number == number {
			return p
		}
	}
	return nil
}

// watch follows the player's shots through a frame.
func (r *ring) watch(p *arena.Player, local clock.Micros) {
	if c, ok := p.LastShot(); ok && c.Number != r.latest {
		r.latest = c.Number
		r.note(p, c, local)
	}
	flights := p.Projectiles()
	for i := range flights {
		if s := r.find(flights[i].Shot); s != nil {
			s.fly(&flights[i])
		}
	}
	for i := range p.Notices {
		r.hear(p, &p.Notices[i])
	}
	if core.shots {
		r.choose()
		r.ask(p, local)
	}
}

// note keeps a shot. Of the claims of one swing the one that met somebody stays, or the
// last.
func (r *ring) note(p *arena.Player, c *combat.ClientShot, local clock.Micros) {
	now, weapons := p.Now(local), p.Game().Weapons()
	if int(c.Claim.Weapon) >= len(weapons) {
		return
	}
	w := &weapons[c.Claim.Weapon]
	if w.Kind == shot.Melee && r.count > 0 {
		if last := r.at(0); last.weapon == c.Claim.Weapon && now-last.fired < oneSwing {
			if last.saw.Kind == rewind.Player {
				return
			}
			r.count--
		}
	}
	r.count++
	s := r.at(0)
	*s = proof{points: s.points[:0], flown: s.flown[:0], seen: s.seen[:0]}
	s.number, s.weapon, s.fired, s.noted = c.Number, c.Claim.Weapon, now, local
	s.claim, s.eye, s.saw = c.Claim, c.Eye, c.Outcome
	for i := range c.Outcomes {
		s.points = append(s.points, c.Outcomes[i].Point)
	}
	if w.Kind != shot.Projectile {
		s.keep(c.Targets, s.eye, geom.Look(c.Claim.Yaw, c.Claim.Pitch), math.Tan(w.Spread.Cone))
	}
}

// keep keeps of a picture whoever is near a ray that widens, the nearest first.
func (s *proof) keep(all []track.Entity, from, dir geom.Vec3, widens float64) {
	s.seen = s.seen[:0]
	for i := range all {
		e := &all[i]
		to := e.Position.MulAdd(geom.Up, proofTarget).Sub(from)
		along := max(to.Dot(dir), 0)
		off := to.MulAdd(dir, -along).Len() - along*widens
		if e.Kind == 0 && !e.Dead && off < nearAim && len(s.seen) < mostSeen {
			s.seen = append(s.seen, *e)
		}
	}
}

// fly notes where a projectile is.
func (s *proof) fly(f *combat.Projectile) {
	if s.began = f.Fired; len(s.flown) == 0 {
		s.flown = append(s.flown, s.eye)
	}
	if len(s.flown) < mostFlown {
		s.flown = append(s.flown, f.Drawn)
	}
}

// hear takes news of a shot.
func (r *ring) hear(p *arena.Player, e *session.Event) {
	switch e.Kind {
	case session.Confirmed:
		if s := r.find(e.Receipt.Shot); s != nil {
			s.told, s.receipt, s.evidence = true, e.Receipt, nil
		}
	case session.ShotDebugged:
		if s := r.find(e.ShotDebug.Shot); s != nil {
			s.evidence = e.ShotDebug
			if !s.told {
				s.told, s.receipt = true, e.ShotDebug.Receipt
				if !e.ShotDebug.Known { // no word comes of a blade that met nobody on both ends
					s.receipt.Verdict, s.receipt.Agrees = shot.Miss, true
					s.receipt.ViewRequested, s.receipt.ViewGranted = s.claim.View.At, s.claim.View.At
				}
			}
		}
	case session.Detonated:
		if s := r.find(e.Receipt.Shot); s != nil && e.Player == p.ID() && !e.Again {
			r.burst(p, s, e)
		}
	}
}

// burst keeps whom a projectile of one's own met where it ended: the picture of that
// instant, by the frames that had come.
func (r *ring) burst(p *arena.Player, s *proof, e *session.Event) {
	s.saw = e.Receipt.Outcome
	if s.flown = append(s.flown, e.To); p.Others() == nil {
		return
	}
	at := e.Receipt.ViewRequested
	lag := max(s.began-s.claim.View.At, 0)
	s.ended, s.met = at+lag, at
	v := track.View{At: at, Platform: max(at+lag, at), Seen: p.Others().Received(), Mode: p.View().Mode}
	picture := p.Others().Interpolator(p.World().World)
	r.room = picture.Entities(v, p.ID(), r.room[:0])
	reach := 1.0
	if weapons := p.Game().Weapons(); int(s.weapon) < len(weapons) {
		reach += weapons[s.weapon].Blast.Radius
	}
	s.seen = s.seen[:0]
	for i := range r.room {
		n := &r.room[i]
		near := n.Position.MulAdd(geom.Up, proofTarget).Dist(e.To) < reach
		if n.Kind == 0 && !n.Dead && near && len(s.seen) < mostSeen {
			s.seen = append(s.seen, *n)
		}
	}
}

// choose takes another shot where the hands ask for it.
func (r *ring) choose() {
	if hands.input.Pressed(actShotBack) {
		r.chosen++
	}
	if hands.input.Pressed(actShotOn) {
		r.chosen--
	}
	r.chosen = max(min(r.chosen, r.kept()-1), 0)
}

// ask asks the server by what it judged the shot that is looked at.
func (r *ring) ask(p *arena.Player, local clock.Micros) {
	if r.kept() == 0 || p.Phase() != session.Playing {
		return
	}
	s := r.at(r.chosen)
	if (s.told || local-s.noted > quiet) && s.evidence == nil && local-s.asked > asksAgain {
		s.asked = local
		p.RequestShotDebug(s.number)
	}
}

// drawProof writes the shot that is looked at.
func drawProof(p *arena.Player) {
	s := &stateBlock
	s[ProofShots] = 0
	if !core.shots || proofs.kept() == 0 {
		return
	}
	t := proofs.at(proofs.chosen)
	s[ProofShots], s[ProofChosen] = float64(proofs.kept()), float64(proofs.chosen)
	drawReceipt(t)
	volumes := drawVolumes(p, t.seen, 0, 0)
	s[ProofApart] = -1
	if t.evidence != nil && t.evidence.Known {
		volumes = drawVolumes(p, t.evidence.Targets, 1, volumes)
		s[ProofApart] = apart(volumes)
	}
	s[ProofVolumes] = float64(volumes)
	s[ProofLines] = float64(drawWay(p, t))
}

// drawReceipt writes what there is in words.
func drawReceipt(t *proof) {
	s, r := &stateBlock, &t.receipt
	s[ProofShot], s[ProofWeapon] = float64(t.number), float64(t.weapon)
	s[ProofFired], s[ProofAsked] = t.fired.Seconds(), t.claim.View.At.Seconds()
	if t.ended != 0 { // what counts is whom it met in the end
		s[ProofFired], s[ProofAsked] = t.ended.Seconds(), t.met.Seconds()
	}
	s[ProofSaw], s[ProofSawTarget] = float64(t.saw.Kind), float64(t.saw.Target)
	s[ProofVerdict], s[ProofKnown] = -1, 0
	if t.told {
		s[ProofVerdict] = float64(r.Verdict)
	}
	switch {
	case t.evidence != nil && t.evidence.Known:
		s[ProofKnown] = 1
	case t.evidence != nil:
		s[ProofKnown] = 2
	}
	s[ProofReason], s[ProofGranted] = float64(r.Reason), r.ViewGranted.Seconds()
	s[ProofTested], s[ProofAgrees] = float64(r.Scene.Count), number(r.Agrees)
	s[ProofMet], s[ProofTarget] = float64(r.Outcome.Kind), float64(r.Outcome.Target)
	s[ProofPart], s[ProofDistance], s[ProofDamage] = float64(r.Outcome.Tag), r.Outcome.Distance, float64(r.Damage)
	s[ProofHurts] = float64(r.EventCount)
	for i := range min(int(r.EventCount), MaxProofHurts) {
		h, at := &r.Events[i], ProofHurtBase+i*ProofHurtStride
		s[at], s[at+1], s[at+2], s[at+3] = float64(h.Target), float64(h.Tag), float64(h.Damage), float64(h.Reason)
	}
}

// volumeOf is what the volumes that were written are of.
var volumeOf [MaxProofVolumes]struct {
	id   track.ID
	part uint8
}

// drawVolumes writes the volumes of figures behind so many, and returns how many there are
// then.
func drawVolumes(p *arena.Player, all []track.Entity, judged float64, count int) int {
	s, f := &stateBlock, &figures.figure
	for i := range all {
		stands, ok := p.Game().Figure(&all[i].Sample, 0, &figures.posture, f)
		if !ok {
			continue
		}
		for k := range f.Count {
			if count == MaxProofVolumes {
				return count
			}
			v, at := &f.Solids[k], ProofVolumeBase+count*ProofVolumeStride
			a, b, turn := stands.Apply(v.A), stands.Apply(v.B), stands.Rotation.Mul(v.Rotation)
			s[at+VolumeShape], s[at+VolumeJudged] = float64(v.Shape), judged
			s[at+VolumeAX], s[at+VolumeAY], s[at+VolumeAZ] = a.X, a.Y, a.Z
			s[at+VolumeBX], s[at+VolumeBY], s[at+VolumeBZ] = b.X, b.Y, b.Z
			s[at+VolumeRadius] = v.Radius
			s[at+VolumeHX], s[at+VolumeHY], s[at+VolumeHZ] = v.Half.X, v.Half.Y, v.Half.Z
			s[at+VolumeQX], s[at+VolumeQY], s[at+VolumeQZ], s[at+VolumeQW] = turn.X, turn.Y, turn.Z, turn.W
			volumeOf[count].id, volumeOf[count].part = all[i].ID, uint8(f.Parts[k])
			count++
		}
	}
	return count
}

// apart is the largest distance between a volume as the page had it and the same as the
// server rebuilt it, among so many; −1 where none is there twice.
func apart(count int) float64 {
	s, most := &stateBlock, -1.0
	for i := range count {
		at := ProofVolumeBase + i*ProofVolumeStride
		if s[at+VolumeJudged] != 0 {
			break
		}
		for k := i + 1; k < count; k++ {
			to := ProofVolumeBase + k*ProofVolumeStride
			if s[to+VolumeJudged] == 0 || volumeOf[k] != volumeOf[i] {
				continue
			}
			for _, end := range [...]int{VolumeAX, VolumeBX} {
				a := geom.V(s[at+end], s[at+end+1], s[at+end+2])
				b := geom.V(s[to+end], s[to+end+1], s[to+end+2])
				most = max(most, a.Dist(b))
			}
		}
	}
	return most
}

// drawWay writes the way that a shot went, as the page had it and as far as the server has
// said, and returns how many lines that is.
func drawWay(p *arena.Player, t *proof) int {
	n := 0
	for _, at := range t.points {
		n = drawLineOf(n, 0, t.eye, at)
	}
	for i := 1; i < len(t.flown); i++ {
		n = drawLineOf(n, 0, t.flown[i-1], t.flown[i])
	}
	if weapons := p.Game().Weapons(); int(t.weapon) < len(weapons) && weapons[t.weapon].Kind == shot.Melee {
		n = drawSwing(n, t, &weapons[t.weapon])
	}
	if e := t.evidence; e != nil && e.Known && e.Receipt.Verdict != shot.Refused {
		n = drawLineOf(n, 1, e.Eye, e.Receipt.Outcome.Point)
	}
	return n
}

// drawSwing writes the whole of a blade's arc: its edge, and the blade at both ends.
func drawSwing(n int, t *proof, w *shot.Weapon) int {
	const pieces = 16
	ahead := geom.Look(t.claim.Yaw, t.claim.Pitch)
	sin, cos := geom.SinCos(w.Swing.Tilt)
	left := geom.Right(t.claim.Yaw).Neg().Mul(cos).MulAdd(geom.Look(t.claim.Yaw, t.claim.Pitch+math.Pi/2), sin)
	last := t.eye
	for i := range pieces + 1 {
		sin, cos := geom.SinCos(w.Swing.Arc * (float64(i)/pieces - 0.5))
		tip := t.eye.MulAdd(ahead, w.Reach*cos).MulAdd(left, w.Reach*sin)
		n = drawLineOf(n, 0, last, tip)
		last = tip
	}
	return drawLineOf(n, 0, last, t.eye)
}

func drawLineOf(n int, judged float64, a, b geom.Vec3) int {
	if n == MaxProofLines {
		return n
	}
	s, at := &stateBlock, ProofLineBase+n*ProofLineStride
	s[at+LineJudged] = judged
	s[at+LineAX], s[at+LineAY], s[at+LineAZ] = a.X, a.Y, a.Z
	s[at+LineBX], s[at+LineBY], s[at+LineBZ] = b.X, b.Y, b.Z
	return n + 1
}
