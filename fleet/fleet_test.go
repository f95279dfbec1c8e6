package fleet_test

import (
	"context"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/backstep-net/backstep/fleet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come; nothing is timed by it.
const patience = time.Minute

// game is a server with as many players as the test says.
type game struct {
	mu              sync.Mutex
	still, draining bool
	rooms, players  int
	asked           int // how often for its health
}

func (g *game) Healthy() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked++
	return !g.still
}

// asks waits until an agent has asked so many times more for the health.
func (g *game) asks(t *testing.T, n int) {
	t.Helper()
	asked := func() int {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.asked
	}
	n += asked()
	until(t, "it is asked for its health", func() bool { return asked() >= n })
}

func (g *game) Load() (rooms, players int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rooms, g.players
}

func (g *game) Draining() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.draining
}

func (g *game) Drain() { g.set(func() { g.draining = true }) }

func (g *game) set(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	do()
}

// run runs an agent for a game until the test's end.
func run(t *testing.T, f *fake, g *game, idle time.Duration) *fleet.Agent {
	t.Helper()
	_, port, _ := net.SplitHostPort(f.addr)
	c := fleet.Config{Port: port, Rooms: 4, Players: 10, Idle: idle}
	fleet.Hasten(&c)
	a := fleet.New(c, g)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { a.Run(ctx); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	return a
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

func (f *fake) is(state string, count, capacity int64) func() bool {
	return func() bool {
		s, p, _ := f.now("")
		return s == state && p == [2]int64{count, capacity}
	}
}

// THR-73: a server becomes ready, is allocated, counts its players, and is ready again when it has been empty for
// long; never while it has players.
func TestTheLifeOfAServer(t *testing.T) {
	f, g := newFake(t), &game{}
	run(t, f, g, 300*time.Millisecond)
	until(t, "ready", f.is("Ready", 0, 10))
	_, _, asked := f.now("/ready")
	g.set(func() { g.rooms, g.players = 1, 3 }) // before it is allocated, or it could be idle for long on a slow machine
	f.set(func() { f.state, f.note = "Allocated", "1" })
	until(t, "three players", f.is("Allocated", 3, 10))
	time.Sleep(500 * time.Millisecond) // longer than Idle
	if state, _, n := f.now("/ready"); state != "Allocated" || n != asked {
		t.Errorf("with players: %s, asked for ready %d times; want Allocated and %d", state, n, asked)
	}
	g.set(func() { g.rooms, g.players = 0, 0 })
	until(t, "empty and ready again", f.is("Ready", 0, 10))
}

// THR-73: whatever the sidecar does, the cluster shows in the end what is so: it starts late, answers 500, is
// slower than a call may take, forgets what it has taken, starts again, the port is closed for a while, and the watch
// ends with an error or with something that is no JSON.
func TestASidecarWithFaults(t *testing.T) {
	faults := []struct {
		name string
		do   func(*fake)
	}{
		{"answers 500", func(f *fake) { f.set(func() { f.fail = 6 }) }},
		{"forgets what it has taken", func(f *fake) { f.set(func() { f.lose = 2 }) }},
		{"is too slow", func(f *fake) {
			f.set(func() { f.slow = 300 * time.Millisecond })
			time.Sleep(400 * time.Millisecond)
			f.set(func() { f.slow = 0 })
		}},
		{"starts again", func(f *fake) { f.kill(); f.start() }},
		{"is away for a while", func(f *fake) { f.kill(); time.Sleep(300 * time.Millisecond); f.start() }},
		{"ends the watch with an error", func(f *fake) { f.breakWatch(`{"error":{"code":14,"message":"unavailable"}}`) }},
		{"garbles the watch", func(f *fake) { f.breakWatch("<html>") }},
	}
	f, g := newFake(t), &game{}
	f.set(func() { f.fail = 3 }) // when the server starts
	began := time.Now()
	run(t, f, g, time.Hour)
	until(t, "ready", f.is("Ready", 0, 10))
	_, _, asked := f.now("/ready")
	if most := 3 + int(time.Since(began)/fleet.Hastened); asked > most {
		t.Errorf("asked for ready %d times, want %d at most", asked, most)
	}
	f.set(func() { f.state = "Allocated" })
	for i, fault := range faults {
		g.set(func() { g.rooms, g.players = 1, i+1 })
		fault.do(f)
		until(t, fault.name, f.is("Allocated", int64(i+1), 10))
	}
	if _, _, n := f.now("/ready"); n > asked+1 { // one call may have been under way
		t.Errorf("asked for ready %d times more while it was allocated", n-asked)
	}
}

// THR-74: health comes from the ticks: a server whose matches stand still says nothing, and Agones replaces it.
// One that drains has room for nobody, and one that the cluster wants no more drains.
func TestAServerThatEnds(t *testing.T) {
	f, g := newFake(t), &game{}
	a := run(t, f, g, time.Hour)
	until(t, "ready", f.is("Ready", 0, 10))
	until(t, "it is healthy", func() bool { _, _, n := f.now("/health"); return n > 0 })
	g.set(func() { g.still = true })
	until(t, "it says nothing any more", func() bool { // a call may be under way at first
		_, _, before := f.now("/health")
		g.asks(t, 20) // it would say so between
		_, _, after := f.now("/health")
		return after == before
	})
	g.set(func() { g.still, g.rooms, g.players = false, 1, 2 })
	until(t, "two players", f.is("Ready", 2, 10))
	f.set(func() { f.state = "Unhealthy" })
	until(t, "it drains", g.Draining)
	until(t, "it has room for nobody", f.is("Unhealthy", 2, 2))
	f.set(func() { f.fail = 2 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := a.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	until(t, "shut down", func() bool { s, _, _ := f.now(""); return s == "Shutdown" })
}

// THR-73, with the sidecar of this machine (agones sdk-server --local), where there is one.
func TestARealSidecar(t *testing.T) {
	port := os.Getenv(fleet.PortVariable)
	if port == "" {
		t.Skip(fleet.PortVariable + " is not set: there is no sidecar here")
	}
	c := fleet.Config{Port: port, Rooms: 4, Players: 10}
	a := fleet.New(c, &game{rooms: 1, players: 2})
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	a.Run(ctx)
	if state := fleet.Seen(a); state != "Ready" && state != "Allocated" {
		t.Errorf("after 5 s the sidecar shows %q, want Ready", state)
	}
}

// Run of a game takes until it drains, or 50 ms longer than its context.
func (g *game) Run(ctx context.Context) error {
	for ctx.Err() == nil && !g.Draining() {
		time.Sleep(5 * time.Millisecond)
	}
	g.Drain()
	for g.Healthy() { // here: as long as its matches last
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// THR-74: while a server drains after SIGTERM it goes on saying that it is healthy; at its end it asks to be removed.
// One that was told to drain otherwise waits for SIGTERM then. Without a sidecar it runs as ever.
func TestAMemberOfAFleetEnds(t *testing.T) {
	for _, byCluster := range []bool{true, false} {
		f, g := newFake(t), &game{}
		_, port, _ := net.SplitHostPort(f.addr)
		t.Setenv(fleet.PortVariable, port)
		c := fleet.Config{Rooms: 1, Players: 10}
		fleet.Hasten(&c)
		ctx, sigterm := context.WithCancel(t.Context())
		defer sigterm()
		ended := make(chan error, 1)
		go func() { ended <- fleet.Run(ctx, c, g) }()
		until(t, "ready", f.is("Ready", 0, 10))
		if byCluster {
			sigterm()
		} else {
			g.Drain()
		}
		until(t, "no room", f.is("Ready", 0, 0))
		_, _, before := f.now("/health")
		until(t, "healthy while it drains", func() bool { _, _, n := f.now("/health"); return n > before+3 })
		g.set(func() { g.still = true })
		until(t, "shut down", func() bool { s, _, _ := f.now(""); return s == "Shutdown" })
		if !byCluster {
			select {
			case <-ended:
				t.Error("it ended before SIGTERM")
			case <-time.After(100 * time.Millisecond):
			}
			sigterm()
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Setenv(fleet.PortVariable, "")
	if err := fleet.Run(t.Context(), fleet.Config{}, &game{draining: true, still: true}); err != nil {
		t.Error(err)
	}
}
