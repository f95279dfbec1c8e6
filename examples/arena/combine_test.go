package arena

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena/levelmaker"
	"github.com/backstep-net/backstep/geom"
	docs "github.com/backstep-net/backstep/internal/figures"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/transport/mem"
)

// Rows CMB of what the game adds to movement's: anything that counts once, or changed
// which player one plays, keeps two commands apart. [CMB-08]
func TestWhatAHeroMayDoAtOnce(t *testing.T) {
	game, view := NewGame(), &collide.WorldAt{World: yard(t)}
	type pair struct {
		start, between Hero
		first, second  Command
	}
	for _, c := range []struct {
		what   string
		change func(p *pair)
		want   bool
	}{
		{"runs on", func(p *pair) {}, true},
		{"turns by 5.2° (CMB-05)", func(p *pair) { p.second.Move.Yaw = 5.2 * math.Pi / 180 }, false},
		{"fires", func(p *pair) { p.second.Shot.Fire = true }, false},
		{"fired", func(p *pair) { p.first.Shot.Fire = true }, false},
		{"reloads", func(p *pair) { p.start.InHand().Rounds, p.between.InHand().Rounds, p.second.Reload = 3, 3, true }, false},
		{"held reload", func(p *pair) { p.start.InHand().Rounds, p.between.InHand().Rounds, p.first.Reload = 3, 3, true }, false},
		{"holds reload with a full magazine", func(p *pair) { p.first.Reload, p.second.Reload = true, true }, true},
		{"holds reload while it reloads", func(p *pair) {
			p.first.Reload, p.second.Reload = true, true
			p.start.InHand().Reload, p.between.InHand().Reload = 9000, 2000
			p.start.InHand().Rounds, p.between.InHand().Rounds = 3, 3
		}, true},
		{"takes another weapon in hand", func(p *pair) { p.second.Select = 2 }, false},
		{"selects what is in hand", func(p *pair) { p.first.Select, p.second.Select = 1, 1 }, true},
		{"has its magazine back", func(p *pair) { p.start.InHand().Rounds = 3 }, false},
		{"dashes", func(p *pair) { p.second.Dash = true }, false},
		{"dashed", func(p *pair) { p.first.Dash = true }, false},
		{"rests from a dash", func(p *pair) { p.start.DashCooldown, p.between.DashCooldown = 9000, 2000 }, true},
		{"holds dash and rests from one", func(p *pair) {
			p.first.Dash, p.second.Dash, p.start.DashCooldown, p.between.DashCooldown = true, true, 900_000, 893_000
		}, true},
		{"holds dash and can soon", func(p *pair) {
			p.first.Dash, p.second.Dash, p.start.DashCooldown, p.between.DashCooldown = true, true, 19_000, 12_000
		}, false},
		{"uses an ability", func(p *pair) { p.second.Ability = 1 }, false},
		{"used an ability", func(p *pair) { p.first.Ability = 1 }, false},
		{"throws its hook", func(p *pair) { p.second.Hook = true }, false},
		{"threw its hook", func(p *pair) { p.first.Hook, p.second.Hook, p.between.Hook.Held = true, true, true }, false},
		{"lets its hook go", func(p *pair) { p.first.Hook = true }, false},
		{"holds the button of a hook that is back", func(p *pair) {
			p.first.Hook, p.second.Hook, p.start.Hook.Held, p.between.Hook.Held = true, true, true, true
		}, true},
		{"hangs on its hook", func(p *pair) { p.start.Mode, p.between.Mode = Grappling, Grappling }, false},
		{"died", func(p *pair) { p.between.Dead = true }, false},
		{"lies dead", func(p *pair) { p.start.Dead, p.between.Dead = true, true }, true},
		{"was crushed", func(p *pair) { p.between.Doomed = true }, false},
		{"is another life", func(p *pair) { p.between.Life++ }, false},
		{"begins to watch", func(p *pair) { p.between.Spectating = true }, false},
		{"flies about and watches", func(p *pair) {
			p.start.Spectating, p.between.Spectating = true, true
			p.start.Mode, p.between.Mode = movement.Flying, movement.Flying
		}, true},
		{"flies through a player", func(p *pair) {
			p.start.Spectating, p.between.Spectating = true, true
			p.start.Mode, p.between.Mode = movement.Flying, movement.Flying
			view.Obstacles = []collide.Obstacle{{Capsule: game.Model().Capsule(&p.start.State), ID: 2}}
		}, true},
		{"stands in a player (CMB-09)", func(p *pair) {
			view.Obstacles = []collide.Obstacle{{Capsule: game.Model().Capsule(&p.start.State), ID: 2}}
		}, false},
	} {
		p := pair{start: game.Spawn(geom.V(0, .021, 4), 0, 1)}
		p.start.ForceFloor, p.start.Velocity.Z = false, -6
		p.between = p.start
		p.between.Position.Z -= 6. / 144
		p.first.Move.Forward, p.second.Move.Forward = 1, 1
		view.Obstacles = nil
		c.change(&p)
		if got := game.Combine(&session.Move{World: view, Duration: clock.Second / 72}, &p.start, &p.between, &p.first, &p.second); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

// ACK-14: a correction names the wrong fields, the most significant first.
func TestWhyAHeroWasCorrected(t *testing.T) {
	var game Game
	predicted := Hero{Life: 3}
	*predicted.InHand() = shot.Ammo{Rounds: 7, Cooldown: 100}
	for _, c := range []struct {
		change func(h *Hero)
		want   predict.Difference
	}{
		{func(h *Hero) { h.Life, h.Mode = 4, movement.Walking }, predict.Difference{Field: "life", By: 1}},
		{func(h *Hero) { h.Dead, h.Position.X = true, 3 }, predict.Difference{Field: "dead", By: 1}},
		{func(h *Hero) { h.Doomed = true }, predict.Difference{Field: "dead", By: 1}},
		{func(h *Hero) { h.Spectating = true }, predict.Difference{Field: "spectating", By: 1}},
		{func(h *Hero) { h.InHand().Rounds, h.Position.X = 5, 3 }, predict.Difference{Field: "rounds", By: 2}},
		{func(h *Hero) { h.Position.X, h.Hook.Held = 3, true }, predict.Difference{Field: "position", By: 3}},
		{func(h *Hero) { h.Hook.Remaining = 9 }, predict.Difference{Field: "hook", By: 1}},
		{func(h *Hero) { h.InHand().Cooldown += 500_000 }, predict.Difference{Field: "cool-down", By: .5}},
		{func(h *Hero) { h.InHand().Reload = 500_000 }, predict.Difference{Field: "reload", By: .5}},
		{func(h *Hero) { h.DashCooldown = 500_000 }, predict.Difference{Field: "dash rest", By: .5}},
	} {
		truth := predicted
		c.change(&truth)
		if got := game.Differ(&predicted, &truth, nil); len(got) == 0 || got[0] != c.want {
			t.Errorf("got %v, want %v first", got, c.want)
		}
	}
	if got := game.Differ(&predicted, &predicted, nil); len(got) != 0 {
		t.Errorf("equal heroes differ in %v", got)
	}
	truth, into := Hero{}, make([]predict.Difference, 0, 32)
	if n := testing.AllocsPerRun(100, func() { into = game.Differ(&predicted, &truth, into[:0]) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// What commands cost after the one before them in a packet. [CMD-07]
func TestWhatCommandsCost(t *testing.T) {
	run := Command{Move: movement.Command{Forward: 1}}
	turn, all, fire, hook := run, run, run, run
	turn.Move.Yaw = 217 * 2 * math.Pi / 65536 // 86°/s at 72 moves a second
	all.Move = movement.Command{Forward: 1, Right: -1, Yaw: 2, Pitch: .5, Jump: true, Crouch: true}
	fire.Shot = shot.Claim{Fire: true, Yaw: 1, Pitch: .1}
	fire.Shot.View.At = 600 * clock.Second
	hook.Hook = true
	game := NewGame()
	for _, c := range []struct {
		what          string
		before, after Command
		most          int
	}{
		{"nothing new", run, run, 2},
		{"walks on and turns steadily", run, turn, 14},
		{"all that keys and mouse can, after nothing", Command{}, all, 50},
		{"holds the hook", hook, hook, 7},
		{"fires", run, fire, 160},
	} {
		c.before.Quantise()
		c.after.Quantise()
		var p bits.Packer
		var room [64]byte
		p.Write(room[:])
		game.PackCommand(&p, &c.after, &c.before)
		got := p.Bits()
		var read Command
		p.Read(p.Bytes())
		game.PackCommand(&p, &read, &c.before)
		t.Logf("%s: %d bits", c.what, got)
		if got > c.most || p.Err() != nil || read != c.after {
			t.Errorf("%s: %d bits, read as %+v (%v); want %+v in at most %d", c.what, got, read, p.Err(), c.after, c.most)
		}
	}
}

// The bar: a saved move takes at most 256 bytes. predict saves the command, of which
// session wraps the game's part with the snapshot seen, and 40 bytes of where it ended and how
// often it rode.
func TestASavedMoveIsSmall(t *testing.T) {
	type sent struct { // as session has it
		Game Command
		Seen uint32
	}
	const more = 40
	size := unsafe.Sizeof(predict.Command[sent]{}) + more
	docs.Check(t, "size", 0, "%d bytes", size)
	if size > 256 {
		t.Errorf("a saved move takes %d bytes, want at most 256", size)
	}
}

// combiner is an owner without a network: it makes moves of frames, combined or not.
type combiner struct {
	game          *Game
	view          collide.WorldAt
	before, after Hero // the newest move
	newest        Command
	length        clock.Micros // of it
	open          bool         // it was not sent
	combining     bool
	moves         int
}

func (f *combiner) frame(stamp, d clock.Micros, c Command) {
	f.view.At = stamp
	sum := f.length + d
	if f.combining && f.open && sum <= predict.MaxDuration && f.game.Combine(&session.Move{World: &f.view, Duration: sum}, &f.before, &f.after, &f.newest, &c) {
		f.after, d = f.before, sum
	} else {
		f.before, f.moves = f.after, f.moves+1
	}
	f.newest, f.length, f.open = c, d, true
	f.game.Step(&session.Move{World: &f.view, Duration: d}, &f.after, &c)
}

// BAS-01: on the turning bridge at 144 frames a second the view is turned in each frame
// by the same whether frames are combined or not, by the same bits for a character at rest. [CMB-04, CMB-11]
func TestTurnedSurvivesCombining(t *testing.T) {
	world := realLevel(t).World
	id, ok := world.MoverNamed(levelmaker.Bridge)
	if !ok {
		t.Fatal("the arena has no turning bridge")
	}
	for _, walks := range []bool{false, true} {
		var riders [2]combiner
		for i := range riders {
			riders[i] = combiner{game: NewGame(), view: collide.WorldAt{World: world}, combining: i == 1}
			riders[i].after = riders[i].game.Spawn(geom.V(0, 1.22, 3), 0, 1)
		}
		sums, worst, on := [2]float64{}, 0.0, 0
		for n := range int64(36 * 144) {
			stamp, last := clock.TickTime(n+1, 144), clock.TickTime(n, 144)
			var by [2]float64
			for i := range riders {
				r := &riders[i]
				c := Command{Move: movement.Command{Yaw: sums[i]}}
				if walks { // in circles
					c.Move.Forward, c.Move.Yaw = .1, c.Move.Yaw+float64(n)/144
				}
				c.Quantise()
				base := r.after.Base
				r.frame(stamp, stamp-last, c)
				if n%3 == 2 {
					r.open = false // sent
				}
				by[i] = turned(base, r.after.Base)
				sums[i] += by[i]
				if r.after.Base.Mover == id {
					on++
				}
			}
			worst = max(worst, math.Abs(by[0]-by[1]))
		}
		t.Logf("walks %v: turned by %.6f and %.6f rad in 36 s, %d and %d moves, apart by up to %v rad a frame", walks, sums[0], sums[1], riders[0].moves, riders[1].moves, worst)
		if math.Abs(sums[0]-2*math.Pi) > 1e-6 || worst > 1e-12 || !walks && worst != 0 || on < 2*36*144-4 {
			t.Errorf("walks %v: turned by %v, up to %v rad apart a frame, rode %d frames", walks, sums, worst, on)
		}
		if riders[1].moves > riders[0].moves/2 {
			t.Errorf("walks %v: %d moves combined to %d: the test sees little combining", walks, riders[0].moves, riders[1].moves)
		}
	}
}

// randomInput is a player at dice: what it holds changes a few times a second, and its view
// turns as if by a mouse.
type randomInput struct {
	dice *rand.Rand
	in   Input
	turn float64 // rad/s
}

func (w *randomInput) input(d clock.Micros) Input {
	r := w.dice
	if r.Float64() < 3*d.Seconds() {
		w.in.Forward, w.in.Right = float64(r.IntN(3)-1), float64(r.IntN(3)-1)
		w.in.Jump, w.in.Crouch = r.IntN(4) == 0, r.IntN(6) == 0
		w.in.Hook = r.IntN(8) == 0
		w.turn = []float64{0, 0, r.NormFloat64(), 5 * r.NormFloat64()}[r.IntN(4)]
		w.in.Pitch = r.NormFloat64() / 3
	}
	w.in.Yaw = geom.WrapAngle(w.in.Yaw + float64(w.turn*d.Seconds()))
	w.in.Dash, w.in.Reload = r.Float64() < .3*d.Seconds(), r.Float64() < .2*d.Seconds()
	return w.in
}

// At dice through the arena, most frames of a fast screen become part of a longer move,
// and a press is never lost to that: each one jumps as often, combined or not.
func TestMostFramesCombine(t *testing.T) {
	world := realLevel(t).World
	for _, hz := range []int64{144, 240} {
		f := combiner{game: NewGame(), view: collide.WorldAt{World: world}, combining: true}
		f.after = f.game.Spawn(geom.V(0, .021, 17), 0, 1)
		w := randomInput{dice: rand.New(rand.NewPCG(7, uint64(hz)))}
		const seconds = 30
		sent := clock.Micros(0)
		for n := range seconds * hz {
			stamp, last := clock.TickTime(n+1, int(hz)), clock.TickTime(n, int(hz))
			in := w.input(stamp - last)
			c := Command{Move: movement.Command{Forward: in.Forward, Right: in.Right, Yaw: in.Yaw, Pitch: in.Pitch, Jump: in.Jump, Crouch: in.Crouch},
				Reload: in.Reload, Dash: in.Dash, Hook: in.Hook}
			c.Quantise()
			f.frame(stamp, stamp-last, c)
			if stamp-sent >= 16_600 {
				f.open, sent = false, stamp
			}
		}
		share := float64(f.moves) / seconds
		t.Logf("%d frames a second: %.1f moves a second", hz, share)
		if share > 90 {
			t.Errorf("%d frames a second: %.1f moves a second, want at most 90", hz, share)
		}
	}
}

// E2E-01 with combining: at dice through the arena and all its machines, on fast
// screens and without loss, the server computes bit for bit what the owner predicted
// after every move, and nobody is ever corrected. [CMB-10, CMB-11, CMB-12]
func TestCombinedMovesAreEqualOnBothEnds(t *testing.T) {
	l := realLevel(t)
	for seed, hz := range []int{144, 240, 144, 165} {
		s := newStage(t, l.World, spawnsOf(l)[seed])
		s.exp.Seed = uint64(seed) + 1
		w := randomInput{dice: rand.New(rand.NewPCG(uint64(seed), 42))}
		theirs, ours, frames := map[uint32]uint64{}, map[uint32]uint64{}, 0
		s.exp.Server = watched{s.match, func(m *session.MoveStep) {
			if h, _ := s.match.State(m.Player); !m.GapFill {
				theirs[m.Number] = h.Hash()
			}
		}}
		s.join(hz, mem.Network{RTT: 100 * time.Millisecond}, func(p *Player, now clock.Micros) Input {
			if n := p.Newest(); n != 0 && now > clock.Second {
				frames++
				ours[n] = p.Self().Hash() // of a combined move in the end
			}
			return w.input(clock.Second / clock.Micros(hz))
		})
		s.honest(60 * clock.Second)
		moves := sameMoves(t, hz, ours, theirs)
		t.Logf("seed %d: %d frames became %d moves", seed, frames, moves)
	}
}
