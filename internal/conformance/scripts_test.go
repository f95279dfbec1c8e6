package conformance

import (
	"fmt"
	"testing"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/examples/arena"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/shot"
)

const ms = clock.Millisecond

// keysOf returns the keys that a recorded server hands out.
func keysOf(n int) (keys []Hex) {
	for i := range n {
		k := make(Hex, 16)
		for j := range k {
			k[j] = byte(17*i + 3*j + 1)
		}
		keys = append(keys, k)
	}
	return keys
}

// rail is the sleds' level: nothing.
func rail(t testing.TB) *collide.World { return baked(t, func(*collide.Builder) {}) }

// court is the heroes' level: a floor at height 0, and a step to jump on.
func court(t testing.TB) *collide.World {
	return baked(t, func(b *collide.Builder) {
		b.Box(geom.V(0, -1, 0), geom.V(40, 1, 40), geom.IdentityQuat, collide.Surface{})
		b.Box(geom.V(2, 0, -3), geom.V(1, 0.3, 1), geom.IdentityQuat, collide.Surface{})
	})
}

func baked(t testing.TB, build func(*collide.Builder)) *collide.World {
	t.Helper()
	var b collide.Builder
	build(&b)
	w, err := b.Bake()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// sleds returns the ends of the sleds' match.
func sleds(t testing.TB) *Machine[SledState, SledInput] {
	return NewMachine(Config{Game: "sled", Ticks: 60, Snapshots: 30, Seats: 3, Level: "rail", Keys: keysOf(3),
		Rates: []int{60, 60, 30}, Fixed: []int{0, 0, 0}},
		func() session.Game[SledState, SledInput] { return NewSled().Rules() }, rail(t))
}

// heroes returns the ends of the arena's match.
func heroes(t testing.TB) *Machine[arena.Hero, arena.Command] {
	return NewMachine(Config{Game: "arena", Ticks: 60, Snapshots: 60, Seats: 2, Level: "court", Block: true, Keys: keysOf(3),
		Rates: []int{60, 60}, Fixed: []int{0, 60}},
		func() session.Game[arena.Hero, arena.Command] { return arena.NewGame().Rules() }, court(t))
}

// sledScript is six seconds of two people on sleds: Ann at 144 frames a second loses
// its link at 2.8 s and comes back as client 3; Bob asks for an input delay.
func sledScript() *script[SledState, SledInput] {
	return &script[SledState, SledInput]{
		frames: []clock.Micros{6944, 16667, 11111},
		joins:  []clock.Micros{100 * ms, 150 * ms, 3100 * ms},
		leaves: []clock.Micros{2800 * ms, 0, 0},
		until:  6 * clock.Second,
		spawn:  func(player int) SledState { return SledState{X: int64(player) << 25} },
		input:  sledInput,
		lost: func(up bool, peer, n int, at clock.Micros) bool {
			return up && peer == 1 && (n%11 == 5 || n >= 100 && n < 126) || !up && n%9 == 4
		},
		acts:    sledActs,
		clients: sledClients(),
	}
}

// sledInput is what the players want at a match time.
func sledInput(client int, c *session.Client[SledState, SledInput], now clock.Micros) (in SledInput) {
	if client == 2 {
		in.Push = int8(now/(500*ms)%3) - 1
		return in
	}
	in.Push = int8(now/(160*ms)*7%3) - 1
	if now/(8*ms)%60 == 7 {
		c.Aim(&in.Shot) // along −Z, where nothing is
	}
	return in
}

// sledActs is what the match does after a tick.
func sledActs(m *Machine[SledState, SledInput], at clock.Micros) []Entry {
	server := func(e Entry) []Entry { e.End = "server"; return []Entry{e} }
	switch at / clock.TickTime(1, 60) {
	case 66: // a push that no client could predict
		s, _ := m.Server.State(1)
		s.V += 2500
		return server(Entry{Do: "modify", Player: 1, Bytes: m.PackedState(s)})
	case 80:
		return server(Entry{Do: "text", Player: 1, Name: "colour", Bytes: Hex("sky blue")})
	case 85, 110:
		return server(Entry{Do: "number", Player: 2, Name: "laps", Value: int64(at / clock.Second)})
	case 87:
		return server(Entry{Do: "number", Name: "wind", Value: -77})
	case 90:
		return server(Entry{Do: "message", Player: 2, Bytes: Hex("you are Bob")})
	case 100: // a teleport
		return server(Entry{Do: "setState", Player: 2, Bytes: m.PackedState(SledState{X: -3 << 24})})
	}
	return nil
}

// sledClients is what the clients do besides moving, each once.
func sledClients() func(m *Machine[SledState, SledInput], client int, at clock.Micros) []Entry {
	names := []string{"Ann", "Bob Ωmega", "Ann"}
	done := map[string]bool{}
	return func(m *Machine[SledState, SledInput], client int, at clock.Micros) (list []Entry) {
		once := func(what string, from clock.Micros, e Entry) {
			if key := fmt.Sprint(client, what); at >= from && !done[key] {
				done[key], e.End = true, fmt.Sprint("client ", client)
				list = append(list, e)
			}
		}
		key := Hex(nil)
		if client == 3 {
			key = m.Config.Keys[0]
		}
		once("hello", 0, Entry{Do: "hello", Name: names[client-1], Bytes: key})
		switch client {
		case 2:
			once("tell", clock.Second, Entry{Do: "message", Bytes: Hex("hi")})
			once("delay", 1500*ms, Entry{Do: "delay", Delay: 40})
		case 3:
			once("leave", 3900*ms, Entry{Do: "leave"})
		}
		return list
	}
}

// heroScript is five seconds in the arena: Ann walks, jumps, turns and shoots Bob, whose
// moves have a fixed rate; packets are lost, and a push that Ann cannot predict leads to a correction.
func heroScript() *script[arena.Hero, arena.Command] {
	greeted := map[int]bool{}
	return &script[arena.Hero, arena.Command]{
		frames: []clock.Micros{16667, 6944},
		joins:  []clock.Micros{100 * ms, 120 * ms},
		leaves: []clock.Micros{0, 0},
		until:  4 * clock.Second,
		spawn: func(player int) arena.Hero {
			return arena.NewGame().Spawn(geom.V(0, 0.02, -5*float64(player-1)), 0, 1)
		},
		input: heroInput,
		lost: func(up bool, peer, n int, at clock.Micros) bool {
			return n%13 == 6 || up && peer == 1 && n >= 90 && n < 104
		},
		acts: func(m *Machine[arena.Hero, arena.Command], at clock.Micros) []Entry {
			if at/clock.TickTime(1, 60) != 120 {
				return nil
			}
			h, _ := m.Server.State(1)
			h.Launch = geom.V(3, 4, 0)
			return []Entry{{End: "server", Do: "modify", Player: 1, Bytes: m.PackedState(h)}}
		},
		clients: func(m *Machine[arena.Hero, arena.Command], client int, at clock.Micros) []Entry {
			if greeted[client] {
				return nil
			}
			greeted[client] = true
			return []Entry{{End: fmt.Sprint("client ", client), Do: "hello", Name: []string{"Ann", "Bob"}[client-1]}}
		},
	}
}

// heroInput is what the players want at a match time.
func heroInput(client int, c *session.Client[arena.Hero, arena.Command], now clock.Micros) (in arena.Command) {
	phase := now / (400 * ms) % 8
	if client == 2 {
		in.Move.Right = float64(now/(700*ms)%3) - 1
	} else {
		in.Move.Forward = []float64{0, 1, 1, 0, -1, 0.5, 0, 0}[phase]
		in.Move.Jump = phase == 2
		in.Move.Crouch = phase == 5
		in.Move.Yaw = geom.WrapAngle(float64(max(0, now/ms%3200-1600)) / 300)
	}
	in.Dash = client == 1 && now/(50*ms)%40 == 37
	in.Quantise()
	if client == 1 && now/(16667)%24 == 3 {
		in.Shot = shot.Claim{Yaw: 0, Pitch: 0.02}
		c.Aim(&in.Shot)
	}
	return in
}
