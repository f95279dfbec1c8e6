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

// How much is stored of the player's last shots.
const (
	maxShots         = 16
	maxSeenFigures   = 8   // figures of each, the nearest to the aim
	maxFlightPoints  = 120 // points of a trajectory
	aimRadius        = 1.6 // metres from the ray within which a figure is stored
	asksAgain        = 400 * clock.Millisecond
	meleeMissTimeout = clock.Second            // without an answer after it, a blade hit nothing on both ends
	swingDuration    = 400 * clock.Millisecond // the claims of one swing are one record
	targetHeight     = 0.9                     // metres above the feet
)

// shotRecord is a shot as the page showed it, and the server's answer.
type shotRecord struct {
	number      uint32
	weapon      uint8
	firedAt     clock.Micros // match time
	recordedAt  clock.Micros // local time
	launchedAt  clock.Micros // platform time of a projectile's launch
	endedAt     clock.Micros // platform time of its end, and the view in which it hit
	met         clock.Micros
	claim       shot.Claim
	eye         geom.Vec3
	seenAtShot  rewind.Outcome
	points      []geom.Vec3 // end points of its rays
	flightPath  []geom.Vec3 // trajectory of a projectile
	seenFigures []track.Entity
	answered    bool
	receipt     shot.Receipt
	debug       *combat.ShotDebug
	requestedAt clock.Micros // local time of the last request
}

// shotRing holds the last shots.
type shotRing struct {
	list    [maxShots]shotRecord
	count   int // in total
	chosen  int // the selected one, 0 is the newest
	latest  uint32
	scratch []track.Entity // scratch
}

var shotRecords shotRing

// reset begins a new session.
func (r *shotRing) reset() { r.count, r.chosen, r.latest = 0, 0, 0 }

// stored returns how many shots are stored.
func (r *shotRing) stored() int { return min(r.count, maxShots) }

// at returns the i-th newest shot.
func (r *shotRing) at(i int) *shotRecord { return &r.list[(r.count-1-i+maxShots)%maxShots] }

// find returns the shot with that number, nil if it is not stored.
func (r *shotRing) find(number uint32) *shotRecord {
	for i := range r.stored() {
		if p := r.at(i); p.number == number {
			return p
		}
	}
	return nil
}

// update stores the player's shots of a frame.
func (r *shotRing) update(p *arena.Player, local clock.Micros) {
	if c, ok := p.LastShot(); ok && c.Number != r.latest {
		r.latest = c.Number
		r.record(p, c, local)
	}
	flights := p.Projectiles()
	for i := range flights {
		if s := r.find(flights[i].Shot); s != nil {
			s.addFlightPoint(&flights[i])
		}
	}
	for i := range p.Notices {
		r.receive(p, &p.Notices[i])
	}
	if core.debugShots {
		r.choose()
		r.request(p, local)
	}
}

// record stores a shot. Of the claims of one swing, the one that hit a target is kept, else
// the last.
func (r *shotRing) record(p *arena.Player, c *combat.ClientShot, local clock.Micros) {
	now, weapons := p.Now(local), p.Game().Weapons()
	if int(c.Claim.Weapon) >= len(weapons) {
		return
	}
	w := &weapons[c.Claim.Weapon]
	if w.Kind == shot.Melee && r.count > 0 {
		if last := r.at(0); last.weapon == c.Claim.Weapon && now-last.firedAt < swingDuration {
			if last.seenAtShot.Kind == rewind.Player {
				return
			}
			r.count--
		}
	}
	r.count++
	s := r.at(0)
	*s = shotRecord{points: s.points[:0], flightPath: s.flightPath[:0], seenFigures: s.seenFigures[:0]}
	s.number, s.weapon, s.firedAt, s.recordedAt = c.Number, c.Claim.Weapon, now, local
	s.claim, s.eye, s.seenAtShot = c.Claim, c.Eye, c.Outcome
	for i := range c.Outcomes {
		s.points = append(s.points, c.Outcomes[i].Point)
	}
	if w.Kind != shot.Projectile {
		s.keepNear(c.Targets, s.eye, geom.Look(c.Claim.Yaw, c.Claim.Pitch), math.Tan(w.Spread.Cone))
	}
}

// keepNear stores the entities of a view that are near a widening ray, the nearest first.
func (s *shotRecord) keepNear(all []track.Entity, from, dir geom.Vec3, widens float64) {
	s.seenFigures = s.seenFigures[:0]
	for i := range all {
		e := &all[i]
		to := e.Position.MulAdd(geom.Up, targetHeight).Sub(from)
		along := max(to.Dot(dir), 0)
		off := to.MulAdd(dir, -along).Len() - along*widens
		if e.Kind == 0 && !e.Dead && off < aimRadius && len(s.seenFigures) < maxSeenFigures {
			s.seenFigures = append(s.seenFigures, *e)
		}
	}
}

// addFlightPoint stores a projectile's position.
func (s *shotRecord) addFlightPoint(f *combat.Projectile) {
	if s.launchedAt = f.Fired; len(s.flightPath) == 0 {
		s.flightPath = append(s.flightPath, s.eye)
	}
	if len(s.flightPath) < maxFlightPoints {
		s.flightPath = append(s.flightPath, f.Drawn)
	}
}

// receive handles an event about a shot.
func (r *shotRing) receive(p *arena.Player, e *session.Event) {
	switch e.Kind {
	case session.Confirmed:
		if s := r.find(e.Receipt.Shot); s != nil {
			s.answered, s.receipt, s.debug = true, e.Receipt, nil
		}
	case session.ShotDebugged:
		if s := r.find(e.ShotDebug.Shot); s != nil {
			s.debug = e.ShotDebug
			if !s.answered {
				s.answered, s.receipt = true, e.ShotDebug.Receipt
				if !e.ShotDebug.Known { // a blade that hit nothing on both ends gets no answer
					s.receipt.Verdict, s.receipt.Agrees = shot.Miss, true
					s.receipt.ViewRequested, s.receipt.ViewGranted = s.claim.View.At, s.claim.View.At
				}
			}
		}
	case session.Detonated:
		if s := r.find(e.Receipt.Shot); s != nil && e.Player == p.ID() && !e.Again {
			r.detonation(p, s, e)
		}
	}
}

// detonation stores the entities near the point at which an own projectile ended, in the
// view of that instant.
func (r *shotRing) detonation(p *arena.Player, s *shotRecord, e *session.Event) {
	s.seenAtShot = e.Receipt.Outcome
	if s.flightPath = append(s.flightPath, e.To); p.Others() == nil {
		return
	}
	at := e.Receipt.ViewRequested
	lag := max(s.launchedAt-s.claim.View.At, 0)
	s.endedAt, s.met = at+lag, at
	v := track.View{At: at, Platform: max(at+lag, at), Seen: p.Others().Received(), Mode: p.View().Mode}
	picture := p.Others().Interpolator(p.World().World)
	r.scratch = picture.Entities(v, p.ID(), r.scratch[:0])
	reach := 1.0
	if weapons := p.Game().Weapons(); int(s.weapon) < len(weapons) {
		reach += weapons[s.weapon].Blast.Radius
	}
	s.seenFigures = s.seenFigures[:0]
	for i := range r.scratch {
		n := &r.scratch[i]
		near := n.Position.MulAdd(geom.Up, targetHeight).Dist(e.To) < reach
		if n.Kind == 0 && !n.Dead && near && len(s.seenFigures) < maxSeenFigures {
			s.seenFigures = append(s.seenFigures, *n)
		}
	}
}

// choose selects another shot when the input asks for it.
func (r *shotRing) choose() {
	if devices.input.Pressed(actShotPrevious) {
		r.chosen++
	}
	if devices.input.Pressed(actShotNext) {
		r.chosen--
	}
	r.chosen = max(min(r.chosen, r.stored()-1), 0)
}

// request asks the server for the debug data of the selected shot.
func (r *shotRing) request(p *arena.Player, local clock.Micros) {
	if r.stored() == 0 || p.Phase() != session.Playing {
		return
	}
	s := r.at(r.chosen)
	if (s.answered || local-s.recordedAt > meleeMissTimeout) && s.debug == nil && local-s.requestedAt > asksAgain {
		s.requestedAt = local
		p.RequestShotDebug(s.number)
	}
}

// drawShotRecord writes the selected shot.
func drawShotRecord(p *arena.Player) {
	s := &stateBlock
	s[ShotDebugCount] = 0
	if !core.debugShots || shotRecords.stored() == 0 {
		return
	}
	t := shotRecords.at(shotRecords.chosen)
	s[ShotDebugCount], s[ShotDebugSelected] = float64(shotRecords.stored()), float64(shotRecords.chosen)
	drawReceipt(t)
	volumes := drawVolumes(p, t.seenFigures, 0, 0)
	s[ShotDebugVolumeError] = -1
	if t.debug != nil && t.debug.Known {
		volumes = drawVolumes(p, t.debug.Targets, 1, volumes)
		s[ShotDebugVolumeError] = volumeError(volumes)
	}
	s[ShotDebugVolumes] = float64(volumes)
	s[ShotDebugLines] = float64(drawTrajectory(p, t))
}

// drawReceipt writes the receipt and the outcomes.
func drawReceipt(t *shotRecord) {
	s, r := &stateBlock, &t.receipt
	s[ShotDebugNumber], s[ShotDebugWeapon] = float64(t.number), float64(t.weapon)
	s[ShotDebugFired], s[ShotDebugViewRequested] = t.firedAt.Seconds(), t.claim.View.At.Seconds()
	if t.endedAt != 0 { // of a projectile, the final hit counts
		s[ShotDebugFired], s[ShotDebugViewRequested] = t.endedAt.Seconds(), t.met.Seconds()
	}
	s[ShotDebugSeenHit], s[ShotDebugSeenTarget] = float64(t.seenAtShot.Kind), float64(t.seenAtShot.Target)
	s[ShotDebugVerdict], s[ShotDebugKnown] = -1, 0
	if t.answered {
		s[ShotDebugVerdict] = float64(r.Verdict)
	}
	switch {
	case t.debug != nil && t.debug.Known:
		s[ShotDebugKnown] = 1
	case t.debug != nil:
		s[ShotDebugKnown] = 2
	}
	s[ShotDebugReason], s[ShotDebugViewGranted] = float64(r.Reason), r.ViewGranted.Seconds()
	s[ShotDebugPoses], s[ShotDebugAgrees] = float64(r.Scene.Count), boolNumber(r.Agrees)
	s[ShotDebugHit], s[ShotDebugTarget] = float64(r.Outcome.Kind), float64(r.Outcome.Target)
	s[ShotDebugPart], s[ShotDebugDistance], s[ShotDebugDamage] = float64(r.Outcome.Tag), r.Outcome.Distance, float64(r.Damage)
	s[ShotDebugEvents] = float64(r.EventCount)
	for i := range min(int(r.EventCount), MaxShotDebugEvents) {
		h, at := &r.Events[i], ShotDebugEventBase+i*ShotDebugEventStride
		s[at], s[at+1], s[at+2], s[at+3] = float64(h.Target), float64(h.Tag), float64(h.Damage), float64(h.Reason)
	}
}

// volumeOf are the owners of the written volumes.
var volumeOf [MaxShotDebugVolumes]struct {
	id   track.ID
	part uint8
}

// drawVolumes writes the hit volumes of figures after `count` others and returns the new
// count.
func drawVolumes(p *arena.Player, all []track.Entity, judged float64, count int) int {
	s, f := &stateBlock, &figures.figure
	for i := range all {
		stands, ok := p.Game().Figure(&all[i].Sample, 0, &figures.posture, f)
		if !ok {
			continue
		}
		for k := range f.Count {
			if count == MaxShotDebugVolumes {
				return count
			}
			v, at := &f.Solids[k], ShotDebugVolumeBase+count*ShotDebugVolumeStride
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

// volumeError returns the largest distance between a volume on the page and the same volume
// as the server rebuilt it, among the first count; −1 if no volume has both.
func volumeError(count int) float64 {
	s, most := &stateBlock, -1.0
	for i := range count {
		at := ShotDebugVolumeBase + i*ShotDebugVolumeStride
		if s[at+VolumeJudged] != 0 {
			break
		}
		for k := i + 1; k < count; k++ {
			to := ShotDebugVolumeBase + k*ShotDebugVolumeStride
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

// drawTrajectory writes the path of a shot on the page and, as far as it is known, on the
// server, and returns the number of lines.
func drawTrajectory(p *arena.Player, t *shotRecord) int {
	n := 0
	for _, at := range t.points {
		n = drawLineSegment(n, 0, t.eye, at)
	}
	for i := 1; i < len(t.flightPath); i++ {
		n = drawLineSegment(n, 0, t.flightPath[i-1], t.flightPath[i])
	}
	if weapons := p.Game().Weapons(); int(t.weapon) < len(weapons) && weapons[t.weapon].Kind == shot.Melee {
		n = drawSwing(n, t, &weapons[t.weapon])
	}
	if e := t.debug; e != nil && e.Known && e.Receipt.Verdict != shot.Refused {
		n = drawLineSegment(n, 1, e.Eye, e.Receipt.Outcome.Point)
	}
	return n
}

// drawSwing writes a blade's whole arc: its edge, and the blade at both ends.
func drawSwing(n int, t *shotRecord, w *shot.Weapon) int {
	const pieces = 16
	ahead := geom.Look(t.claim.Yaw, t.claim.Pitch)
	sin, cos := geom.SinCos(w.Swing.Tilt)
	left := geom.Right(t.claim.Yaw).Neg().Mul(cos).MulAdd(geom.Look(t.claim.Yaw, t.claim.Pitch+math.Pi/2), sin)
	last := t.eye
	for i := range pieces + 1 {
		sin, cos := geom.SinCos(w.Swing.Arc * (float64(i)/pieces - 0.5))
		tip := t.eye.MulAdd(ahead, w.Reach*cos).MulAdd(left, w.Reach*sin)
		n = drawLineSegment(n, 0, last, tip)
		last = tip
	}
	return drawLineSegment(n, 0, last, t.eye)
}

func drawLineSegment(n int, judged float64, a, b geom.Vec3) int {
	if n == MaxShotDebugLines {
		return n
	}
	s, at := &stateBlock, ShotDebugLineBase+n*ShotDebugLineStride
	s[at+LineJudged] = judged
	s[at+LineAX], s[at+LineAY], s[at+LineAZ] = a.X, a.Y, a.Z
	s[at+LineBX], s[at+LineBY], s[at+LineBZ] = b.X, b.Y, b.Z
	return n + 1
}
