package lab

import (
	"math"
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// shooter is a client that shows the end of its projectiles.
type shooter struct {
	Client
	events []session.Event
}

func (s *shooter) FrameEvents() []session.Event { return s.events }

// ticking is a server that is asked for its tick rate only.
type ticking struct {
	Server
	rate int
}

func (t ticking) TickRate() int { return t.rate }

// duel returns the measurements of a match of ann, who has a rifle and a rocket, and bob.
func duel() (*measure, *shooter) {
	ann := &shooter{}
	e := &Experiment{
		Server: ticking{rate: 60}, Weapons: []shot.Weapon{{Name: "rifle", Range: 50}, {Name: "rocket", Kind: shot.Projectile}, {Name: "sword", Kind: shot.Melee, Range: 2}},
		Players: []Player{{Name: "ann", Client: ann}, {Name: "bob", Client: &shooter{}}},
	}
	m := newMeasure(e)
	m.zero, m.now = clock.Second, 3*clock.Second
	return m, ann
}

// fired is a shot of ann with a number, as her client drew it: bob 10 m ahead.
func fired(number uint32, weapon uint8, saw rewind.Outcome) *combat.ClientShot {
	c := &combat.ClientShot{Number: number, Claim: shot.Claim{Fire: true, Weapon: weapon}, Eye: geom.V(0, 1.5, 0), Outcome: saw}
	c.Targets = []track.Entity{{ID: 2, Sample: track.Sample{Pose: track.Pose{Position: geom.V(0, 0, -10)}}}, {ID: 3, Sample: track.Sample{Pose: track.Pose{Position: geom.V(30, 0, -10)}}}}
	c.Outcomes = []rewind.Outcome{saw}
	return c
}

// verdictOn is the server's verdict on a shot of ann.
func verdictOn(number uint32, verdict shot.Verdict, o rewind.Outcome) (*shot.Shot, *shot.Receipt) {
	r := &shot.Receipt{Shot: number, Shooter: 1, Verdict: verdict, Outcome: o, ViewRequested: 2 * clock.Second, ViewGranted: 2500 * clock.Millisecond}
	return &shot.Shot{Shooter: 1, Number: number, Eye: geom.V(0, 1.5, 0)}, r
}

// A rifle's claim is compared with its verdict: what both saw, the poses near the line, the words of
// the receipt.
func TestAVerdictOnARifle(t *testing.T) {
	m, _ := duel()
	head := bob
	head.HitGroup, head.Distance = rig.Head, 9.8
	m.claimed(0, 2900*clock.Millisecond, fired(7, 0, head))
	s, r := verdictOn(7, shot.Hit, head)
	m.ObserveShot(s, r, []track.Entity{{ID: 2, Sample: track.Sample{Pose: track.Pose{Position: geom.V(0.25, 0, -10)}}}})
	want := Receipt{T: 2, Shooter: "ann", Weapon: "rifle", ViewTime: 1.5, Target: "bob", Part: "head", Verdict: "hit", Distance: 9.8, Agrees: true}
	got := m.shots.receipts[0]
	if got.Reason = ""; got != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if len(m.shots.list[0].near) != 1 || len(m.shots.poses) == 0 || math.Abs(slices.Max(m.shots.poses)-0.25) > 1e-9 {
		t.Errorf("%d players near the line, pose errors %v; want bob alone, off by 25 cm", len(m.shots.list[0].near), m.shots.poses)
	}
	figures := m.sumShots(map[string]int{})
	if figures.Claimed != 1 || figures.Confirmed != 1 || figures.Agreement != 1 || figures.Kept != 1 || figures.FalseHits != 0 || figures.Weapons["rifle"].Confirmed != 1 {
		t.Errorf("got %+v", figures)
	}
}

// Verdicts on shots that no client is known to have claimed, and those before time zero, do not count.
func TestVerdictsThatDoNotCount(t *testing.T) {
	m, _ := duel()
	s, r := verdictOn(99, shot.Hit, bob)
	m.ObserveShot(s, r, nil)
	m.claimed(0, 0, fired(7, 0, bob))
	m.zero = -1
	s, r = verdictOn(7, shot.Hit, bob)
	m.ObserveShot(s, r, nil)
	if len(m.shots.receipts) != 0 || m.shots.list[0].judged {
		t.Errorf("%d receipts", len(m.shots.receipts))
	}
}

// A refusal has the requested view and no target, and counts where the screen showed a hit.
func TestARefusalOnARifle(t *testing.T) {
	m, _ := duel()
	m.claimed(0, 2900*clock.Millisecond, fired(7, 0, bob))
	s, r := verdictOn(7, shot.Refused, rewind.Outcome{})
	r.Reason = shot.UnknownWeapon
	m.ObserveShot(s, r, nil)
	got := m.shots.receipts[0]
	if got.Verdict != "refused" || got.Reason != shot.UnknownWeapon.String() || got.Target != "" || got.ViewTime != 1 || got.Agrees {
		t.Errorf("got %+v", got)
	}
	if f := m.sumShots(map[string]int{}); f.Refused != 1 || f.Agreement != 0 || f.Kept != 0 {
		t.Errorf("got %+v", f)
	}
}

// A rocket is judged twice: at its launch and at its end, and agrees when it has ended on the screen
// too, whichever comes first.
func TestBothEndsOfARocket(t *testing.T) {
	end := bob
	end.Point = geom.V(0, 1, -10)
	shown := session.Event{Kind: session.Detonated, Player: 1, Receipt: shot.Receipt{Shot: 7, Shooter: 1, Verdict: shot.Hit, Outcome: end}}
	for _, first := range []string{"screen", "server"} {
		m, ann := duel()
		m.claimed(0, 2*clock.Second, fired(7, 1, rewind.Outcome{}))
		s, r := verdictOn(7, shot.Launched, rewind.Outcome{})
		m.ObserveShot(s, r, nil)
		if !m.late(&m.shots.list[0]) {
			t.Errorf("%s first: a rocket that was just launched is decided", first)
		}
		screen := func() {
			others := shown
			others.Player = 2
			again := shown
			again.Corrected = true
			ann.events = []session.Event{others, again, shown, {Kind: session.Welcomed}}
			m.noteFlights(0)
		}
		if first == "screen" {
			screen()
		}
		s, r = verdictOn(7, shot.Hit, end)
		m.ObserveShot(s, r, nil)
		if first == "server" {
			screen()
		}
		if c := &m.shots.list[0]; !c.agrees || !c.kept || c.falseHit || m.late(c) || len(m.shots.receipts) != 2 || !m.shots.receipts[1].Agrees {
			t.Errorf("%s first: got %+v with %d receipts", first, c, len(m.shots.receipts))
		}
	}
}

// Weapons that the game's table does not have go by their number, as rays of 100 m.
func TestUnknownWeapons(t *testing.T) {
	m, _ := duel()
	for weapon, want := range map[uint8]struct {
		name  string
		kind  shot.Kind
		reach float64
	}{0: {"rifle", shot.Hitscan, 50}, 1: {"rocket", shot.Projectile, 0}, 2: {"sword", shot.Melee, 2}, 9: {"9", shot.Hitscan, 100}} {
		if name, kind, reach := m.weapon(weapon), m.kind(weapon), m.reach(weapon); name != want.name || kind != want.kind || reach != want.reach {
			t.Errorf("weapon %d: got %s, %v, %v m; want %+v", weapon, name, kind, reach, want)
		}
	}
	for id, want := range map[session.PlayerID]string{0: "", 1: "ann", 2: "bob", 3: "", 200: ""} {
		if got := m.name(id); got != want {
			t.Errorf("player %d: got %q, want %q", id, got, want)
		}
	}
}

// Names of parts in scenarios have their side at the end, names of hitboxes in front.
func TestSidesOfParts(t *testing.T) {
	for name, want := range map[string]string{
		"hand_l": "left_hand", "foot_r": "right_foot", "lower_arm_l": "left_forearm", "upper_arm_r": "right_upper_arm",
		"head": "head", "chest": "chest", "_l": "_l", "l": "l", "": "", "hand_x": "hand_x",
	} {
		if got := sided(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	at := track.Sample{Pose: track.Pose{Position: geom.V(1, 2, 3)}}
	if got := eyeOf(&at, nil); got != at.Position {
		t.Errorf("the eye of a character without hitboxes is at %v, want its position", got)
	}
}

// A teleport is no correction; a correction is an event with its distance, and the largest counts.
func TestCorrectionsAndTeleports(t *testing.T) {
	c := &corrects{}
	m := &measure{zero: clock.Second, players: []playerRecord{{client: c, series: newPlayerSeries()}}}
	p := &m.players[0]
	for i, step := range []struct {
		cause predict.Cause
		far   float64
		count predict.OwnerCounters
	}{
		{predict.Misprediction, 0.25, predict.OwnerCounters{Corrections: 1}},
		{predict.Teleport, 30, predict.OwnerCounters{Corrections: 1, Teleports: 1}},
		{predict.ServerForce, 0.1, predict.OwnerCounters{Corrections: 1, Teleports: 1, ServerForces: 1}},
		{predict.ServerForce, 0.1, predict.OwnerCounters{Corrections: 1, Teleports: 1, ServerForces: 1}}, // none since
	} {
		c.last, c.count = predict.Correction{Number: uint32(i + 1), Distance: step.far, Cause: step.cause}, step.count
		m.corrected(0, clock.Micros(i+2)*clock.Second)
	}
	want := []Event{{T: 1, Kind: "corrected", Distance: 0.25}, {T: 3, Kind: "corrected", Distance: 0.1}}
	if !slices.Equal(p.events, want) || p.maxCorrection != 0.25 {
		t.Errorf("got %+v, at most %v; want %+v", p.events, p.maxCorrection, want)
	}
	if got, want := p.series.Corrections, []CorrectionSample{{1, 0.25, false}, {2, 30, true}, {3, 0.1, false}}; !slices.Equal(got, want) {
		t.Errorf("series: got %+v, want %+v", got, want)
	}
}

// Datagrams count in both directions, and with their sizes in the series.
func TestDatagramsAreCounted(t *testing.T) {
	m := &measure{zero: clock.Second, players: []playerRecord{{series: newPlayerSeries()}, {}}}
	for i := range m.players {
		m.sent(i, 1500*clock.Millisecond, 40)
		m.sent(i, 2*clock.Second, 60)
		m.received(i, 2*clock.Second, 500)
		if p := &m.players[i]; p.up != 100 || p.packets != 2 || p.down != 500 {
			t.Errorf("player %d: %d bytes in %d packets up, %d down", i, p.up, p.packets, p.down)
		}
	}
	s := m.players[0].series
	if !slices.Equal(s.Up, []PacketSample{{0.5, 40}, {1, 60}}) || !slices.Equal(s.Down, []PacketSample{{1, 500}}) {
		t.Errorf("series: up %v, down %v", s.Up, s.Down)
	}
}
