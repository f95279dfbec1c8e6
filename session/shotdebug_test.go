package session_test

import (
	"slices"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// The issue (F6): for each of the last 32 shots the server answers a request with the samples by which
// it judged: bit for bit those that the shooter's screen had. [HIS-11, GAP-44]
func TestShotDebugIsWhatTheScreenShowed(t *testing.T) {
	for _, weapon := range []uint8{armRifle, armShotgun, armSword} {
		r := skirmish(t, session.ServerConfig{}, 3, weapon)
		for i, g := range r.clients {
			s, _ := r.m.State(g.ID())
			s.Pos, s.Vel = geom.V(float64(i)*.8-.4, 0, -1.5*float64(min(i, 1))), geom.Vec3{}
			r.m.SetState(g.ID(), s)
		}
		r.run(30)
		r.fate = weather(uint64(weapon))
		a, b := r.clients[0], r.clients[1]
		b.input = strafing(12)
		drawn := map[uint32][]track.Entity{}
		eyes := map[uint32]geom.Vec3{}
		a.input = func(g *testClient) toyCommand {
			if c, ok := g.LastShot(); ok {
				drawn[c.Number], eyes[c.Number] = slices.Clone(c.Targets), c.Eye
			}
			return g.claims(hold(0, 0), geom.V(0, 1.2, -1.5))
		}
		r.run(300)
		a.input, r.fate = func(*testClient) toyCommand { return hold(0, 0) }, nil
		r.run(30)
		var shots []uint32
		judged := a.of(session.ShotJudged)
		for _, e := range judged[max(len(judged)-32, 0):] {
			if e.Receipt.Verdict != shot.Refused {
				shots = append(shots, e.Receipt.Shot)
			}
		}
		for _, number := range shots {
			a.RequestShotDebug(number)
		}
		r.run(10)
		list := a.of(session.ShotDebugged)
		if len(list) != len(shots) || len(shots) < 5 {
			t.Fatalf("weapon %d: %d answers on %d shots", weapon, len(list), len(shots))
		}
		tested := 0
		for i, e := range list {
			v := e.ShotDebug
			if v.Shot != shots[i] || !v.Known || v.Eye != eyes[v.Shot] || v.Receipt.Shot != v.Shot {
				t.Fatalf("weapon %d: shot %d: %+v", weapon, shots[i], v)
			}
			for _, s := range v.Targets {
				tested++
				if k := slices.IndexFunc(drawn[v.Shot], func(d track.Entity) bool { return d.ID == s.ID }); k < 0 || drawn[v.Shot][k] != s {
					t.Errorf("weapon %d: shot %d: tested %+v\ndrawn %+v", weapon, v.Shot, s, drawn[v.Shot])
				}
			}
		}
		if tested < len(shots) {
			t.Errorf("weapon %d: %d samples in the evidence of %d shots", weapon, tested, len(shots))
		}
	}
}

// A player that asks too often gets no answer; one that asks about an unknown shot gets an answer that says so. [HIS-11]
func TestShotDebugRequestsAreBounded(t *testing.T) {
	r := skirmish(t, session.ServerConfig{}, 2, armRifle)
	a := r.clients[0]
	a.RequestShotDebug(77)
	r.run(10)
	if list := a.of(session.ShotDebugged); len(list) != 1 || list[0].ShotDebug.Known || list[0].ShotDebug.Shot != 77 {
		t.Fatalf("got %+v", list)
	}
	r.run(60)
	for range 200 {
		a.RequestShotDebug(78)
	}
	r.run(10)
	if n := a.count(session.ShotDebugged) - 1; n != 40 {
		t.Errorf("%d of 200 answered at once, want 40", n)
	}
	r.run(120)
	a.events = nil
	for range 200 {
		a.RequestShotDebug(78)
	}
	if r.run(10); a.count(session.ShotDebugged) < 18 || a.count(session.ShotDebugged) > 24 {
		t.Errorf("two seconds later %d, want 20 or so", a.count(session.ShotDebugged))
	}
	if r.m.takeEvents() != "" || a.Phase() != session.Playing {
		t.Error("a client that asks too often was kicked")
	}
}

// Of shots beyond the last 32 nothing is remembered.
func TestShotDebugIsForgotten(t *testing.T) {
	r := skirmish(t, session.ServerConfig{}, 2, armRifle)
	a := r.clients[0]
	a.input = func(g *testClient) toyCommand { return g.claims(hold(0, 0), geom.V(0, 1, -50)) }
	r.run(300)
	a.input = nil
	r.run(30)
	list := a.of(session.ShotJudged)
	if len(list) < 40 {
		t.Fatalf("%d shots", len(list))
	}
	a.RequestShotDebug(list[len(list)-33].Receipt.Shot)
	a.RequestShotDebug(list[len(list)-32].Receipt.Shot)
	r.run(10)
	if e := a.of(session.ShotDebugged); len(e) != 2 || e[0].ShotDebug.Known || !e[1].ShotDebug.Known {
		t.Errorf("got %+v", e)
	}
}

// A projectile's evidence is of where it ended. [HIS-11, GAP-45]
func TestShotDebugOfARocket(t *testing.T) {
	r := skirmish(t, session.ServerConfig{}, 2, armRocket)
	r.spots()
	a := r.clients[0]
	fired := false
	a.input = func(g *testClient) toyCommand {
		if s := g.other(2); s != nil && !fired {
			fired = true
			return g.claims(hold(0, 0), s.Position.Add(geom.V(0, 1, 0)))
		}
		return hold(0, 0)
	}
	r.run(90)
	burst := a.of(session.Detonated)
	if len(burst) != 1 {
		t.Fatalf("%d bursts", len(burst))
	}
	a.RequestShotDebug(burst[0].Receipt.Shot)
	r.run(10)
	e := a.of(session.ShotDebugged)
	if len(e) != 1 || !e[0].ShotDebug.Known || e[0].ShotDebug.Receipt.Verdict != shot.Hit || len(e[0].ShotDebug.Targets) != 1 ||
		e[0].ShotDebug.Eye.Dist(burst[0].To) > .01 {
		t.Errorf("got %+v", e)
	}
	if at := e[0].ShotDebug.Targets[0].At; at > e[0].ShotDebug.Platform || at < e[0].ShotDebug.Platform-300*clock.Millisecond {
		t.Errorf("tested as of %d, at %d", at, e[0].ShotDebug.Platform)
	}
}
