package swarm

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/backstep-net/backstep/lab/scenario"
)

// Draw returns the case of a seed, in a game with those words.
func Draw(seed uint64, words scenario.Options) Case {
	d := dice{rand.New(rand.NewPCG(seed, 0x73776172)), words}
	level := levels[d.IntN(len(levels))]
	c := Case{Name: fmt.Sprintf("swarm, seed %d", seed), Seed: seed, Seconds: 4 + d.IntN(17), Level: level.text}
	c.Server = d.server(&level)
	n := 1 + d.IntN(6)
	if d.chance(0.08) {
		n = 8 + d.IntN(8)
	}
	for i := range n {
		c.Players = append(c.Players, Player{Name: fmt.Sprintf("p%d", i+1)})
	}
	for i := range c.Players {
		d.player(&c, i, level.spawns[i%len(level.spawns)])
	}
	for range d.IntN(2 + n) {
		c.Faults = append(c.Faults, d.fault(&c))
	}
	return c
}

// dice draws.
type dice struct {
	*rand.Rand
	words scenario.Options
}

func (d *dice) chance(p float64) bool { return d.Float64() < p }

func (d *dice) of(list ...string) string { return list[d.IntN(len(list))] }

// between returns a number with two decimals.
func (d *dice) between(low, high float64) float64 {
	return float64(int((low+(high-low)*d.Float64())*100)) / 100
}

func (d *dice) server(l *level) (keys []Key) {
	add := func(p float64, name, value string) {
		if d.chance(p) {
			keys = append(keys, Key{name, value})
		}
	}
	tick := d.of("20", "30", "60", "60", "128")
	add(0.6, "tick", tick)
	if len(keys) > 0 {
		add(0.3, "snapshots", d.of("10", "15", "20"))
	}
	add(0.7, "damage", "true")
	add(0.5, "block", "true")
	add(0.3, "visibility", "true")
	add(0.3, "max_rewind", d.of("0s", "100ms", "200ms", "1s"))
	add(0.2, "beyond", "present")
	add(0.2, "cover", "150ms")
	add(0.3, "flight_timeline", d.of("shooter", "fade", "present"))
	add(0.2, "start_time", d.of("900000s", "4294s", "36000s"))
	if l.entities {
		add(0.5, "entities", "true")
	}
	return keys
}

// player draws the player of index i.
func (d *dice) player(c *Case, i int, at string) {
	p := &c.Players[i]
	add := func(chance float64, name, value string) {
		if d.chance(chance) {
			p.Keys = append(p.Keys, Key{name, value})
		}
	}
	add(1, "at", at)
	add(0.5, "yaw", fmt.Sprint(d.IntN(720)-360))
	add(0.7, "frame", d.of("15", "30", "50", "60", "75", "144", "240", "[144, 30]", "[20, 60]"))
	add(0.2, "send", d.of("20", "30", "120"))
	add(0.2, "tick", d.of("20", "30", "60", "128"))
	add(0.2, "input_delay", d.of("20ms", "50ms", "100ms"))
	add(0.9, "network", d.network())
	add(0.3, "clock", fmt.Sprintf("{rate: %s, offset: %ds}", d.of("1", "1.0005", "0.9995", "1.005"), d.IntN(40)-20))
	add(0.2, "remote", d.of(scenario.Remotes()...))
	if d.chance(0.2) {
		add(1, "cheat", d.of(scenario.Cheats()[1:]...))
	}
	if d.chance(0.4) {
		add(1, "bot", d.of("wander", "hunter", "hunter"))
		return
	}
	for range 2 + d.IntN(30) {
		p.Script = append(p.Script, d.entry(c, i))
	}
	slices.SortStableFunc(p.Script, func(a, b Entry) int { return a.At - b.At })
}

func (d *dice) network() string {
	if d.chance(0.3) {
		return d.of("lan", "wifi", "mobile", "awful")
	}
	return fmt.Sprintf("{rtt: %dms, jitter: %dms, loss: %v, duplicate: %v, reorder: %v, burst: {enter: %v, leave: %v}}",
		d.IntN(300), d.IntN(60), d.rare(0.3), d.rare(0.3), d.rare(0.3), d.rare(0.02), d.between(0.1, 1))
}

// rare returns 0 half of the time, and else a number up to most.
func (d *dice) rare(most float64) float64 {
	if d.chance(0.5) {
		return 0
	}
	return float64(int(most*d.Float64()*1000)) / 1000
}

// entry draws an entry of the script of player i.
func (d *dice) entry(c *Case, i int) Entry {
	e := Entry{At: d.IntN(c.Seconds * 1000)}
	switch d.IntN(12) {
	case 0, 1, 2:
		e.Text = fmt.Sprintf("forward: %v, right: %v", d.between(-1, 1), d.between(-1, 1))
	case 3:
		e.Text = fmt.Sprintf("turn: %v, tilt: %v", d.between(-400, 400), d.between(-30, 30))
	case 4:
		e.Text = fmt.Sprintf("jump: %v, crouch: %v", d.chance(0.7), d.chance(0.3))
	case 5:
		e.Text = d.of("press", "release") + ": " + d.button()
	case 6:
		e.Text = fmt.Sprintf("push: [%v, %v, %v]", d.between(-12, 12), d.between(0, 10), d.between(-12, 12))
	case 7:
		e.Text = fmt.Sprintf("root_motion: {kind: constant_force, for: %dms, velocity: [%v, 0, %v], by: %s}",
			100+d.IntN(700), d.between(-8, 8), d.between(-8, 8), d.of("server", "owner"))
	case 8:
		e.Text = fmt.Sprintf("yaw: %d, pitch: %d, up: %v", d.IntN(720)-360, d.IntN(160)-80, d.between(-1, 1))
	default:
		d.fire(&e, c, i)
	}
	return e
}

// button draws a button of the game's, of those that leave the player in the match.
func (d *dice) button() string {
	return d.of(slices.DeleteFunc(slices.Clone(d.words.Buttons), func(b string) bool { return b == "spectate" })...)
}

// fire makes an entry shots at another player, or along some angles.
func (d *dice) fire(e *Entry, c *Case, i int) {
	weapon := d.of(d.words.Weapons...)
	at := fmt.Sprintf("yaw: %d, pitch: %d", d.IntN(720)-360, d.IntN(120)-80)
	if n := len(c.Players); n > 1 && d.chance(0.7) {
		e.Target = c.Players[(i+1+d.IntN(n-1))%n].Name
		at = "at: " + e.Target + ", part: " + d.of("head", "body", "leg") + ", lead: " + d.of("true", "false")
	}
	e.Text = fmt.Sprintf("fire: {weapon: %s, %s}, times: %d, every: %dms", weapon, at, 2+d.IntN(12), 50+d.IntN(500))
}

// fault draws a fault, which ends before the quiet part.
func (d *dice) fault(c *Case) Fault {
	f := Fault{Player: c.Players[d.IntN(len(c.Players))].Name, At: d.IntN(c.Seconds * 900)}
	kind := d.of("freeze", "freeze", "partition", "partition", "background", "clock_step", "reconnect", "reconnect",
		"restart", "next_level", "overload", "overload", "garbage", "bit_flips", "replays", "wild_stamps")
	f.Text = "kind: " + kind
	switch kind {
	case "clock_step":
		f.Text += fmt.Sprintf(", by: %dms", 1+d.IntN(5000))
		return f
	case "restart", "next_level", "overload":
		f.Player = ""
	}
	f.For = 10 + d.IntN(min(4000, c.Seconds*1000-f.At-10))
	return f
}
