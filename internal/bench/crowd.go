package bench

import (
	"math"

	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/internal/benchscene"
	"github.com/backstep-net/backstep/movement"
)

// crowdSize is the number of characters of a crowd.
const crowdSize = 1000

// StepTime is how long each step of a crowd lasts, in microseconds: 1/60 s.
const StepTime = 16667

// Crowd is a thousand characters that run about on a scene.
type Crowd struct {
	// Queries counts the world queries of the last step.
	Queries int
	// Block makes the characters obstacles of each other. A grid, rebuilt in each tick, finds those nearby.
	Block bool

	model movement.Model
	world collide.WorldAt
	turn  float64
	state []movement.State
	dice  []benchscene.Draw
	cmd   []movement.Command
	use   movement.Command
	f     movement.StepContext
	tick  int
	near  grid
}

// NewCrowd returns a crowd at the start, in the air, on a scene that world was baked from.
func NewCrowd(scene benchscene.Scene, world *collide.World) *Crowd {
	c := &Crowd{model: Model(), world: collide.WorldAt{World: world}, turn: scene.Turn}
	d := benchscene.Draw(7)
	for i := range crowdSize {
		x := d.Within(scene.Start)
		z := d.Within(scene.Start)
		s := movement.State{Position: geom.V(x, scene.Height(x, z)+5, z), Mode: movement.Falling}
		c.state = append(c.state, s)
		c.dice = append(c.dice, benchscene.Draw(d.Next()^uint32(uint64(i)*2654435761)))
	}
	c.cmd = make([]movement.Command, len(c.state))
	return c
}

// Model returns the tunables of the measured characters: a radius of 0.3 m, 1.8 m tall, gravity of 9.81 m/s².
func Model() movement.Model {
	m := movement.DefaultModel()
	m.Radius, m.HalfHeight, m.Gravity = .3, .9, 9.81
	return m
}

// Keep removes all but the first n characters.
func (c *Crowd) Keep(n int) { c.state = c.state[:n] }

// WarmUp steps all characters for the two seconds that are not timed.
func (c *Crowd) WarmUp() {
	for range 120 * len(c.state) {
		c.Step()
	}
}

// Copy sets the crowd to the state of another on the same scene.
func (c *Crowd) Copy(from *Crowd) {
	c.tick, c.near.next = from.tick, from.near.next
	copy(c.state, from.state)
	copy(c.dice, from.dice)
	copy(c.cmd, from.cmd)
}

// State returns character i.
func (c *Crowd) State(i int) *movement.State { return &c.state[i%len(c.state)] }

// Step moves the next character, and begins a tick after the last. Each runs at 6 m/s wherever its dice point, and
// back where it strays too far. It returns the number of the character.
func (c *Crowd) Step() int {
	i := c.near.next
	if c.near.next++; c.near.next == len(c.state) {
		c.near.next = 0
	}
	if i == 0 && c.Block {
		c.near.fill(c.state)
	}
	s, cmd := &c.state[i], &c.cmd[i]
	if c.tick == 0 || (c.tick+i)%30 == 0 {
		cmd.Yaw = 2 * math.Pi * c.dice[i].Unit()
		cmd.Forward = 1
	}
	c.use = *cmd
	if p := s.Position; math.Abs(p.X) > c.turn || math.Abs(p.Z) > c.turn {
		c.use.Yaw = math.Atan2(p.X, p.Z)
	}
	s.Velocity = geom.Forward(c.use.Yaw).Mul(6).MulAdd(geom.Up, s.Velocity.Y)
	if c.Block {
		c.world.Obstacles = c.near.around(&c.model, c.state, i, c.world.Obstacles[:0])
	}
	movement.Step(&c.model, s, &c.use, StepTime, &c.world, &c.f)
	c.Queries = c.f.Queries
	if i == len(c.state)-1 {
		c.tick++
	}
	return i
}

// The cells of a grid over the 200 m of a scene: two metres, as far as a character's obstacles are looked for.
const (
	cellSize = 2.0
	cells    = 100
)

// grid finds nearby characters. Each cell has a list of the characters in it.
type grid struct {
	next  int // the character that steps next
	first [cells * cells]int16
	after [crowdSize]int16 // in the list of the same cell; −1 ends it
}

// cell returns the row or column of a coordinate.
func cell(v float64) int { return int(geom.Clamp((v+100)/cellSize, 0, cells-1)) }

// fill puts all characters into the cells.
func (g *grid) fill(all []movement.State) {
	for i := range g.first {
		g.first[i] = -1
	}
	for i := range all {
		at := &g.first[cell(all[i].Position.Z)*cells+cell(all[i].Position.X)]
		g.after[i], *at = *at, int16(i)
	}
}

// around appends the characters within two metres of character self as obstacles, up to collide.MaxObstacles.
func (g *grid) around(m *movement.Model, all []movement.State, self int, into []collide.Obstacle) []collide.Obstacle {
	p := all[self].Position
	for z := cell(p.Z - cellSize); z <= cell(p.Z+cellSize); z++ {
		for x := cell(p.X - cellSize); x <= cell(p.X+cellSize); x++ {
			for i := g.first[z*cells+x]; i >= 0; i = g.after[i] {
				if int(i) == self || len(into) == collide.MaxObstacles || all[i].Position.Sub(p).LenSq() > cellSize*cellSize {
					continue
				}
				into = append(into, collide.Obstacle{ID: uint16(i), Capsule: m.Capsule(&all[i]), Velocity: all[i].Velocity})
			}
		}
	}
	return into
}
