package main

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// partner is another player, in the match of the page's own.
type partner struct {
	player *arena.Player
	in     arena.Input
	turns  float64 // radians a second
}

// join adds a second player to the page's match and waits until both play.
func (p *page) join() *partner {
	p.t.Helper()
	p.other = &partner{player: arena.NewPlayer(session.ClientConfig{})}
	p.other.player.Hello("Bob", session.Key{})
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	if p.other.player.Phase() != session.Playing || stateBlock[StatePhase] != PhasePlaying {
		p.t.Fatalf("after 2 s: phases %v and %v, want both playing", p.other.player.Phase(), stateBlock[StatePhase])
	}
	return p.other
}

// otherPeer is the partner's.
const otherPeer = 9

// play is a frame of the partner's.
func (o *partner) play(p *page) {
	for _, e := range o.player.Notices {
		if e.Kind == session.Welcomed {
			o.player.Enter(core.world)
		}
	}
	o.in.Yaw += o.turns / 60
	o.player.Play(p.now, o.in)
	for _, packet := range o.player.Outgoing() {
		if err := p.match.Receive(otherPeer, packet.Channel, p.now, packet.Bytes); err != nil {
			p.t.Fatalf("the server refuses the other's packet: %v", err)
		}
	}
}

// aim has the page look at the other's belly as it is drawn.
func (p *page) aim() {
	p.t.Helper()
	if stateBlock[StateRemotes] != 1 {
		p.t.Fatalf("%v others, want one", stateBlock[StateRemotes])
	}
	at := geom.V(stateBlock[RemoteBase+RemoteX], stateBlock[RemoteBase+RemoteY]+1.1, stateBlock[RemoteBase+RemoteZ])
	eye := geom.V(stateBlock[StateX], stateBlock[StateY]+stateBlock[StateEye], stateBlock[StateZ])
	inputBlock[InputYaw], inputBlock[InputPitch] = arena.Aim(eye, at)
}

func TestAFigureStandsWhereItsPlayerIsDrawn(t *testing.T) {
	still(t)
	p := newPage(t)
	o := p.join()
	o.in.Forward, o.turns = 1, 2
	p.run(clock.Second)
	if stateBlock[StateFigures] != 1 || stateBlock[StateBones] != 19 {
		t.Fatalf("%v figures of %v bones, want 1 of 19", stateBlock[StateFigures], stateBlock[StateBones])
	}
	s := stateBlock[FigureFirst:]
	if got := s[FigureID]; got != float64(o.player.ID()) {
		t.Errorf("figure of player %v, want %v", got, o.player.ID())
	}
	feet := geom.V(stateBlock[RemoteBase+RemoteX], stateBlock[RemoteBase+RemoteY], stateBlock[RemoteBase+RemoteZ])
	for i := range 19 {
		b := s[FigureBones+i*BoneStride:]
		place := geom.V(b[BoneX], b[BoneY], b[BoneZ])
		if d := place.Sub(feet); d.Y < -0.1 || d.Y > 1.8 || math.Hypot(d.X, d.Z) > 0.9 {
			t.Errorf("bone %d at %v from the feet, want within a body", i, d)
		}
		turn := geom.Quat{X: b[BoneQX], Y: b[BoneQY], Z: b[BoneQZ], W: b[BoneQW]}
		if n := turn.X*turn.X + turn.Y*turn.Y + turn.Z*turn.Z + turn.W*turn.W; math.Abs(n-1) > 1e-9 {
			t.Errorf("bone %d is turned by a quaternion of length² %v, want 1", i, n)
		}
	}
}

func TestARecordedSampleIsPosedLikeTheOneThatWasDrawn(t *testing.T) {
	still(t)
	p := newPage(t)
	o := p.join()
	o.in.Forward, o.in.Shield = 1, true
	p.run(clock.Second)
	var drawn [FigureStride]float64
	copy(drawn[:], stateBlock[FigureFirst:])
	e := core.player.Remotes()[0]
	r := poseBlock[:PoseStride]
	r[PoseID], r[PoseUserData] = float64(e.ID), float64(e.UserData)
	r[PoseX], r[PoseY], r[PoseZ] = e.Position.X, e.Position.Y, e.Position.Z
	r[PoseVX], r[PoseVY], r[PoseVZ] = e.Velocity.X, e.Velocity.Y, e.Velocity.Z
	r[PoseYaw], r[PosePitch], r[PoseStrideDistance] = e.Yaw, e.Pitch, e.StrideDistance
	r[PoseCrouch], r[PoseAir], r[PoseSwim] = e.Stance.Crouch, e.Stance.Air, e.Stance.Swim
	pose(1)
	if stateBlock[StateFigures] != 1 {
		t.Fatalf("%v figures, want 1", stateBlock[StateFigures])
	}
	for i := range FigureBones + 19*BoneStride {
		if got := stateBlock[FigureFirst+i]; got != drawn[i] {
			t.Errorf("figure, at %d: got %v, want %v", i, got, drawn[i])
		}
	}
}

func TestInvalidPoseRecordsAreHarmless(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1, 1e6} {
		for i := range poseBlock {
			poseBlock[i] = x
		}
		for _, n := range []int32{-1, 1, MaxFigures, 1 << 30} {
			pose(n)
			for i := range int(stateBlock[StateFigures]) * FigureStride {
				if v := stateBlock[FigureFirst+i]; v != v {
					t.Fatalf("records of %v: a figure has no number at %d", x, i)
				}
			}
		}
	}
	poseBlock = [PoseLength]float64{}
}

func TestAShotIsShownAsItWasSeenAndAsItWasJudged(t *testing.T) { // lag-compensation.md: what is drawn is what is hit
	still(t)
	p := newPage(t)
	o := p.join()
	debugShots(1)
	defer debugShots(0)
	if stateBlock[ShotDebugCount] != 0 {
		t.Errorf("%v shots before the first", stateBlock[ShotDebugCount])
	}
	o.in.Right, o.turns = 1, 1
	p.run(clock.Second)
	p.aim()
	inputBlock[InputButtons] = ButtonFire
	p.run(clock.Second / 60)
	inputBlock[InputButtons] = 0
	p.run(clock.Second)
	s := &stateBlock
	if s[ShotDebugCount] != 1 || s[ShotDebugVerdict] != float64(shot.Hit) || s[ShotDebugTarget] != float64(o.player.ID()) || s[ShotDebugDamage] < 20 {
		t.Fatalf("%v shots, verdict %v, target %v, damage %v; want one that hits %v", s[ShotDebugCount], s[ShotDebugVerdict], s[ShotDebugTarget],
			s[ShotDebugDamage], o.player.ID())
	}
	if s[ShotDebugKnown] != 1 || s[ShotDebugVolumeError] != 0 || s[ShotDebugVolumes] != 38 || s[ShotDebugAgrees] != 1 {
		t.Errorf("known %v, %v m apart, %v volumes, agrees %v; want the same 19 on both sides", s[ShotDebugKnown], s[ShotDebugVolumeError],
			s[ShotDebugVolumes], s[ShotDebugAgrees])
	}
	if s[ShotDebugViewRequested] <= 0 || s[ShotDebugViewRequested] != s[ShotDebugViewGranted] || s[ShotDebugFired] < s[ShotDebugViewRequested] {
		t.Errorf("fired at %v into the view of %v, granted %v", s[ShotDebugFired], s[ShotDebugViewRequested], s[ShotDebugViewGranted])
	}
	if got := string(inboxBlock[:reasonText(int32(shot.NotReady))]); got != shot.NotReady.String() {
		t.Errorf("a reason in words: got %q", got)
	}
}

func TestAnOwnRocketIsDrawnUntilItDetonates(t *testing.T) {
	still(t)
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	inputBlock[InputWeapon] = 3
	p.run(clock.Second)
	inputBlock[InputWeapon] = 0
	if s := stateBlock; s[StateWeapon] != 2 || s[StateMagazine] != s[RoundsBase+2] || s[StateDraw] != 0 {
		t.Fatalf("weapon %v, %v rounds of %v, drawn in %v; want the rocket, ready", s[StateWeapon], s[RoundsBase+2], s[StateMagazine], s[StateDraw])
	}
	inputBlock[InputPitch], inputBlock[InputButtons] = 0.1, ButtonFire
	p.run(clock.Second / 60)
	inputBlock[InputButtons] = 0
	p.run(clock.Second / 6)
	if s := stateBlock; s[StateEntities] != 1 || s[EntityBase+EntityKind] != KindRocket || s[EntityBase+EntityPredicted] != 1 ||
		track.ID(s[EntityBase+EntityID]) < ownFlights {
		t.Errorf("%v entities, the first of kind %v, own %v, number %v; want one's own rocket", s[StateEntities], s[EntityBase+EntityKind],
			s[EntityBase+EntityPredicted], s[EntityBase+EntityID])
	}
	p.run(5 * clock.Second)
	if n := len(p.events[EventDetonation]); n != 1 || stateBlock[StateEntities] != 0 {
		t.Errorf("%d detonations and %v entities later, want one and none", n, stateBlock[StateEntities])
	}
}

func TestASwingIsOneShotToLookAt(t *testing.T) {
	still(t)
	p := newPage(t)
	p.hello("Ann", "", "floor")
	p.run(2 * clock.Second)
	debugShots(1)
	defer debugShots(0)
	inputBlock[InputWeapon] = 5
	p.run(clock.Second)
	inputBlock[InputWeapon] = 0
	for range 2 {
		inputBlock[InputButtons] = ButtonFire
		p.run(clock.Second / 60)
		inputBlock[InputButtons] = 0
		p.run(3 * clock.Second)
	}
	if s := &stateBlock; s[ShotDebugCount] != 2 || s[ShotDebugVerdict] != float64(shot.Miss) || s[ShotDebugKnown] != 2 || s[ShotDebugLines] < 16 {
		t.Errorf("two swings at nothing: %v shots, verdict %v, known %v, %v lines; want 2, missed, not known, an arc", s[ShotDebugCount],
			s[ShotDebugVerdict], s[ShotDebugKnown], s[ShotDebugLines])
	}
	say(t, "BracketLeft", 1)
	p.run(clock.Second / 60)
	if got := stateBlock[ShotDebugSelected]; got != 1 {
		t.Errorf("after [: shot %v is chosen, want the older", got)
	}
}
