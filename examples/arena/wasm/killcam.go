package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// How much of the last seconds is kept for a killcam.
const (
	killcamFrames   = 96
	killcamInterval = 20 * clock.Millisecond // between two frames, at least
)

// drawnFrame is what the page drew at an instant.
type drawnFrame struct {
	at         clock.Micros // platform time: that of the own character
	eye        geom.Vec3
	yaw, pitch float64
	self       track.Sample   // in the world's frame
	others     []track.Entity // as they were drawn
}

// killcamera keeps what was drawn of the last two seconds, and shows a death by them and by the server's
// message.
type killcamera struct {
	ring    [killcamFrames]drawnFrame
	count   int          // in total
	last    clock.Micros // local time of the newest
	message *arena.Killcam
}

// killcam is of the present session.
var killcam killcamera

// reset begins a new session.
func (k *killcamera) reset() {
	k.count, k.last, k.message = 0, 0, nil
	block.Killcam = ShownKillcam{Players: block.Killcam.Players[:0]}
}

// update keeps a frame while the player lives, and takes a message.
func (k *killcamera) update(p *arena.Player, v *view, local clock.Micros) {
	if block.Spawned {
		k.reset()
	}
	if m := p.Killcam; m != nil && k.count > 0 {
		k.message = m
		weapons := p.Game().Weapons()
		direct := int(m.Weapon) < len(weapons) && weapons[m.Weapon].Blast.Radius == 0
		block.Killcam = ShownKillcam{
			Killer: track.ID(m.Killer), Weapon: m.Weapon, Age: m.Age, Hidden: m.Hidden, Direct: direct,
			Apart: m.Seen.Position.Dist(m.Position), Point: m.Point, Players: block.Killcam.Players[:0],
		}
	}
	if k.message != nil || !v.Placed || v.Self.Dead || v.Self.Spectating || k.count > 0 && local-k.last < killcamInterval {
		return
	}
	k.last = local
	k.keep(p, v)
}

// keep keeps what a frame draws.
func (k *killcamera) keep(p *arena.Player, v *view) {
	at := p.View().Platform
	s := p.Game().Pose(&v.Self).ToWorld(p.World().World, at)
	s.At, s.Position, s.Yaw, s.Pitch = at, v.Position, controls.Yaw, controls.Pitch
	if k.count > 0 {
		before := &k.frame(k.count - 1).self
		s.StrideDistance = math.Mod(before.StrideDistance+s.Position.Sub(before.Position).Flat(geom.Up).Len(), track.StrideWrap)
	}
	f := k.frame(k.count)
	f.at, f.eye, f.yaw, f.pitch, f.self = at, v.Eye, controls.Yaw, controls.Pitch, s
	f.others = append(f.others[:0], p.Remotes()...)
	k.count++
}

// frame returns the n-th frame that was kept.
func (k *killcamera) frame(n int) *drawnFrame { return &k.ring[n%killcamFrames] }

// between returns the frames around an instant and the share of the way from the first to the second. There must
// be a frame.
func (k *killcamera) between(at clock.Micros) (a, b *drawnFrame, share float64) {
	n := k.count - 1
	for n > max(k.count-killcamFrames, 0) && k.frame(n).at > at {
		n--
	}
	a, b = k.frame(n), k.frame(min(n+1, k.count-1))
	if b.at <= a.at {
		return a, b, 0
	}
	return a, b, geom.Clamp(float64(at-a.at)/float64(b.at-a.at), 0, 1)
}

// own returns the player's own sample at an instant.
func (k *killcamera) own(at clock.Micros) track.Sample {
	a, b, share := k.between(at)
	s := a.self
	s.Position = s.Position.Lerp(b.self.Position, share)
	s.Yaw = a.self.Yaw + float64(geom.WrapAngle(b.self.Yaw-a.self.Yaw)*share)
	s.StrideDistance += float64(math.Mod(b.self.StrideDistance-a.self.StrideDistance+track.StrideWrap, track.StrideWrap) * share)
	return s
}

// draw fills Block.Killcam and, with a screen to show, Block.Figures; it returns whether it did.
func (k *killcamera) draw(p *arena.Player) bool {
	m, want := k.message, &controls.Killcam
	if m == nil || want.Screen == NoScreen {
		return false
	}
	out, before := &block.Killcam, min(max(want.Before, 0), 5*clock.Second)
	out.Players = out.Players[:0]
	if want.Screen == KillerScreen {
		out.At, out.Eye = m.Judged-m.Fired-before, m.Eye
		out.Yaw, out.Pitch = arena.Aim(m.Eye, m.Point)
		out.Players = append(out.Players, track.Entity{ID: track.ID(p.ID()), Sample: k.seen(m, before)})
	} else {
		a, b, share := k.between(m.Judged - before)
		out.At, out.Eye = m.Judged-before, a.eye.Lerp(b.eye, share)
		out.Yaw = a.yaw + float64(geom.WrapAngle(b.yaw-a.yaw)*share)
		out.Pitch = a.pitch + float64((b.pitch-a.pitch)*share)
		out.Players = append(out.Players, a.others...)
	}
	block.Figures = block.Figures[:0]
	for i := range out.Players {
		if len(block.Figures) < maxFigures {
			drawFigure(p.Game(), &out.Players[i], clock.Second)
		}
	}
	return true
}

// seen returns the player on the killer's screen: at the shot what the server judged, and before that its own way
// there, which ends where that is.
func (k *killcamera) seen(m *arena.Killcam, before clock.Micros) track.Sample {
	if before == 0 {
		return m.Seen
	}
	end, s := k.own(m.View()), k.own(m.View()-before)
	s.Position = s.Position.Add(m.Seen.Position.Sub(end.Position))
	s.StrideDistance = math.Mod(s.StrideDistance+m.Seen.StrideDistance-end.StrideDistance+2*track.StrideWrap, track.StrideWrap)
	s.Clip, s.ClipAt, s.UserData = m.Seen.Clip, m.Seen.ClipAt, m.Seen.UserData
	return s
}
