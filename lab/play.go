package lab

import (
	"errors"
	"slices"
	"strings"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/lab/scenario"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// Options are how a scenario is played.
type Options struct {
	// Series fills Result.Series.
	Series bool
	// Progress is called about four times per second of match time with the match time played so
	// far. It stops the run by returning false. Nil is not called.
	Progress func(done, all clock.Micros) bool
}

// Play plays a scenario with its own seed. An error about the scenario is of type
// strictyaml.Error; the error is ErrStopped where Progress has stopped the run.
func Play(s *scenario.Scenario, game Game, o Options) (*Result, error) {
	t, err := newStage(s, game)
	if err != nil {
		return nil, err
	}
	return t.play(s.Seed, o)
}

// stage is a scenario with its world. It may be played any number of times.
type stage struct {
	*scenario.Scenario
	game       Game
	place      place
	motions    []*scenario.RootMotion // that owners start
	recordings []*scenario.Commands   // of each player; nil: none
}

func newStage(s *scenario.Scenario, game Game) (*stage, error) {
	motions := motionsOf(s)
	if len(motions) > maxMotions {
		return nil, s.ErrorAt(0, "a match has at most 255 motions that players start themselves")
	}
	takes, err := readRecordings(s)
	if err != nil {
		return nil, err
	}
	p, err := placeOf(game, s, atRest)
	return &stage{s, game, p, motions, takes}, err
}

// maxMotions is what a byte of a command can name.
const maxMotions = 255

// modeOf returns the mode of a scenario's word for how other players are drawn.
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

// visibility returns the visibility rule of the match; nil for none.
func (t *stage) visibility() *visibility.Rules {
	if !t.Server.Visibility {
		return nil
	}
	return &visibility.Rules{}
}

// motionsOf returns the motions that owners start with their own commands.
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

// navWalks reports whether the scenario sets a player to nav_walking.
func (t *stage) navWalks() bool {
	return slices.ContainsFunc(t.ServerActions(), func(o scenario.ServerAction) bool { return o.Mode == "nav_walking" })
}

// atRest is the time zero of a world in which movers never move.
const atRest clock.Micros = -1

// timed returns the stage with movers that begin to move at time zero. A rehearsal finds time zero:
// until then movers rest, so the run itself has the same one.
func (t *stage) timed(seed uint64) (*stage, error) {
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

// play plays the scenario once.
func (t *stage) play(seed uint64, o Options) (*Result, error) {
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
		none := r.unmeasured(x.Path)
		r.Expect = append(r.Expect, Checked{Text: x.Text, Got: got, Held: held && !none, Unmeasured: none})
	}
	return r, nil
}

// experiment is a match of the scenario, ready to run.
func (t *stage) experiment(seed uint64, o Options) (Experiment, error) {
	match, err := t.game.Match(t.setup(seed))
	if err != nil {
		return Experiment{}, t.ErrorAt(t.paramsLine(err), err.Error())
	}
	e := Experiment{
		Name: t.Name, Server: match, StartTime: t.Server.StartTime, Duration: t.Duration, Seed: seed,
		World: t.place.world, Weapons: match.Weapons(), Hitboxes: hitboxesOf(match), BodyCapsule: BodyCapsuleOf(match), Series: o.Series, Faults: sorted(slices.Clone(t.Faults), func(f scenario.Fault) clock.Micros { return f.At }), ServerActions: t.serverActions(match),
		Zero: t.zero(),
	}
	if e.ServerActions, err = t.restoreActions(match, e.ServerActions); err != nil {
		return Experiment{}, err
	}
	if o.Progress != nil {
		e.Progress = func(done clock.Micros) bool { return o.Progress(done, t.Duration) }
	}
	for i := range t.Players {
		e.Players = append(e.Players, t.player(match, i, seed))
	}
	return e, nil
}

// paramsLine returns the line of the param that an error is about, and else that of the first.
func (t *stage) paramsLine(err error) int {
	var bad *movement.BadTunable
	for i := range t.Params {
		p := &t.Params[i]
		if errors.As(err, &bad) && strings.EqualFold(strings.ReplaceAll(p.Name, "_", ""), bad.Name) {
			return p.Line
		}
	}
	if len(t.Params) == 0 {
		return 0
	}
	return t.Params[0].Line
}

// setup returns the configuration of the match.
func (t *stage) setup(seed uint64) Setup {
	keys := uint64(0)
	s := Setup{
		ServerConfig: session.ServerConfig{
			World: t.place.world, LevelHash: "lab",
			TickRate: t.Server.Tick, SnapshotRate: t.Server.Snapshots,
			MaxRewind: t.maxRewind(), Cover: t.Server.Cover, Beyond: t.beyond(), PlayersBlock: t.Server.Block,
			Snapshot: replicate.Rules{Budget: t.Server.Budget, Radius: t.Server.Radius}, Visibility: t.visibility(),
			Players: len(t.Players), ReconnectTime: clock.Micros(scenario.MaxTime),
			NewKey: func() (k session.Key) { // the lab needs no secrets
				keys++
				for i := range 8 {
					k[i] = byte(keys >> (8 * i))
				}
				return k
			},
		},
		FlightTimeline: t.flightTimeline(), Params: t.Params, Damage: t.Server.Damage, Recorded: t.recorded(),
		Motions: t.motions, NavWalks: t.navWalks(), KillHeight: t.place.killHeight, Entities: t.place.entities, Seed: mix(seed, 1<<32), Quiet: t.Quiet,
	}
	for i := range t.Players {
		s.Honest = append(s.Honest, t.honest(i))
	}
	for i := range t.Paths {
		s.Paths = append(s.Paths, t.Paths[i].Collide())
	}
	for i := range t.Players {
		s.Spawns = append(s.Spawns, Spawn{t.Players[i].At, t.Players[i].Yaw})
	}
	return s
}

// honest reports whether a player never cheats, nor sends what no honest client does.
func (t *stage) honest(i int) bool {
	p := &t.Players[i]
	return (p.Cheat == "" || p.Cheat == "none") && !slices.ContainsFunc(t.Faults, func(f scenario.Fault) bool { return f.Player == p.Name && f.Hostile() })
}

// maxRewind returns the longest time into the past at which shots are judged.
func (t *stage) maxRewind() clock.Micros {
	if t.Server.MaxRewind == 0 {
		return shot.NoRewind
	}
	return t.Server.MaxRewind
}

// beyond returns how shots into older views are judged.
func (t *stage) beyond() shot.Beyond {
	if t.Server.Beyond == "present" {
		return shot.Present
	}
	return shot.Capped
}

// flightTimeline returns the past in which projectiles fly, nil where their weapons say.
func (t *stage) flightTimeline() *shot.FlightTimeline {
	if t.Server.FlightTimeline == "" {
		return nil
	}
	l := shot.FlightTimeline(slices.Index(scenario.FlightTimelines(), t.Server.FlightTimeline))
	return &l
}

// serverActions returns the actions of the server in the scripts.
func (t *stage) serverActions(m Match) []ServerAction {
	var out []ServerAction
	for _, o := range t.ServerActions() {
		id := session.PlayerID(o.Player + 1)
		if o.Push != nil {
			v := *o.Push
			out = append(out, ServerAction{o.At, func() { m.Push(id, v) }, o.Player, "pushed"})
		}
		if o.Mode != "" {
			out = append(out, ServerAction{o.At, func() { m.SetMode(id, o.Mode, o.Path) }, o.Player, "mode"})
		}
		if o.RootMotion != nil {
			out = append(out, ServerAction{o.At, func() { m.Move(id, o.RootMotion) }, o.Player, "root_motion"})
		}
	}
	return out
}

// player returns a player of the scenario as one of the experiment, and joins it.
func (t *stage) player(m Match, i int, seed uint64) Player {
	p := &t.Players[i]
	r := &controller{motions: t.motions, cursor: scenario.NewCursor(p), yaw: p.Yaw, cheat: p.Cheat, cheatParams: p.CheatParams, held: true, scenario: t.Scenario}
	participant := Participant{
		Name: p.Name, Cheat: p.Cheat, CheatParams: p.CheatParams, Bot: p.Bot, Seed: mix(mix(seed, uint64(i)), 4),
		ClientConfig: session.ClientConfig{SendRate: p.Send, Tick: p.Tick, InputDelay: p.InputDelay, Lasted: r.lasted, Acknowledge: r.acknowledge, Mode: modeOf(p.Remote)},
	}
	r.recording = t.recordings[i]
	r.aimer = aimer{weapons: m.Weapons(), poser: newPoser(hitboxesOf(m))}
	r.actor, r.bot = m.Join(participant), p.Bot != "none" && p.Bot != ""
	out := Player{
		Name: p.Name, Client: r.actor, Play: r.play, Frames: p.Frame,
		Network: p.Network, Rate: p.Clock.Rate, Offset: p.Clock.Offset, asked: &r.shotsAsked,
		Times: timesOf(r.recording), Cheats: p.Cheat != "none" && p.Cheat != "", done: &r.done,
	}
	if p.Cheat == "lag" || p.Cheat == "ping" {
		out.Hold, out.Every = p.CheatParams.Hold, p.CheatParams.Every
	}
	return out
}

// controller plays one player of a scenario.
type controller struct {
	scenario    *scenario.Scenario
	actor       Actor
	cursor      *scenario.Cursor
	yaw         float64
	bot         bool
	cheat       string
	cheatParams scenario.CheatParams
	now         clock.Micros // match time since time zero, by the client's estimate
	held        bool         // in place, until time zero
	shotsAsked  int          // shots
	motions     []*scenario.RootMotion
	waiting     []*scenario.RootMotion // to be started
	lastShot    *scenario.Fire         // the shot that nocooldown repeats
	aimer       aimer
	acked       track.Received     // in the last datagram
	local       clock.Micros       // time of the frame
	recording   *scenario.Commands // replaces the script; nil: none
	next        int                // command of the recording
	done        []ranCommand       // recorded positions of the commands made so far
}

// lasted returns the duration that a command claims. While the player is held it is at most a time
// quantum, in which nothing moves.
func (r *controller) lasted(frame clock.Micros) clock.Micros {
	switch {
	case r.held:
		return min(frame, predict.TimeQuantum)
	case r.recording != nil:
		return r.recording.Commands[r.next].Lasts
	case r.cheat == "speed", r.cheat == "burst" && r.now%r.cheatParams.Every < r.cheatParams.Hold:
		return clock.Micros(float64(frame) * r.cheatParams.Rate)
	}
	return frame
}

// backdates reports whether the player claims views that are older than drawn.
func (r *controller) backdates() bool { return r.cheat == "backdate" || r.cheat == "withhold" }

// acknowledge returns which of the received snapshots the client acknowledges, and for how long it
// claims to have held the newest.
func (r *controller) acknowledge(_ clock.Micros, seen track.Received, held clock.Micros) (track.Received, clock.Micros) {
	if r.cheat == "withhold" && r.now > 0 && r.now%r.cheatParams.Every < r.cheatParams.Hold && r.acked.Newest != 0 {
		return r.acked, -1
	}
	r.acked = seen
	return seen, held
}

// play plays one frame.
func (r *controller) play(local, t clock.Micros) {
	h := Controls{Yaw: r.yaw}
	r.local = local
	if r.now = t; r.recording != nil {
		r.playRecorded(local, t)
		return
	}
	if r.backdates() {
		r.aimer.remember(r.actor.View().At, r.actor.Remotes(), r.cheatParams.Hold)
	}
	if r.held = t < 0; !r.held {
		h = r.controls(local, t)
	}
	r.actor.Act(local, &h)
}

// controls returns the input of a frame at match time t.
func (r *controller) controls(local, t clock.Micros) Controls {
	if r.bot {
		h := r.actor.Think(local)
		r.shotsAsked += count(h.Fire)
		return h
	}
	in := r.cursor.Frame(t)
	h := Controls{
		Forward: in.Forward, Right: in.Right, Up: in.Up, Yaw: in.Yaw, Pitch: in.Pitch,
		Jump: in.Jump, Crouch: in.Crouch, Buttons: in.Buttons,
	}
	r.waiting = append(r.waiting, in.Motions...)
	if len(r.waiting) > 0 { // one command starts one motion
		h.Motion = 1 + slices.Index(r.motions, r.waiting[0])
		r.waiting = r.waiting[1:]
	}
	h.Aim = Aim{Yaw: in.Yaw, Pitch: in.Pitch}
	r.shotsAsked += len(in.Shots)
	r.fire(&in, t, &h)
	return h
}

// fire adds the shots of a frame: one of the script, the blade in its swing, or one of a cheat.
func (r *controller) fire(in *scenario.Input, t clock.Micros, h *Controls) {
	h.Weapon = in.NextWeapon
	swing := r.aimer.swinging(t)
	switch {
	case len(in.Shots) > 0:
		shot := in.Shots[0]
		h.Fire, h.Weapon = r.aim(&shot, &h.Aim), shot.Weapon
		r.lastShot = &shot
		r.aimer.begin(&shot, t)
	case swing != nil:
		h.Fire, h.Weapon = r.aim(swing, &h.Aim), swing.Weapon
	case r.cheat == "nocooldown":
		r.shotsAsked++
		h.Fire = r.lastShot == nil || r.aim(r.lastShot, &h.Aim)
	}
}
