package lab

import (
	"math"
	"slices"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// Options are how a scenario is played.
type Options struct {
	// Series asks for Result.Series.
	Series bool
	// Progress is told now and then how much of the match time has been played, and
	// may stop the run by returning false. Nil is nobody.
	Progress func(done, all clock.Micros) bool
}

// Play plays a scenario with its own seed. What the scenario wants and the game
// cannot do is an error of type scenario.Errors or scenario.Error; ErrStopped is a
// run that Progress has stopped.
func Play(s *scenario.Scenario, game Game, o Options) (*Result, error) {
	t, err := newTheatre(s, game)
	if err != nil {
		return nil, err
	}
	return t.play(s.Seed, o)
}

// theatre is a scenario with its world, to be played any number of times.
type theatre struct {
	*scenario.Scenario
	game    Game
	place   place
	motions []*scenario.RootMotion // that players start themselves
	takes   []*scenario.Commands   // of each player; nil: a script
}

func newTheatre(s *scenario.Scenario, game Game) (*theatre, error) {
	if missing := s.Unsupported(game.Features()); missing != nil {
		return nil, missing
	}
	for i := range s.Players {
		p := &s.Players[i]
		if p.Send != math.Floor(p.Send) || p.Send > 500 {
			return nil, s.ErrorAt(p.Line, "send of "+p.Name+" must be a whole number, at most 500: more is not built yet")
		}
	}
	if n := len(s.Players); n > session.MaxPlayers {
		return nil, s.ErrorAt(0, "a match has at most 128 players")
	}
	motions := motionsOf(s)
	if len(motions) > maxMotions {
		return nil, s.ErrorAt(0, "a match has at most 255 motions that players start themselves")
	}
	takes, err := takesOf(s)
	if err != nil {
		return nil, err
	}
	p, err := placeOf(game, s, atRest)
	return &theatre{s, game, p, motions, takes}, err
}

// maxMotions is what a byte of a command can name.
const maxMotions = 255

// modeOf is a scenario's word for how others are drawn.
func modeOf(word string) remote.Mode {
	switch word {
	case "linear":
		return remote.Linear
	case "exponential":
		return remote.Exponential
	case "none":
		return remote.Newest
	}
	return remote.Interpolate
}

// sight is what hides players from each other; nil for nothing.
func (t *theatre) sight() *session.Visibility {
	if !t.Server.Sight {
		return nil
	}
	return &session.Visibility{}
}

// motionsOf are the motions that players start with commands of their own.
func motionsOf(s *scenario.Scenario) []*scenario.RootMotion {
	var out []*scenario.RootMotion
	for i := range s.Players {
		for _, e := range s.Players[i].Script {
			if e.RootMotion != nil && e.RootMotion.ByOwner && !slices.Contains(out, e.RootMotion) {
				out = append(out, e.RootMotion)
			}
		}
	}
	return out
}

// navWalks reports whether somebody is told to walk on the navigation mesh.
func (t *theatre) navWalks() bool {
	return slices.ContainsFunc(t.Orders(), func(o scenario.Order) bool { return o.Mode == "nav_walking" })
}

// atRest is the time zero of a world whose bodies do not move.
const atRest clock.Micros = -1

// timed is the theatre with bodies that begin to move at time zero. When that is, a
// rehearsal finds out: until then bodies rest, so the run itself comes to it alike.
func (t *theatre) timed(seed uint64) (*theatre, error) {
	if !t.Moves() {
		return t, nil
	}
	e, err := t.experiment(seed, Options{})
	if err != nil {
		return nil, err
	}
	zero, err := rehearse(e)
	if err != nil {
		return nil, err
	}
	timed := *t
	timed.place, err = placeOf(t.game, t.Scenario, zero)
	return &timed, err
}

// play plays it once.
func (t *theatre) play(seed uint64, o Options) (*Result, error) {
	t, err := t.timed(seed)
	if err != nil {
		return nil, err
	}
	e, err := t.experiment(seed, o)
	if err != nil {
		return nil, err
	}
	r, err := Run(e)
	if err != nil {
		return nil, err
	}
	for i := range t.Expect {
		x := &t.Expect[i]
		held, got, err := x.Holds(r.Lookup)
		if err != nil {
			return nil, t.ErrorAt(x.Line, err.Error())
		}
		r.Expect = append(r.Expect, Checked{x.Text, got, held})
	}
	return r, nil
}

// experiment is a match of the scenario, ready to run.
func (t *theatre) experiment(seed uint64, o Options) (Experiment, error) {
	match, err := t.game.Match(t.setup(seed))
	if err != nil {
		return Experiment{}, t.ErrorAt(t.paramsLine(), err.Error())
	}
	e := Experiment{
		Name: t.Name, Server: match, TickRate: t.Server.Tick, Begin: t.Server.Begin, Duration: t.Duration, Seed: seed,
		World: t.place.world, Weapons: match.Weapons(), Looks: looksOf(match), Solid: solidOf(match), Series: o.Series, Faults: t.faults(), Orders: t.orders(match),
		Zero: t.zero(),
	}
	if e.Orders, err = t.restores(match, e.Orders); err != nil {
		return Experiment{}, err
	}
	if o.Progress != nil {
		e.Progress = func(done clock.Micros) bool { return o.Progress(done, t.Duration) }
	}
	for i := range t.Players {
		e.Players = append(e.Players, t.cast(match, i, seed))
	}
	return e, nil
}

func (t *theatre) paramsLine() int {
	if len(t.Params) == 0 {
		return 0
	}
	return t.Params[0].Line
}

// setup is what the match is made of.
func (t *theatre) setup(seed uint64) Setup {
	keys := uint64(0)
	s := Setup{
		ServerConfig: session.ServerConfig{
			World: t.place.world, LevelHash: "lab",
			TickRate: t.Server.Tick, SnapshotRate: t.Server.Snapshots,
			MaxRewind: t.Server.MaxRewind, Cap: max(t.Server.Cap, 1), Cover: t.Server.Cover, Beyond: t.beyond(), PlayersBlock: t.Server.Block,
			Snapshot: replicate.Rules{Budget: t.Server.Budget, Radius: t.Server.Radius}, Visibility: t.sight(),
			Players: len(t.Players), ReconnectTime: clock.Micros(scenario.MaxTime),
			NewKey: func() (k session.Key) { // nobody is to guess it
				keys++
				for i := range 8 {
					k[i] = byte(keys >> (8 * i))
				}
				return k
			},
		},
		Favour: t.favour(), Params: t.Params, Damage: t.Server.Damage, Recorded: t.recorded(),
		Motions: t.motions, NavWalks: t.navWalks(), KillHeight: t.place.killHeight, Things: t.place.things, Seed: mix(seed, 1<<32),
	}
	for i := range t.Paths {
		s.Paths = append(s.Paths, t.Paths[i].Collide())
	}
	for i := range t.Players {
		s.Spawns = append(s.Spawns, Spawn{t.Players[i].At, t.Players[i].Yaw})
	}
	return s
}

// beyond is what becomes of shots over a longer round trip than the cap.
func (t *theatre) beyond() shot.Beyond {
	if t.Server.Beyond == "present" {
		return shot.Present
	}
	return shot.Capped
}

// favour is against which past projectiles fly, nil for what their weapons say.
func (t *theatre) favour() *shot.FlightTimeline {
	if t.Server.Favour == "" {
		return nil
	}
	lead := shot.FlightTimeline(slices.Index(scenario.Favours(), t.Server.Favour))
	return &lead
}

func (t *theatre) faults() []Fault {
	var out []Fault
	for _, f := range t.Faults {
		kind := FaultKind(slices.Index([]string{"partition", "freeze", "background"}, f.Kind))
		out = append(out, Fault{Player: t.Player(f.Player), At: f.At, For: f.For, Kind: kind, Frames: f.Frame})
	}
	return sorted(out, func(f Fault) clock.Micros { return f.At })
}

// orders are what scripts have the server do.
func (t *theatre) orders(m Match) []Order {
	var out []Order
	for _, o := range t.Orders() {
		id := session.PlayerID(o.Player + 1)
		if o.Push != nil {
			v := *o.Push
			out = append(out, Order{o.At, func() { m.Push(id, v) }, o.Player, "pushed"})
		}
		if o.Mode != "" {
			out = append(out, Order{o.At, func() { m.SetMode(id, o.Mode, o.Path) }, o.Player, "mode"})
		}
		if o.RootMotion != nil {
			out = append(out, Order{o.At, func() { m.Move(id, o.RootMotion) }, o.Player, "root_motion"})
		}
	}
	return out
}

// cast makes a player of the scenario a participant of the experiment.
func (t *theatre) cast(m Match, i int, seed uint64) Player {
	p := &t.Players[i]
	r := &role{motions: t.motions, cursor: scenario.NewCursor(p), yaw: p.Yaw, cheat: p.Cheat, foul: p.Foul, held: true, scenario: t.Scenario}
	who := Participant{
		Name: p.Name, Cheat: p.Cheat, Foul: p.Foul, Bot: p.Bot, Seed: mix(mix(seed, uint64(i)), 4),
		ClientConfig: session.ClientConfig{SendRate: int(p.Send), Tick: p.Tick, InputDelay: p.InputDelay, Lasted: r.lasted, Acknowledge: r.acknowledge, Mode: modeOf(p.Remote)},
	}
	r.take = t.takes[i]
	r.aims = aiming{weapons: m.Weapons(), model: newModeller(looksOf(m))}
	r.actor, r.bot = m.Join(who), p.Bot != "none" && p.Bot != ""
	out := Player{
		Name: p.Name, Client: r.actor, Play: r.play, Frames: p.Frame,
		Network: p.Network, Rate: p.Clock.Rate, Offset: p.Clock.Offset, asked: &r.asked,
		Times: timesOf(r.take), done: &r.done,
	}
	if p.Cheat == "lag" || p.Cheat == "ping" {
		out.Hold, out.Every = p.Foul.Hold, p.Foul.Every
	}
	return out
}

// role is how one player of a scenario plays.
type role struct {
	scenario *scenario.Scenario
	actor    Actor
	cursor   *scenario.Cursor
	yaw      float64
	bot      bool
	cheat    string
	foul     scenario.Foul
	now      clock.Micros // match time since time zero, by the client's estimate
	held     bool         // until time zero
	asked    int          // shots
	motions  []*scenario.RootMotion
	waiting  []*scenario.RootMotion // to be started
	again    *scenario.Fire         // what a cheat fires every frame
	aims     aiming
	acked    track.Received     // by the last datagram
	local    clock.Micros       // time of the frame
	take     *scenario.Commands // a recording's, in place of a script; nil
	next     int                // of its commands
	done     []ran              // where those led when they were recorded
}

// lasted is how long a command claims that it lasts. While the player is held that
// is a microsecond, in which nothing moves.
func (r *role) lasted(frame clock.Micros) clock.Micros {
	switch {
	case r.held:
		return min(frame, predict.TimeQuantum)
	case r.take != nil:
		return r.take.Commands[r.next].Lasts
	case r.cheat == "speed", r.cheat == "burst" && r.now%r.foul.Every < r.foul.Hold:
		return clock.Micros(float64(frame) * r.foul.Rate)
	}
	return frame
}

// backdates reports whether the player claims older views than it drew.
func (r *role) backdates() bool { return r.cheat == "backdate" || r.cheat == "withhold" }

// acknowledge is what the client acknowledges of what it has received, and for how long it
// says that it held the newest.
func (r *role) acknowledge(_ clock.Micros, seen track.Received, held clock.Micros) (track.Received, clock.Micros) {
	if r.cheat == "withhold" && r.now > 0 && r.now%r.foul.Every < r.foul.Hold && r.acked.Newest != 0 {
		return r.acked, -1
	}
	r.acked = seen
	return seen, held
}

// play is one frame.
func (r *role) play(local, t clock.Micros) {
	h := Hands{Yaw: r.yaw}
	r.local = local
	if r.now = t; r.take != nil {
		r.repeat(local, t)
		return
	}
	if r.backdates() {
		r.aims.remember(r.actor.View().At, r.actor.Remotes(), r.foul.Hold)
	}
	if r.held = t < 0; !r.held {
		h = r.hands(local, t)
	}
	r.actor.Act(local, &h)
}

// hands are what the player does in a frame at match time t.
func (r *role) hands(local, t clock.Micros) Hands {
	if r.bot {
		h := r.actor.Think(local)
		r.asked += count(h.Fire)
		return h
	}
	in := r.cursor.Frame(t)
	h := Hands{
		Forward: in.Forward, Right: in.Right, Up: in.Up, Yaw: in.Yaw, Pitch: in.Pitch,
		Jump: in.Jump, Crouch: in.Crouch, Buttons: in.Buttons,
	}
	r.waiting = append(r.waiting, in.Motions...)
	if len(r.waiting) > 0 { // one command starts one motion
		h.Motion = 1 + slices.Index(r.motions, r.waiting[0])
		r.waiting = r.waiting[1:]
	}
	h.Aim = Aim{Yaw: in.Yaw, Pitch: in.Pitch}
	r.asked += len(in.Shots)
	r.fire(&in, t, &h)
	return h
}

// fire is what the hands do about shots: those of the script, of which one command carries
// one; those of a cheat; and the blade that is on its way.
func (r *role) fire(in *scenario.Input, t clock.Micros, h *Hands) {
	h.Weapon = in.Next
	swing := r.aims.swinging(t)
	switch {
	case len(in.Shots) > 0:
		shot := in.Shots[0]
		h.Fire, h.Weapon = r.aim(&shot, &h.Aim), shot.Weapon
		r.again = &shot
		r.aims.begin(&shot, t)
	case swing != nil:
		h.Fire, h.Weapon = r.aim(swing, &h.Aim), swing.Weapon
	case r.cheat == "nocooldown":
		r.asked++
		h.Fire = r.again == nil || r.aim(r.again, &h.Aim)
	}
}
