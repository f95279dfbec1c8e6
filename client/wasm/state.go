package main

import (
	"math"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// drawState writes the state block: everything the page draws this frame.
func drawState(p *arena.Player, local clock.Micros) {
	s := &stateBlock
	s[StatePhase] = phase(p.Phase())
	s[StateSelf] = float64(p.ID())
	if hero := p.Self(); hero != nil {
		drawSelf(p, hero, local)
	}
	drawNetwork(p, local)
	drawRemotes(p)
	drawFigures(p, local)
	drawBodies(p.World())
	drawEntities(p)
	drawRemoteDebugs(p, local)
	drawShotRecord(p)
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
	s[StateCrouched] = boolNumber(hero.Crouched)
	s[StateDead] = boolNumber(hero.Dead)
	s[StateHealth] = float64(p.Status.Health)
	s[StateAmmo] = float64(hero.InHand().Rounds)
	drawLoadout(p, hero)
	s[StateReload] = hero.InHand().Reload.Seconds()
	s[StateRespawn] = 0
	if hero.Dead {
		s[StateRespawn] = max(core.events.respawn-local, 0).Seconds()
	}
	drawAbilities(p, hero)
	score := &p.Scores[p.ID()]
	s[StateKills], s[StateDeaths] = float64(score.Kills), float64(score.Deaths)
}

// drawLoadout writes the character's weapons.
func drawLoadout(p *arena.Player, hero *arena.Hero) {
	s, weapons := &stateBlock, p.Game().Weapons()
	if len(weapons) == 0 {
		return
	}
	held := min(int(hero.Loadout.Held), len(weapons)-1)
	s[StateWeapon] = float64(held)
	s[StateMagazine] = float64(weapons[held].Magazine)
	s[StateDraw], s[StateSwing] = hero.Loadout.Draw.Seconds(), hero.Loadout.Swing.Seconds()
	s[StateCooldown] = max(hero.InHand().Cooldown, 0).Seconds()
	s[StateShielded], s[StateAiming] = boolNumber(hero.Shielded), boolNumber(hero.Aiming)
	s[StateArmour] = float64(p.Status.Armour)
	for i := range hero.Loadout.Ammo {
		s[RoundsBase+i] = float64(hero.Loadout.Ammo[i].Rounds)
	}
}

// drawAbilities writes the state of the character's abilities.
func drawAbilities(p *arena.Player, hero *arena.Hero) {
	s := &stateBlock
	s[StateSpectating] = boolNumber(hero.Spectating)
	s[StateBaseTurn] = p.Turned
	s[StateDashCooldown], s[StateHookCooldown] = hero.DashCooldown.Seconds(), hero.Hook.Cooldown.Seconds()
	s[StateHook] = boolNumber(hero.Mode == arena.Grappling)
	at := hero.Hook.At(p.World())
	s[StateHookX], s[StateHookY], s[StateHookZ] = at.X, at.Y, at.Z
	s[StateOnMovingBase] = boolNumber(hero.Base.Body != collide.Static)
}

// drawBodies writes the poses of the level's moving bodies in this view.
func drawBodies(w *collide.WorldAt) {
	s := &stateBlock
	s[StateBodies] = 0
	if w.World == nil {
		return
	}
	count := min(len(w.World.Bodies()), MaxBodies)
	for i := range count {
		pose, at := w.Pose(collide.BodyID(i+1)), BodyBase+i*BodyStride
		s[at+BodyX], s[at+BodyY], s[at+BodyZ] = pose.Translation.X, pose.Translation.Y, pose.Translation.Z
		s[at+BodyQX], s[at+BodyQY], s[at+BodyQZ], s[at+BodyQW] = pose.Rotation.X, pose.Rotation.Y, pose.Rotation.Z, pose.Rotation.W
	}
	s[StateBodies] = float64(count)
}

// hookPoints are the anchors of the remotes' hooks, estimated from the direction in which
// they looked when they threw them. Zero without a hook.
var hookPoints [session.MaxPlayers + 1]geom.Vec3

// drawHook writes the hook of a remote.
func drawHook(p *arena.Player, r *track.Entity, at int) {
	s, k := &stateBlock, &hookPoints[int(r.ID)%len(hookPoints)]
	hangs := r.Mode == uint8(arena.Grappling) && !r.Dead
	switch {
	case !hangs:
		*k = geom.Vec3{}
	case k.IsZero():
		eye := r.Position.MulAdd(geom.Up, remoteEyeHeight)
		look := geom.Look(r.Yaw, r.Pitch)
		*k = eye.MulAdd(look, p.Reach(eye, look, arena.HookReach))
	}
	s[at+RemoteHook] = boolNumber(hangs)
	s[at+RemoteHookX], s[at+RemoteHookY], s[at+RemoteHookZ] = k.X, k.Y, k.Z
}

// remoteEyeHeight is the eye height of remotes, in metres above the feet.
const remoteEyeHeight = 1.52

func drawNetwork(p *arena.Player, local clock.Micros) {
	s, net := &stateBlock, p.Stats()
	s[StateRTT], s[StateJitter] = net.RTT.Seconds(), net.Jitter.Seconds()
	s[StateLoss] = net.LossDown
	s[StateBytesUp], s[StateBytesDown] = float64(net.Out.Bytes), float64(net.In.Bytes)
	s[StateTick] = float64(net.Tick)
	s[StateViewDelay] = net.ViewDelay.Seconds()
	s[StateServerTime] = p.Now(local).Seconds()
	s[StateMalformed] = float64(net.Bad)
	s[StateConfirmed], s[StateContradicted] = float64(net.Confirmed), float64(net.Contradicted)
	s[StateDrops] = float64(outboxBlock.dropped + eventBlock.dropped)
	s[StateCorrections] = float64(net.Moves.Corrections)
	s[StateCorrection] = net.Moves.MaxDistance
	s[StatePending] = float64(net.Moves.Made - net.Moves.Acked - net.Moves.Dropped)
	drawLinkQuality(&net)
	s[StateHighPing] = 0
	if p.Ping.Shown() {
		s[StateHighPing] = net.RTT.Seconds()
	}
	s[StateInputDelay] = core.delay.Seconds()
}

// drawLinkQuality writes the measurements of the link, and of the moves sent over it.
func drawLinkQuality(net *session.Stats) {
	s, moves := &stateBlock, &net.Moves
	s[StateDelayUp], s[StateDelayDown], s[StateClockUncertainty] = net.Up.Seconds(), net.Down.Seconds(), net.ClockUncertainty.Seconds()
	s[StateLossUp] = net.LossUp
	s[StateQuality], s[StateDrift] = float64(net.Quality), net.Drift
	s[StateDatagramsUp], s[StateDatagramsDown] = float64(net.Out.Datagrams), float64(net.In.Datagrams)
	s[StateMoves], s[StateCombined] = float64(moves.Made), float64(moves.Combined)
	s[StateSent], s[StateResent] = float64(moves.Sent), float64(moves.Resent)
	s[CauseBase+CauseMisprediction], s[CauseBase+CauseServerForce] = float64(moves.Corrections), float64(moves.ServerForces)
	s[CauseBase+CauseTeleport], s[CauseBase+CauseTimeout] = float64(moves.Teleports), float64(moves.Timeouts)
	s[CauseBase+CauseThrottle] = float64(moves.Throttles)
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
		s[at+RemoteCrouched] = boolNumber(r.Crouched)
		s[at+RemoteDead] = boolNumber(r.Dead)
		s[at+RemoteDistance] = r.Position.Dist(eye)
		s[at+RemoteLife] = float64(r.Life)
		drawHook(p, &r, at)
		if int(r.ID) < len(p.Scores) {
			score := &p.Scores[r.ID]
			s[at+RemoteKills], s[at+RemoteDeaths] = float64(score.Kills), float64(score.Deaths)
		}
	}
	s[StateRemotes] = float64(count)
}

func boolNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// nearPlayer reports whether a drawn player is within a metre of a point, so that a shot
// that ended there looks like a hit.
func nearPlayer(p *arena.Player, point geom.Vec3) bool {
	for _, r := range p.Remotes() {
		d := point.Sub(r.Position)
		if math.Abs(d.X) < 0.7 && math.Abs(d.Z) < 0.7 && d.Y > -0.2 && d.Y < 2 {
			return true
		}
	}
	return false
}
