package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
)

// drawState writes the state block: what the page draws this frame.
func drawState(p *arena.Player, local clock.Micros) {
	s := &stateBlock
	s[StatePhase] = phase(p.Phase())
	s[StateSelf] = float64(p.ID())
	if hero := p.Self(); hero != nil {
		drawSelf(p, hero, local)
	}
	drawNet(p, local)
	drawRemotes(p)
}

func phase(p session.Phase) float64 {
	switch p {
	case session.Playing:
		return PhasePlaying
	case session.Ended:
		return PhaseEnded
	}
	return PhaseJoining
}

func drawSelf(p *arena.Player, hero *arena.Hero, local clock.Micros) {
	s := &stateBlock
	feet := hero.Position.Add(p.Offset())
	s[StateX], s[StateY], s[StateZ] = feet.X, feet.Y, feet.Z
	s[StateEye] = p.Eye().Y - hero.Position.Y
	s[StateVX], s[StateVY], s[StateVZ] = hero.Velocity.X, hero.Velocity.Y, hero.Velocity.Z
	s[StateYaw], s[StatePitch] = hero.Yaw, hero.Pitch
	s[StateMode] = float64(hero.Mode)
	s[StateCrouched] = number(hero.Crouched)
	s[StateDead] = number(hero.Dead)
	s[StateHealth] = float64(p.Status.Health)
	s[StateAmmo] = float64(hero.Ammo.Rounds)
	s[StateMagazine] = float64(core.told.magazine)
	s[StateReload] = hero.Ammo.Reload.Seconds()
	s[StateRespawn] = 0
	if hero.Dead {
		s[StateRespawn] = max(core.told.respawn-local, 0).Seconds()
	}
	score := &p.Scores[p.ID()]
	s[StateKills], s[StateDeaths] = float64(score.Kills), float64(score.Deaths)
}

func drawNet(p *arena.Player, local clock.Micros) {
	s, net := &stateBlock, p.Stats()
	s[StateRTT], s[StateJitter] = net.RTT.Seconds(), net.Jitter.Seconds()
	s[StateLoss] = net.Loss
	s[StateBytesUp], s[StateBytesDown] = float64(net.Out.Bytes), float64(net.In.Bytes)
	s[StateTick] = float64(net.Tick)
	s[StateViewDelay] = net.ViewDelay.Seconds()
	s[StateServerTime] = p.Now(local).Seconds()
	s[StateBad] = float64(net.Bad)
	s[StateConfirmed], s[StateContradicted] = float64(net.Confirmed), float64(net.Contradicted)
	s[StateDrops] = float64(outboxBlock.dropped + eventBlock.dropped)
	s[StateCorrections] = float64(net.Moves.Corrections)
	s[StateCorrection] = net.Moves.Farthest
	s[StatePending] = float64(net.Moves.Made - net.Moves.Acked - net.Moves.Dropped)
}

func drawRemotes(p *arena.Player) {
	s, count := &stateBlock, 0
	eye := p.Eye()
	for _, r := range p.Remotes() {
		if count == MaxRemotes {
			break
		}
		at := RemoteBase + count*RemoteStride
		count++
		s[at+RemoteID] = float64(r.ID)
		s[at+RemoteX], s[at+RemoteY], s[at+RemoteZ] = r.Position.X, r.Position.Y, r.Position.Z
		s[at+RemoteVX], s[at+RemoteVY], s[at+RemoteVZ] = r.Velocity.X, r.Velocity.Y, r.Velocity.Z
		s[at+RemoteYaw], s[at+RemotePitch] = r.Yaw, r.Pitch
		s[at+RemoteMode] = float64(r.Mode)
		s[at+RemoteCrouched] = number(r.Crouched)
		s[at+RemoteDead] = number(r.Dead)
		s[at+RemoteDistance] = r.Position.Dist(eye)
		s[at+RemoteLife] = float64(r.Life)
		if int(r.ID) < len(p.Scores) {
			score := &p.Scores[r.ID]
			s[at+RemoteKills], s[at+RemoteDeaths] = float64(score.Kills), float64(score.Deaths)
		}
	}
	s[StateRemotes] = float64(count)
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// near reports whether a drawn player stands within a metre of a point, so that a
// shot which ended there looks like one that hit.
func near(p *arena.Player, point geom.Vec3) bool {
	for _, r := range p.Remotes() {
		d := point.Sub(r.Position)
		if math.Abs(d.X) < 0.7 && math.Abs(d.Z) < 0.7 && d.Y > -0.2 && d.Y < 2 {
			return true
		}
	}
	return false
}
