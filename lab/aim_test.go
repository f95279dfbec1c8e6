package lab

import (
	"math"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Parts go by the names of hitboxes, with their side in front or behind, and by hit groups; what a
// figure does not have is its body.
func TestPartsByName(t *testing.T) {
	list := []hitbox{
		{name: "pelvis", group: rig.Body}, {name: "chest", group: rig.Body}, {name: "head", group: rig.Head},
		{name: "left_forearm", group: rig.Arm}, {name: "right_forearm", group: rig.Arm}, {name: "left_thigh", group: rig.Leg},
	}
	for name, want := range map[string]string{
		"body": "chest", "chest": "chest", "head": "head", "lower_arm_r": "right_forearm", "thigh_l": "left_thigh",
		"arm": "left_forearm", "leg": "left_thigh", "shield": "pelvis", "foot_l": "pelvis",
	} {
		if got := partOf(list, name); got.name != want {
			t.Errorf("%s: got %s, want %s", name, got.name, want)
		}
	}
	if partOf(nil, "head") != nil {
		t.Error("nothing has a head")
	}
	m := newPoser(nil)
	at := track.Sample{Pose: track.Pose{Position: geom.V(3, 1, 0), Yaw: 1}}
	if got := partOf(m.pose(&at, nil), "head").middle(); got.Dist(geom.V(3, 2.6, 0)) > 1e-9 {
		t.Errorf("the plain head is at %v, want 1.6 m above the feet", got)
	}
}

// A projectile aimed with lead hits a player that moves on as drawn, in every flight timeline, with
// and without gravity.
func TestLead(t *testing.T) {
	eye, at := geom.V(0, 1.5, 0), geom.V(-4, 1, -12)
	s := &track.Sample{Pose: track.Pose{Velocity: geom.V(6, 0, 1)}}
	const lag = 200 * clock.Millisecond
	for _, gravity := range []float64{0, 9.8} {
		for _, timeline := range []shot.FlightTimeline{shot.TimelineShooter, shot.TimelineFade, shot.TimelinePresent} {
			w := &shot.Weapon{Kind: shot.Projectile, Flight: shot.Ballistics{Speed: 25, Gravity: gravity}, LagCompensation: shot.LagCompensation{Flight: timeline}}
			yaw, pitch := anglesTo(eye, lead(w, eye, at, s, lag))
			nearest := math.Inf(1)
			for ms := range 3000 {
				age := float64(ms) / 1000
				p := eye.MulAdd(geom.Look(yaw, pitch), 25*age)
				p.Y -= gravity * age * age / 2
				target := at.MulAdd(s.Velocity, age+behind(timeline, age, lag.Seconds()))
				nearest = min(nearest, p.Dist(target))
			}
			if nearest > 0.25 {
				t.Errorf("timeline %d, gravity %v: passes at %.2f m", timeline, gravity, nearest)
			}
		}
	}
}

// A player that ran behind a wall has been out of sight since the last tick at which nothing was
// between an eye and one of its hitboxes.
func TestHidden(t *testing.T) {
	var b collide.Builder
	b.Box(geom.V(1, 2, -5), geom.V(1, 2, 0.1), geom.IdentityQuat, collide.Surface{}) // x 0 … 2
	world, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	c := newCover(&Experiment{World: world, Server: ticking{rate: 100}})
	people := make([]playerRecord, 2)
	for i := range 200 {
		x := float64(i)*0.04 - 6 // behind the wall from a while before it is at 0 on
		people[1].pose = track.Sample{Pose: track.Pose{Position: geom.V(min(x, 1), 0, -10)}}
		c.recordPoses(clock.Micros(i)*10*clock.Millisecond, people)
		hidden := c.hidden(1, 2)
		switch {
		case x < -1 && hidden != 0:
			t.Fatalf("at %.2f m: hidden for %v s, want in sight", x, hidden.Seconds())
		case x > 0.8 && (hidden < 200*clock.Millisecond || hidden > maxHidden):
			t.Fatalf("at %.2f m: hidden for %v s", x, hidden.Seconds())
		}
	}
	for range 300 {
		c.recordPoses(c.past[c.newest].at+10*clock.Millisecond, people)
	}
	if got := c.hidden(1, 2); got != maxHidden {
		t.Errorf("after three seconds: hidden for %v s, want no more than %v", got.Seconds(), maxHidden.Seconds())
	}
	if got := c.hidden(2, 2); got != 0 {
		t.Errorf("a player is hidden from itself for %v s", got.Seconds())
	}
}

// Pellets are counted by target; the order does not matter. [HIT-13]
func TestStruck(t *testing.T) {
	hit := func(id track.ID, group rig.HitGroup) rewind.Outcome {
		return rewind.Outcome{HitTarget: rewind.HitTarget{Kind: rewind.Player, Target: id, Hitbox: 1, HitGroup: group}}
	}
	screen := hitsOfOutcomes([]rewind.Outcome{hit(3, rig.Body), {HitTarget: rewind.HitTarget{Kind: rewind.World}}, hit(2, rig.Head), hit(3, rig.Head)})
	r := &shot.Receipt{Verdict: shot.Hit, EventCount: 2, Outcome: hit(3, rig.Body)}
	r.Events[0], r.Events[1] = shot.DamageEvent{Target: 3, Count: 2, Heads: 1}, shot.DamageEvent{Target: 2, Count: 1, Heads: 1}
	server := hitsOfReceipt(r)
	c := &claim{saw: hit(3, rig.Body), hits: screen, damaged: server}
	if !agrees(c, r) || !includes(screen, server) {
		t.Errorf("screen %v, server %v", screen, server)
	}
	r.Events[1].Heads = 0
	if c.damaged = hitsOfReceipt(r); agrees(c, r) {
		t.Error("a head on the screen and none on the server agree")
	}
	if r.Verdict = shot.Refused; agrees(&claim{projectile: true}, r) {
		t.Error("a projectile that was refused agrees")
	}
}

// Claims of a blade belong to one swing until there is none for a while; a swing that damages another
// player on the server does not agree, however its claims are distributed. [GAP-48]
func TestSwings(t *testing.T) {
	m := &measure{e: &Experiment{Weapons: []shot.Weapon{{Name: "sword", Kind: shot.Melee}}, Players: make([]Player, 1)}, players: make([]playerRecord, 1)}
	m.players[0].newest = 100
	bob, cat := []hitCount{{2, 1, 0}}, []hitCount{{3, 1, 0}}
	for i, c := range []claim{
		{at: 0, hits: bob}, {at: 50 * clock.Millisecond, damaged: bob}, // a frame later there
		{at: 600 * clock.Millisecond, hits: bob, damaged: bob}, {at: 650 * clock.Millisecond, damaged: cat},
		{at: 1200 * clock.Millisecond},
	} {
		c.number, c.melee, c.judged, c.ended = uint32(i+1), true, true, true
		m.shots.list = append(m.shots.list, c)
	}
	var sum tally
	sum.swings(m.swings("sword"))
	if sum.out.Swings != 3 || sum.swingsAgreed != 2 {
		t.Errorf("%d swings, %d agree; want 3 and 2", sum.out.Swings, sum.swingsAgreed)
	}
}
