package swarm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/lab"
	"github.com/backstep-net/backstep/lab/scenario"
	levelfile "github.com/backstep-net/backstep/level"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// tape is a match that notes what it is called with.
type tape struct {
	lab.Match
	calls   []string
	refuses error
	sends   []session.Packet
}

func (m *tape) note(format string, args ...any) {
	m.calls = append(m.calls, fmt.Sprintf(format, args...))
}

func (m *tape) Receive(p session.Peer, _ session.Channel, _ clock.Micros, b []byte) error {
	m.note("receive %d %s", p, b)
	return m.refuses
}
func (m *tape) Outgoing() []session.Packet                   { return m.sends }
func (m *tape) Push(id session.PlayerID, v geom.Vec3)        { m.note("push %d %v", id, v.X) }
func (m *tape) SetMode(id session.PlayerID, s string, p int) { m.note("mode %d %s %d", id, s, p) }
func (m *tape) Disconnect(p session.Peer)                    { m.note("disconnect %d", p) }
func (m *tape) Restart() error                               { m.note("restart"); return m.refuses }
func (m *tape) Restore(id session.PlayerID, packed []byte) error {
	m.note("restore %d %s", id, packed)
	return m.refuses
}
func (m *tape) Move(id session.PlayerID, r *scenario.RootMotion) { m.note("move %d %d", id, r.For) }

// watched returns a match of two players on two tapes.
func watched() (m *match, one, twin *tape) {
	one, twin = &tape{}, &tape{}
	m = &match{Match: one, twin: twin, checks: &Checks{}, players: make([]player, 2), actors: []*actor{{name: "ann"}, {name: "bob"}}}
	m.world = mapBounds{geom.AABB{Min: geom.V(-9, -9, -9), Max: geom.V(9, 9, 9)}}
	return m, one, twin
}

// broke returns the invariant that broke, of which player.
func (m *match) broke() string {
	if m.broken == nil {
		return ""
	}
	return strings.TrimSpace(m.broken.Invariant + " " + m.broken.Player)
}

// What the lab does to a match it does to its twin, in the same order.
func TestTheTwinGetsEverything(t *testing.T) {
	m, one, twin := watched()
	if err := m.Receive(7, session.Datagram, 5, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	m.Push(1, geom.V(3, 0, 0))
	m.SetMode(2, "flying", 1)
	m.Move(2, &scenario.RootMotion{For: 9})
	m.Disconnect(7)
	if err := errors.Join(m.Restore(1, []byte("state")), m.Restart()); err != nil {
		t.Fatal(err)
	}
	want := []string{"receive 7 hello", "push 1 3", "mode 2 flying 1", "move 2 9", "disconnect 7", "restore 1 state", "restart"}
	if !slices.Equal(one.calls, want) || !slices.Equal(twin.calls, want) {
		t.Errorf("the match got %q\nthe twin %q\nwant %q", one.calls, twin.calls, want)
	}
	if m.broken != nil {
		t.Errorf("got %v, want nothing broken", m.broken)
	}
	for i := range m.players {
		if !m.players[i].rejoined {
			t.Errorf("after the restart player %d has its old numbers", i+1)
		}
	}
}

// A twin that refuses other packets, or sends other packets, breaks the invariant replay.
func TestATwinThatDiffers(t *testing.T) {
	packet := func(p session.Peer, ch session.Channel, text string) session.Packet {
		return session.Packet{Peer: p, Channel: ch, Bytes: []byte(text)}
	}
	a := packet(1, session.Datagram, "a")
	for _, c := range []struct {
		what  string
		twin  []session.Packet
		words string
	}{
		{"the same", []session.Packet{a, a}, ""},
		{"fewer packets", []session.Packet{a}, "2 packets were sent, in the replay 1"},
		{"more packets", []session.Packet{a, a, a}, "2 packets were sent, in the replay 3"},
		{"another peer", []session.Packet{a, packet(2, session.Datagram, "a")}, "another packet to peer 1"},
		{"another channel", []session.Packet{a, packet(1, session.Stream, "a")}, "another packet to peer 1"},
		{"other bytes", []session.Packet{packet(1, session.Datagram, "b"), a}, "another packet to peer 1"},
	} {
		m, one, twin := watched()
		one.sends, twin.sends = []session.Packet{a, a}, c.twin
		if got := m.Outgoing(); len(got) != 2 {
			t.Errorf("%s: %d packets are sent, want the match's own 2", c.what, len(got))
		}
		if (m.broken != nil) != (c.words != "") || m.broken != nil && (m.broken.Invariant != Replay || !strings.Contains(m.broken.Text, c.words)) {
			t.Errorf("%s: got %v, want %q", c.what, m.broken, c.words)
		}
	}
	refused := errors.New("bits: short")
	for _, c := range []struct {
		one, twin error
		want      string
	}{{nil, nil, ""}, {refused, refused, ""}, {refused, nil, Replay}, {nil, refused, Replay}} {
		m, one, twin := watched()
		one.refuses, twin.refuses = c.one, c.twin
		if err := m.Receive(1, session.Datagram, 0, nil); err != c.one || m.broke() != c.want {
			t.Errorf("errors %v and %v: got %v and %q, want the match's own and %q", c.one, c.twin, err, m.broke(), c.want)
		}
	}
}

// A match without checkpoints cannot restart, and one whose checkpoint is bad says so.
func TestRestartsThatFail(t *testing.T) {
	m, one, _ := watched()
	one.refuses = errors.New("bits: short")
	if err := m.Restart(); err != one.refuses || m.players[0].rejoined {
		t.Errorf("got %v, want %v and no new numbers", err, one.refuses)
	}
	m.Match = struct{ lab.Match }{one}
	if err := m.Restart(); fmt.Sprint(err) != "swarm: this game has no checkpoints" {
		t.Errorf("got %v", err)
	}
}

// Only the first broken invariant is kept, with its time and player, and it ends the run.
func TestTheFirstBrokenInvariant(t *testing.T) {
	m, _, _ := watched()
	m.now = 2500 * clock.Millisecond
	if err := m.Check(clock.Second); err != nil {
		t.Errorf("before anything broke: %v", err)
	}
	m.fail(Speed, &m.players[1], "%d m/s", 200)
	m.fail(Ammo, &m.players[0], "later")
	const want = "invariant broken: speed of bob at 2.500 s of match time: 200 m/s"
	if err := m.Check(clock.Second); fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	m.broken = nil
	m.fail(Replay, nil, "the hash")
	if got := m.broken.Error(); got != "invariant broken: replay at 2.500 s of match time: the hash" {
		t.Errorf("of no player: %s", got)
	}
}

// Poses by hand: numbers, the map, walls and speed. [THR-23]
func TestPosesByHand(t *testing.T) {
	nan, far := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		what     string
		position geom.Vec3
		velocity geom.Vec3
		want     string
	}{
		{"at rest", geom.V(1, 2, 3), geom.Vec3{}, ""},
		{"on the border", geom.V(9, -9, 9), geom.Vec3{}, ""},
		{"just outside", geom.V(9.001, 0, 0), geom.Vec3{}, "inside ann"},
		{"below", geom.V(0, -9.001, 0), geom.Vec3{}, "inside ann"},
		{"no number", geom.V(0, nan, 0), geom.Vec3{}, "finite ann"},
		{"an infinite velocity", geom.Vec3{}, geom.V(0, far, 0), "finite ann"},
		{"two infinities that cancel", geom.Vec3{}, geom.V(far, -far, 0), "finite ann"},
		{"as fast as may be", geom.Vec3{}, geom.V(maxSpeed, 0, 0), ""},
		{"too fast", geom.Vec3{}, geom.V(maxSpeed, 1, 0), "speed ann"},
	} {
		m, _, _ := watched()
		pose := track.Sample{Pose: track.Pose{Position: c.position, Velocity: c.velocity}}
		if m.checkPose(&m.players[0], &pose); m.broke() != c.want {
			t.Errorf("%s: got %q, want %q", c.what, m.broke(), c.want)
		}
	}
}

// A wall counts if the body was in it at two ticks: one tick is a crushed player.
func TestTwoTicksInAWall(t *testing.T) {
	for _, c := range []struct {
		what string
		at   []float64 // heights over the floor at successive ticks
		want string
	}{
		{"on the floor", []float64{0, 0, 0}, ""},
		{"a little in it", []float64{-0.05, -0.05}, ""},
		{"in it for one tick", []float64{0, -0.5, 0, -0.5, 0}, ""},
		{"in it for two", []float64{0, -0.5, -0.4}, "inside ann"},
	} {
		m, _, _ := watched()
		m.setup.World = collide.Floor(20)
		m.bodyOf = func(s *track.Sample) (geom.Capsule, bool) {
			return geom.Capsule{A: s.Position.Add(geom.V(0, 0.3, 0)), B: s.Position.Add(geom.V(0, 1.5, 0)), Radius: 0.3}, true
		}
		for _, y := range c.at {
			pose := track.Sample{Pose: track.Pose{Position: geom.V(0, y, 0)}}
			m.checkPose(&m.players[0], &pose)
		}
		if m.broke() != c.want {
			t.Errorf("%s: got %q, want %q", c.what, m.broke(), c.want)
		}
	}
}

// moves runs moves of player 1, and returns what broke.
func moves(steps ...func(*match, *session.MoveStep)) string {
	m, _, _ := watched()
	for i, change := range steps {
		m.now = clock.Second + clock.Micros(i)*16*clock.Millisecond
		v := &session.MoveStep{}
		v.Player, v.Number, v.Duration = 1, uint32(i+1), 16*clock.Millisecond
		change(m, v)
		m.checkMove(v)
	}
	return m.broke()
}

// Moves by hand: each runs once, none goes too far or takes too long, unless the player came back.
func TestMovesByHand(t *testing.T) {
	plain := func(*match, *session.MoveStep) {}
	number := func(n uint32) func(*match, *session.MoveStep) {
		return func(_ *match, v *session.MoveStep) { v.Number = n }
	}
	jump := func(x float64) func(*match, *session.MoveStep) {
		return func(_ *match, v *session.MoveStep) { v.Position.X = x }
	}
	lasts := func(d clock.Micros) func(*match, *session.MoveStep) {
		return func(_ *match, v *session.MoveStep) { v.Duration = d }
	}
	type list = []func(*match, *session.MoveStep)
	for _, c := range []struct {
		what  string
		moves list
		want  string
	}{
		{"three moves", list{plain, plain, plain}, ""},
		{"a gap in the numbers", list{plain, number(9)}, ""},
		{"the numbers wrap", list{number(math.MaxUint32), number(0)}, ""},
		{"a move twice", list{plain, plain, number(2)}, "one shot ann"},
		{"an old move", list{plain, plain, number(1)}, "one shot ann"},
		{"an old move that fills a gap", list{plain, plain, func(_ *match, v *session.MoveStep) { v.Number, v.GapFill = 1, true }}, ""},
		{"numbers from the beginning after coming back", list{plain, plain, func(m *match, v *session.MoveStep) { m.players[0].rejoins(m.now); v.Number = 1 }}, ""},
		{"and then one twice", list{plain, func(m *match, v *session.MoveStep) { m.players[0].rejoins(m.now); v.Number = 1 }, number(1)}, "one shot ann"},
		{"as far as 16 ms allow", list{plain, jump(2.59)}, ""},
		{"further", list{plain, jump(2.61)}, "speed ann"},
		{"further by a teleport", list{plain, func(_ *match, v *session.MoveStep) { v.Position.X, v.Pose.Teleport = 8, 1 }}, ""},
		{"further by a respawn", list{plain, func(_ *match, v *session.MoveStep) { v.Position.X, v.Pose.Life = 8, 1 }}, ""},
		{"no number", list{plain, jump(math.NaN())}, "finite ann"},
		{"a long move", list{plain, lasts(380 * clock.Millisecond)}, ""},
		{"longer than the lead", list{plain, lasts(410 * clock.Millisecond)}, "speed ann"},
		{"of nobody", list{func(_ *match, v *session.MoveStep) { v.Player, v.Position.X = 3, math.NaN() }}, ""},
		{"of player 0", list{func(_ *match, v *session.MoveStep) { v.Player, v.Position.X = 0, math.NaN() }}, ""},
	} {
		if got := moves(c.moves...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// verdict is a receipt of player 1.
func verdict(n uint32, v shot.Verdict) *shot.Receipt {
	r := &shot.Receipt{Verdict: v}
	r.Shooter, r.Shot = 1, n
	return r
}

// Verdicts by hand: a shot is judged once, a projectile when it starts and when it ends, a refusal
// does not count; each takes a round.
func TestVerdictsByHand(t *testing.T) {
	for _, c := range []struct {
		what   string
		rounds int
		list   []*shot.Receipt
		want   string
	}{
		{"two shots and two rounds", 2, []*shot.Receipt{verdict(1, shot.Hit), verdict(2, shot.Miss)}, ""},
		{"a shot more than rounds", 1, []*shot.Receipt{verdict(1, shot.Hit), verdict(2, shot.Miss)}, "ammo ann"},
		{"a shot twice", 5, []*shot.Receipt{verdict(1, shot.Hit), verdict(1, shot.Hit)}, "one shot ann"},
		{"a rocket", 1, []*shot.Receipt{verdict(1, shot.Launched), verdict(1, shot.Hit)}, ""},
		{"a rocket that ends twice", 1, []*shot.Receipt{verdict(1, shot.Launched), verdict(1, shot.Hit), verdict(1, shot.Miss)}, "one shot ann"},
		{"a rocket that starts twice", 5, []*shot.Receipt{verdict(1, shot.Launched), verdict(1, shot.Launched)}, "one shot ann"},
		{"a refusal, and the shot", 1, []*shot.Receipt{verdict(1, shot.Refused), verdict(1, shot.Hit)}, ""},
		{"refusals alone", 0, []*shot.Receipt{verdict(1, shot.Refused), verdict(1, shot.Refused)}, ""},
		{"of nobody", 0, []*shot.Receipt{{Verdict: shot.Hit}}, ""},
	} {
		m, _, _ := watched()
		m.weapons, m.players[0].spent = shot.Table{{Magazine: 30}}, c.rounds
		for _, r := range c.list {
			m.checkShot(r)
		}
		if m.broke() != c.want {
			t.Errorf("%s: got %q, want %q", c.what, m.broke(), c.want)
		}
	}
}

// vital is a source of vitals, one after the other.
type vital []lab.Vitals

func (v *vital) Vitals(session.PlayerID) (lab.Vitals, bool) {
	now := (*v)[0]
	*v = (*v)[1:]
	return now, true
}

// of is vitals with that health, armour and rounds.
func of(life uint8, health, armour, rounds int, reloading bool) (v lab.Vitals) {
	v.Life, v.Health, v.Armour, v.Rounds[0], v.Reloading[0] = life, health, armour, rounds, reloading
	return v
}

// Vitals by hand: rounds come from reloading, health from packs, and damage takes no more than was
// dealt.
func TestVitalsByHand(t *testing.T) {
	packs := make([]levelfile.Entity, 1)
	for _, c := range []struct {
		what  string
		dealt int
		packs []levelfile.Entity
		list  vital
		want  string
	}{
		{"three shots", 0, nil, vital{of(1, 100, 0, 9, false), of(1, 100, 0, 6, false)}, ""},
		{"a reload", 0, nil, vital{of(1, 100, 0, 0, true), of(1, 100, 0, 12, false)}, ""},
		{"rounds from nowhere", 0, nil, vital{of(1, 100, 0, 9, false), of(1, 100, 0, 10, false)}, "ammo ann"},
		{"more than the magazine holds", 0, nil, vital{of(1, 100, 0, 0, true), of(1, 100, 0, 13, false)}, "ammo ann"},
		{"a new life", 0, nil, vital{of(1, 0, 0, 0, false), of(2, 100, 0, 12, false)}, ""},
		{"health from nowhere", 0, nil, vital{of(1, 50, 0, 9, false), of(1, 51, 0, 9, false)}, "health ann"},
		{"health from a pack", 0, packs, vital{of(1, 50, 0, 9, false), of(1, 75, 0, 9, false)}, ""},
		{"as much damage as was dealt", 30, nil, vital{of(1, 100, 20, 9, false), of(1, 90, 0, 9, false)}, ""},
		{"more than was dealt", 29, nil, vital{of(1, 100, 20, 9, false), of(1, 90, 0, 9, false)}, "health ann"},
		{"a death takes all", 0, nil, vital{of(1, 100, 0, 9, false), of(1, 0, 0, 9, false)}, ""},
	} {
		m, _, _ := watched()
		m.vitals, m.weapons, m.setup.Entities = &c.list, shot.Table{{Magazine: 12}}, c.packs
		m.checkVitals(0)
		m.players[0].dealt = c.dealt
		if m.checkVitals(0); m.broke() != c.want {
			t.Errorf("%s: got %q, want %q", c.what, m.broke(), c.want)
		}
	}
	m, _, _ := watched()
	if m.checkVitals(0); m.checks.Vitals != 0 {
		t.Error("a game without vitals is checked for them")
	}
}

// A level without walls has room around it to fall, down to below its kill height; one that is
// closed has none.
func TestRoomAroundALevel(t *testing.T) {
	s := lab.Setup{}
	s.World, s.KillHeight = collide.Floor(20), -30
	open := newMap(&s)
	s.KillHeight = -1e9
	closed := newMap(&s)
	for _, c := range []struct {
		at           geom.Vec3
		open, closed bool
	}{
		{geom.V(0, 0, 0), true, true},
		{geom.V(100, 50, -100), true, false},
		{geom.V(0, -229, 0), true, false},
		{geom.V(0, -231, 0), false, false},
		{geom.V(300, 0, 0), false, false},
		{geom.V(-300, 0, 0), false, false},
		{geom.V(0, 300, 0), false, false},
		{geom.V(0, 0, 300), false, false},
		{geom.V(0, 0, -300), false, false},
		{geom.V(math.NaN(), 0, 0), false, false},
	} {
		if a, b := open.contains(c.at), closed.contains(c.at); a != c.open || b != c.closed {
			t.Errorf("%v: inside of the open level %v, of the closed %v; want %v, %v", c.at, a, b, c.open, c.closed)
		}
	}
}

// The newest move that both ends know is found among the last ones, and only there.
func TestTheNewestMoveOfBothEnds(t *testing.T) {
	var mine, theirs moveEnds
	for n := uint32(1); n <= 500; n++ {
		if n%3 != 0 { // a client with a fixed tick shows one move a frame
			mine.put(n, geom.V(float64(n), 0, 0))
		}
		theirs.put(n, geom.V(0, float64(n), 0))
	}
	for _, c := range []struct {
		upTo, want uint32
		ok         bool
	}{{500, 500, true}, {498, 497, true}, {501, 500, true}, {600, 500, true}, {900, 0, false}, {2, 0, false}, {0, 0, false}} {
		n, a, b, ok := mine.newest(&theirs, c.upTo)
		if n != c.want || ok != c.ok || ok && (a.X != float64(n) || b.Y != float64(n)) {
			t.Errorf("up to %d: got %d, %v, %v, %v; want %d, %v", c.upTo, n, a, b, ok, c.want, c.ok)
		}
	}
}

// drawing is a player's end that draws others where a test says.
type drawing struct {
	lab.Actor
	id    session.PlayerID
	drawn []track.Entity
}

func (d *drawing) ID() session.PlayerID    { return d.id }
func (d *drawing) Phase() session.Phase    { return session.Playing }
func (d *drawing) Position() geom.Vec3     { return geom.Vec3{} }
func (d *drawing) Offset() geom.Vec3       { return geom.Vec3{} }
func (d *drawing) Remotes() []track.Entity { return d.drawn }

// Pose returns the poses that the checks have noted: all players of a tape are in the world.
func (m *tape) Pose(id session.PlayerID) (track.Sample, bool) { return track.Sample{}, true }

// A resting player must be drawn, within 10 cm of where it is; with visibility it may be missing, and no more.
func TestRemotesByHand(t *testing.T) {
	at := func(x float64) []track.Entity {
		return []track.Entity{{ID: 1}, {ID: 2, Sample: track.Sample{Pose: track.Pose{Position: geom.V(x, 0, 0)}}}}
	}
	for _, c := range []struct {
		what   string
		drawn  []track.Entity
		moves  bool
		hidden bool // players that cannot be seen are not sent
		want   string
	}{
		{"where it is", at(3), false, false, ""},
		{"a little off", at(3.09), false, false, ""},
		{"elsewhere", at(3.11), false, false, "agreement bob"},
		{"elsewhere, with visibility", at(3.11), false, true, "agreement bob"},
		{"not at all", nil, false, false, "agreement bob"},
		{"not at all, with visibility", nil, false, true, ""},
		{"elsewhere on the way", at(5), true, false, ""},
		{"at no place", at(math.NaN()), true, false, "finite"},
	} {
		m, _, _ := watched()
		m.now = 20 * clock.Second
		bob := &m.players[1]
		bob.known, bob.pose.Position = true, geom.V(3, 0, 0)
		if c.moves {
			bob.pose.Velocity = geom.V(1, 0, 0)
		}
		if c.hidden {
			m.setup.Visibility = &visibility.Rules{}
		}
		a := &actor{Actor: &drawing{id: 1, drawn: c.drawn}, name: "ann"}
		m.checkDrawn(a)
		if m.checkRemotes(a); m.broke() != c.want {
			t.Errorf("%s: got %q, want %q", c.what, m.broke(), c.want)
		}
	}
}

// After a player has come back its rays and blades are judged once and take a round, as before; the end of a flight of
// its earlier connection is that of no shot of the new one.
func TestVerdictsAfterComingBack(t *testing.T) {
	with := func(weapon uint8, r *shot.Receipt) *shot.Receipt {
		r.Weapon = weapon
		return r
	}
	for _, c := range []struct {
		what   string
		rounds int
		list   []*shot.Receipt
		want   string
	}{
		{"a ray twice", 5, []*shot.Receipt{verdict(1, shot.Hit), verdict(1, shot.Hit)}, "one shot ann"},
		{"a ray more than rounds", 0, []*shot.Receipt{verdict(1, shot.Hit)}, "ammo ann"},
		{"an old flight ends, and a ray has its number", 1, []*shot.Receipt{with(1, verdict(4, shot.Hit)), verdict(4, shot.Miss)}, ""},
	} {
		m, _, _ := watched()
		m.now = 30 * clock.Second
		m.weapons = shot.Table{{Magazine: 30}, {Magazine: 4, Kind: shot.Projectile}}
		m.players[0].rejoins(m.now - 2*clock.Second)
		m.players[0].begin(m.now)
		m.players[0].spent = c.rounds
		for _, r := range c.list {
			m.checkShot(r)
		}
		if m.broke() != c.want {
			t.Errorf("%s: got %q, want %q", c.what, m.broke(), c.want)
		}
	}
}

// A player that came back long ago has no excuse any more: a move that runs twice is found.
func TestMovesLongAfterComingBack(t *testing.T) {
	m, _, _ := watched()
	for i, number := range []uint32{5, 6, 6} {
		m.now = 20*clock.Second + clock.Micros(i)*16*clock.Millisecond
		m.players[0].rejoined, m.players[0].rejoinAt = true, 5*clock.Second
		v := &session.MoveStep{}
		v.Player, v.Number, v.Duration = 1, number, 16*clock.Millisecond
		m.checkMove(v)
	}
	if m.broke() != "one shot ann" {
		t.Errorf("got %q, want one shot ann", m.broke())
	}
}
