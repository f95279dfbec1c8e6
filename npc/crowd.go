package npc

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/damage"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/movement"
	"github.com/backstep-net/backstep/nav"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// Match is what a Crowd needs of the match; a session.Server is one.
type Match interface {
	Spawn(kind track.Kind) track.ID
	UpdateEntity(id track.ID, sample track.Sample)
	TeleportEntity(id track.ID)
	Despawn(id track.ID)
	EntityLife(id track.ID) uint8
	PlayersBlock() bool
	Seats() int
	PlayerBody(id session.PlayerID) (pose track.Sample, capsule geom.Capsule, solid bool)
}

// Config configures a Crowd. Match, World and Kinds are required, and Mesh for Steer.
type Config struct {
	// Match is the session.Server. Nil panics in New.
	Match Match
	// World is the level of the match. Nil panics in New.
	World *collide.World
	// Mesh is what paths are searched on; nav.Bake makes it for the body of the characters. Nil: they
	// stand, and Steer panics.
	Mesh *nav.Mesh
	// Kinds are the characters by the kind of their entities. Kind 0 is allowed: entities of it are
	// characters in any game.
	Kinds map[track.Kind]Kind
	// Ledger keeps the health of the characters; the game applies receipts to it as for players. It
	// must have room for every id: damage.NewLedger(rules, int(track.MaxID)+1). Nil: only Kill kills.
	Ledger *damage.Ledger
	// Avoid has the bits 1<<nav.Kind of the links that no character uses. Zero means nav.Lift,
	// nav.Bridge and nav.Jump, which take more than walking straight on. 1 avoids nothing, because
	// nav.Walk is no link.
	Avoid uint32
	// Paths is how many paths a Step searches at most; zero means 4. The others wait for the next, so
	// that a hundred characters that are steered in one tick do not make that tick long.
	Paths int
}

// Kind is how characters of one kind of entity move. The zero Kind is a person that walks.
type Kind struct {
	// Model is how they move; nil means movement.DefaultModel. It must not change.
	Model *movement.Model
	// Speed is that of walking along a path, in m/s; zero means the model's MaxWalkSpeed.
	Speed float64
	// TurnRate is how fast they turn to where they walk, in rad/s; zero means the model's.
	TurnRate float64
	// Mode is movement.Walking or movement.NavWalking, which costs a quarter, knows no steps that are
	// not on the mesh, and uses no nav.Drop; zero means Walking.
	Mode movement.Mode
	// Team is their team in the Ledger; zero is none.
	Team damage.Team
	// Corpse is how long a dead character stays before it is removed; zero means 3 s, below zero the game
	// removes it.
	Corpse clock.Micros
}

// Crowd holds the server-controlled characters of one match. Make one with New; it serves the goroutine
// of the match. A method that takes an id panics where there is no character with it.
type Crowd struct {
	config Config
	kinds  map[track.Kind]*Kind // with their zeros replaced
	list   []*character         // by id
	spare  []*character         // removed ones, whose memory the next ones take
	query  nav.Query
	path   []nav.Corner // scratch
	search int          // index of the next character that may search a path
	at     clock.Micros // match time of the newest Step
	events []Event      // of the newest Step

	// Scratch that all moves of a Step share; only the obstacles of view differ between characters.
	context movement.StepContext
	view    collide.WorldAt
	near    neighbours
}

// character is one character of a Crowd.
type character struct {
	id     track.ID
	kind   *Kind
	state  movement.State
	stance track.Stance
	stride float64
	data   uint16
	dead   bool
	killed bool         // by Kill, without a Ledger
	goneAt clock.Micros // when the dead are removed; 0: never
	steering
}

// The defaults of Config and Kind.
const (
	defaultPaths  = 4
	defaultCorpse = 3 * clock.Second
	defaultAvoid  = 1<<nav.Lift | 1<<nav.Bridge | 1<<nav.Jump
	// longestStep is the longest time of one Step; a match that stalls does not catch up. It is that of a
	// player's move (predict.MaxDuration), and it bounds the first Step, which has none before it.
	longestStep = 125 * clock.Millisecond
)

// New returns a Crowd without characters. It panics where the Config is wrong, and says which field
// and how to fix it.
func New(config Config) *Crowd {
	if config.Match == nil || config.World == nil {
		panic("npc: Config.Match and World are required: the session.Server and the level that it was made with")
	}
	if len(config.Kinds) == 0 {
		panic("npc: Config.Kinds is empty: declare at least one kind of character")
	}
	config.Paths = cmp.Or(config.Paths, defaultPaths)
	config.Avoid = cmp.Or(config.Avoid, defaultAvoid)
	c := &Crowd{config: config, kinds: map[track.Kind]*Kind{}, view: collide.WorldAt{World: config.World}}
	// In the order of the kinds, so that of several faults the same one is reported each time.
	for i := range 256 {
		if k, ok := config.Kinds[track.Kind(i)]; ok {
			c.kinds[track.Kind(i)] = k.filled(i, config.Mesh)
		}
	}
	c.query = nav.Query{Mesh: config.Mesh, Reach: pathReach}
	if config.Mesh != nil {
		c.context.Mesh = config.Mesh
	}
	// Room from the beginning: a Step allocates only where a path has more corners than any before.
	c.path = make([]nav.Corner, 0, pathRoom)
	return c
}

// filled returns the kind with its zeros replaced.
func (k Kind) filled(number int, mesh *nav.Mesh) *Kind {
	if k.Model == nil {
		m := movement.DefaultModel()
		k.Model = &m
	}
	k.Speed = cmp.Or(k.Speed, k.Model.MaxWalkSpeed)
	k.TurnRate = cmp.Or(k.TurnRate, k.Model.TurnRate)
	k.Mode = cmp.Or(k.Mode, movement.Walking)
	k.Corpse = cmp.Or(k.Corpse, defaultCorpse)
	// Checked here and not in the first Step: a game that starts has no wrong kinds.
	name := "npc: Config.Kinds[" + strconv.Itoa(number) + "]"
	if k.Mode != movement.Walking && k.Mode != movement.NavWalking {
		panic(name + ".Mode must be movement.Walking or movement.NavWalking")
	}
	if k.Mode == movement.NavWalking && mesh == nil {
		panic(name + ".Mode is movement.NavWalking: set Config.Mesh, or walk")
	}
	if !(k.Speed > 0) || !(k.TurnRate > 0) {
		panic(name + ".Speed and TurnRate must be positive, in m/s and rad/s")
	}
	return &k
}

// Spawn puts a character into the match, with its feet at a place and facing yaw, and returns the id
// of its entity; 0 where the match has no room. It panics for a kind that is not declared.
func (c *Crowd) Spawn(kind track.Kind, at geom.Vec3, yaw float64) track.ID {
	k, ok := c.kinds[kind]
	if !ok {
		panic("npc: Spawn of kind " + strconv.Itoa(int(kind)) + ": declare it in Config.Kinds")
	}
	id := c.config.Match.Spawn(kind)
	if id == 0 {
		return 0
	}
	n := c.newCharacter(id, k)
	n.state = movement.Spawn(at, yaw)
	n.state.Mode = k.Mode
	// The ledger begins a life: receipts of shots at an earlier character of the same id do not count.
	if c.config.Ledger != nil {
		c.config.Ledger.Join(id, false)
		c.config.Ledger.Spawn(id, c.config.Match.EntityLife(id), k.Team)
	}
	i, _ := c.find(id)
	c.list = slices.Insert(c.list, i, n)
	c.record(n, 0)
	return id
}

// newCharacter returns a character without a state, which reuses the memory of a removed one.
func (c *Crowd) newCharacter(id track.ID, k *Kind) *character {
	var n *character
	if last := len(c.spare) - 1; last >= 0 {
		n, c.spare = c.spare[last], c.spare[:last]
	} else {
		n = &character{}
		// A path of pathRoom corners, so that the follower allocates its memory now and not in a Step.
		n.follower.Follow(c.path[:pathRoom])
	}
	n.follower.Stop()
	*n = character{id: id, kind: k, steering: steering{follower: n.follower}}
	// Half of the acceleration of the model, as nav.Follower advises: it also has to turn.
	n.follower.Speed, n.follower.Acceleration, n.follower.CornerRadius = k.Speed, k.Model.MaxAcceleration*0.5, cornerRadius
	if n.follower.Mesh = nil; k.Mode == movement.NavWalking {
		n.follower.Mesh = c.config.Mesh
	}
	return n
}

// Remove takes a character out of the match.
func (c *Crowd) Remove(id track.ID) {
	n := c.get(id)
	c.config.Match.Despawn(id)
	if c.config.Ledger != nil {
		c.config.Ledger.Leave(id)
	}
	i, _ := c.find(id)
	c.list = slices.Delete(c.list, i, i+1)
	c.spare = append(c.spare, n)
}

// Step moves all characters to match time now: call it in session.ServerConfig.Simulate, once a tick.
// Events are those of this Step then.
func (c *Crowd) Step(now clock.Micros) {
	d := min(now-c.at, longestStep)
	c.at, c.view.At = now, now
	c.events = c.events[:0]
	// The dead first: they neither walk nor stand in the way in this Step.
	c.updateDead()
	// All are steered by the places at the beginning of the Step, so the order of the list does not matter.
	c.near.gather(c)
	c.searchPaths()
	for _, n := range c.list {
		// A Step at the same time as the one before moves nothing, but puts what Teleport and Modify have
		// changed into the snapshot.
		if d > 0 && !n.dead {
			c.move(n, d)
		}
		c.record(n, max(d, 0))
	}
}

// updateDead marks characters that are dead in the ledger, and removes those that have been dead for
// Kind.Corpse.
func (c *Crowd) updateDead() {
	for i := 0; i < len(c.list); i++ {
		n := c.list[i]
		if !n.dead && c.killed(n) {
			c.die(n)
		}
		if n.dead && n.goneAt > 0 && c.at >= n.goneAt {
			c.Remove(n.id)
			i-- // the next one has moved down
		}
	}
}

// killed reports whether a character was killed, or has no health left.
func (c *Crowd) killed(n *character) bool {
	if c.config.Ledger == nil {
		return n.killed
	}
	v := c.config.Ledger.Vitals(n.id)
	return v.Dead()
}

// die makes a character lie dead where it is. The dead are not simulated: one that is killed in the air
// stays there, and a lift does not carry it.
func (c *Crowd) die(n *character) {
	n.dead, n.state.Velocity = true, geom.Vec3{}
	n.stop()
	if n.kind.Corpse > 0 {
		n.goneAt = c.at + n.kind.Corpse
	}
	c.events = append(c.events, Event{Died, n.id})
}

// move steers a character and simulates its move of d.
func (c *Crowd) move(n *character, d clock.Micros) {
	command := c.steer(n, d)
	c.view.Obstacles = nil
	// NavWalking follows the mesh and tests no obstacles.
	if c.near.block && n.state.Mode != movement.NavWalking {
		c.view.Obstacles = c.near.obstacles(n)
	}
	from, base := n.state.Position, n.state.Base.Mover
	movement.Step(n.kind.Model, &n.state, command, d, &c.view, &c.context)
	// A distance that a mover carried it is no stride.
	if n.state.Base.Mover == base && base == collide.Static {
		n.stride = track.WrapStride(n.stride + n.state.Position.Sub(from).Flat(n.state.UpVector()).Len())
	}
}

// find returns the index at which an id is, or belongs, and whether it is there.
func (c *Crowd) find(id track.ID) (int, bool) {
	return slices.BinarySearchFunc(c.list, id, func(n *character, id track.ID) int { return cmp.Compare(n.id, id) })
}

// get returns the character of an id. It panics if there is none.
func (c *Crowd) get(id track.ID) *character {
	i, ok := c.find(id)
	if !ok {
		panic("npc: there is no character " + strconv.Itoa(int(id)) + ": take the id from Spawn, and drop it with Remove and at Died")
	}
	return c.list[i]
}
