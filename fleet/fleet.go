// Package fleet runs a server in an Agones fleet: it talks to the sidecar that Agones runs beside each game
// server. It reports readiness, health, and the numbers and capacities of matches and players, and drains the
// server when the cluster removes it. Start at [Run]:
//
//	err := fleet.Run(ctx, fleet.Config{Rooms: 4, Players: 64, Log: log}, host)
//
// The sidecar accepts each call at once and executes it later: it batches changes for half a second, and the
// cluster may reject them. So the package trusts only the sidecar's watch, and repeats a call until the watch
// shows its effect. A slow, failing or restarting sidecar does not affect players.
package fleet

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// PortVariable is the environment variable in which Agones gives a game server the port of its sidecar. Where it
// is set, the process is a member of a fleet.
const PortVariable = "AGONES_SDK_HTTP_PORT"

// The counters that a Fleet has to declare: matches with a player in them, and players.
const (
	Rooms   = "rooms"
	Players = "players"
)

// Server is what an agent reports. host.Host is one. Its methods are called from the agent's goroutines.
type Server interface {
	// Healthy reports whether its matches tick.
	Healthy() bool
	// Load returns how many matches have a player, and how many players there are.
	Load() (rooms, players int)
	// Draining reports whether the server takes no newcomers any more.
	Draining() bool
	// Drain begins to stop the server.
	Drain()
}

// Config configures an Agent.
type Config struct {
	// Port is the sidecar's on this machine, as PortVariable has it. New needs it; Run sets it, so that "" is its zero.
	Port string
	// Rooms and Players are how many matches and players the server takes. Both are required.
	Rooms, Players int
	// Idle is after how long without a player an allocated server is reported as ready again, so that the fleet
	// may shrink. It must be longer than a connect token lives. Zero means one minute.
	Idle time.Duration
	// Log is nil for none.
	Log *slog.Logger

	pace pace // zero means the defaults
}

// pace is how often an agent does something.
type pace struct {
	poll   time.Duration // looks at the server's load: as long as the sidecar batches
	health time.Duration // says that the server is healthy: Agones wants it each 5 s
	again  time.Duration // repeats a call if the watch does not show its effect
	call   time.Duration // waits for an answer
}

// defaultPace is the pace of an agent outside tests.
var defaultPace = pace{poll: 500 * time.Millisecond, health: 2 * time.Second, again: 3 * time.Second, call: 3 * time.Second}

// Agent reports one server. Make it with New.
type Agent struct {
	config  Config
	server  Server
	sidecar sidecar
	log     *slog.Logger

	seen      gameServer                // the newest that the watch has shown
	asked     map[string]time.Time      // when a call was made, until its effect is seen
	sent      map[string]counterRequest // the newest of each counter
	busyAt    time.Time                 // when there last was a reason not to be idle
	allocated string                    // the allocation that was seen last
}

// New returns an agent. It panics without a port or with capacities below one.
func New(config Config, server Server) *Agent {
	if config.Port == "" || config.Rooms < 1 || config.Players < 1 {
		panic("fleet: New needs Config.Port, and Rooms and Players of at least 1")
	}
	if config.Idle == 0 {
		config.Idle = time.Minute
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.pace == (pace{}) {
		config.pace = defaultPace
	}
	return &Agent{
		config: config, server: server, log: config.Log, sidecar: newSidecar(config.Port, config.pace.call),
		asked: map[string]time.Time{}, sent: map[string]counterRequest{},
	}
}

// Run reports the server until the context ends. An agent runs once. [THR-73]
func (a *Agent) Run(ctx context.Context) {
	shown := make(chan gameServer)
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { a.watch(ctx, shown) })
	group.Go(func() { a.beat(ctx) })
	poll := time.NewTicker(a.config.pace.poll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case g := <-shown:
			a.see(g, time.Now())
		case now := <-poll.C:
			a.step(ctx, now)
		}
	}
}

// Shutdown asks the sidecar to remove this game server, until it has taken that or the context ends. Agones then
// sends SIGTERM; a process that ends before is taken for one that has crashed.
func (a *Agent) Shutdown(ctx context.Context) error {
	for wait := (backoff{}); ; {
		err := a.sidecar.post(ctx, "/shutdown")
		if err == nil {
			return nil
		}
		if wait.sleep(ctx) != nil {
			return err
		}
	}
}

// beat says that the server is healthy, as long as its matches tick: one that stands still says nothing, and
// Agones replaces it. It has a goroutine of its own, so that no other call holds it up.
func (a *Agent) beat(ctx context.Context) {
	every := time.NewTicker(a.config.pace.health)
	defer every.Stop()
	for {
		if a.server.Healthy() {
			if err := a.sidecar.post(ctx, "/health"); err != nil && ctx.Err() == nil {
				a.log.Warn("fleet: health", "why", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// see handles a state that the watch shows.
func (a *Agent) see(g gameServer, now time.Time) {
	if g.Status.State != a.seen.Status.State {
		a.log.Info("fleet", "state", g.Status.State, "was", a.seen.Status.State)
		delete(a.asked, "/ready")
		a.busyAt = now
	}
	if at := g.Meta.Annotations[lastAllocated]; at != a.allocated {
		a.allocated, a.busyAt = at, now
	}
	a.seen = g
	switch g.Status.State {
	case stateShutdown, stateUnhealthy, stateError:
		if !a.server.Draining() {
			a.log.Warn("fleet: the cluster is stopping this server", "state", g.Status.State)
			a.server.Drain()
		}
	}
}

// step makes the calls that are due.
func (a *Agent) step(ctx context.Context, now time.Time) {
	if !a.server.Healthy() {
		return
	}
	rooms, players := a.server.Load()
	if players > 0 {
		a.busyAt = now
	}
	if !a.server.Draining() && a.wantsReady(now) && a.due("/ready", now) {
		if err := a.sidecar.post(ctx, "/ready"); err != nil && ctx.Err() == nil {
			a.log.Warn("fleet: ready", "why", err)
		}
	}
	a.count(ctx, Rooms, rooms, a.config.Rooms, now)
	a.count(ctx, Players, players, a.config.Players, now)
}

// wantsReady reports whether Ready has to be called: when the server has started, and when an allocated one has been
// empty for long. It is never called for one that has players: the fleet could remove it then.
func (a *Agent) wantsReady(now time.Time) bool {
	switch a.seen.Status.State {
	case stateScheduled, stateStarting, stateCreating, statePortAllocation:
		return true
	case stateAllocated:
		return now.Sub(a.busyAt) >= a.config.Idle
	}
	return false
}

// due reports whether a call may be made now, and notes it: not again before its effect could be seen.
func (a *Agent) due(call string, now time.Time) bool {
	if at, waiting := a.asked[call]; waiting && now.Sub(at) < a.config.pace.again {
		return false
	}
	a.asked[call] = now
	return true
}

// count reports a counter, unless the watch shows it as it is. A server that drains has room for those that it
// has, so that nobody is sent there any more. A fleet that declares no such counter gets none.
func (a *Agent) count(ctx context.Context, name string, count, capacity int, now time.Time) {
	shown, declared := a.seen.Status.Counters[name]
	if a.server.Draining() {
		capacity = count
	}
	want := counterRequest{Count: int64(min(count, capacity)), Capacity: int64(capacity)}
	if !declared || shown == counter(want) {
		delete(a.asked, name)
		return
	}
	if a.sent[name] != want {
		delete(a.asked, name) // it has changed: nothing to wait for
	}
	if !a.due(name, now) {
		return
	}
	a.sent[name] = want
	if err := a.sidecar.patch(ctx, "/v1beta1/counters/"+name, want); err != nil && ctx.Err() == nil {
		a.log.Warn("fleet: counter", "name", name, "why", err)
	}
}
