package session

import (
	"unicode/utf8"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/remote"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/session/field"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
	"github.com/backstep-net/backstep/visibility"
)

// MaxPlayers is the most seats a match can have. A match has Server.Seats of them: size slices by that.
const MaxPlayers = 1000

// PlayerID names a player of a match, from 1.
type PlayerID = track.ID

// ServerConfig configures a match.
type ServerConfig struct {
	// World is the level and required; LevelHash is what clients fetch it by.
	World     *collide.World
	LevelHash string
	// TickRate is in ticks a second, 1 … 1000; zero means 60.
	TickRate int
	// SnapshotRate is the number of snapshots a second, 1 … TickRate; zero sends every tick. Tick n is sent if
	// n·SnapshotRate/TickRate, rounded down, differs from that of the tick before. Every tick is recorded; if a
	// path bends between two that are sent, the later snapshot contains keyframes
	// (track.SnapshotHistory.KeyframesBetween).
	SnapshotRate int
	// Players is the number of seats, 1 … MaxPlayers; zero means 16.
	Players int
	// Queue is the number of players that may wait when all seats are taken, first come, first served, at most
	// MaxQueue; zero refuses them.
	Queue int
	// MaxRewind limits how far into the past a shot is judged, counted from the tick that judges it, whatever
	// made the view old. It is also the longest time after reaching cover at which a player can be hit. Views
	// that are older are judged at exactly MaxRewind, or as Beyond says. At most shot.LongestRewind. Zero means
	// what honest links and screens need: 1.5 s, of which at most 250 ms may be due to the link. Below zero
	// (shot.NoRewind) shots are judged at the present. See shot.Limits; a weapon may have a shorter one
	// (shot.LagCompensation).
	MaxRewind clock.Micros
	// Beyond selects how shots into older views are judged. Zero means shot.Capped.
	Beyond shot.Beyond
	// Cover is the longest time for which a target that is out of the shooter's line of sight can still be hit.
	// Zero sets no limit besides MaxRewind.
	Cover clock.Micros
	// Evades reports a state in which shots that are judged in the past do no damage (invulnerability frames,
	// i-frames). Nil protects no target.
	Evades func(*track.Sample) bool
	// InterpolatedOnly judges every view as interpolated between samples, for a game whose clients
	// never draw otherwise.
	InterpolatedOnly bool
	// LagCompensationOptOut lets each player have its own shots judged at the present (Client.Disable), for
	// demonstrations; clients learn it with the welcome. The default ignores and counts such requests.
	LagCompensationOptOut bool
	// OnReceipt is called with each hit before it is reported. There the game changes the damage to each target
	// by what only it knows (teams, armour). Nil leaves it as it was judged.
	OnReceipt func(r *shot.Receipt)
	// MatchInfo is what the game's clients need to know about the match before EnterWorld
	// besides its weapons: at most MaxMessage bytes, received with Welcomed; empty by default.
	MatchInfo []byte
	// ReconnectTime is how long a seat waits for a player whose connection was lost;
	// zero means 10 s, below zero the seat is free at once.
	ReconnectTime clock.Micros
	// PlayersBlock makes players obstacles to each other (BAS-08): each command collides with the players in
	// the newest snapshot that its client had, extrapolated to the command's stamp. The Game needs a
	// BodyCapsule. Clients learn it with the welcome.
	PlayersBlock bool
	// MaxInputDelay is the longest input delay that a player is granted, at most 250 ms;
	// zero means that, and below zero none is. Views of shots are kept for as much longer.
	MaxInputDelay clock.Micros
	// Limits are what is tolerated of all players' moves. Zero means the defaults.
	// TrustDistance needs Game.Trust.
	Limits predict.Limits
	// Snapshot selects what each client is sent of others, and how much; the zero Rules send
	// everything that fits into 1,000 bytes a snapshot. An entity has to pass its Visible and
	// Visibility. With PlayersBlock, Near is 18 m at least: a player that may be in the way
	// is in every snapshot. Shots of others are notified as far as entities are sent.
	Snapshot replicate.Rules
	// Visibility withholds from each client the players and entities that its player cannot
	// see; nil withholds none.
	Visibility *visibility.Rules
	// Simulate is called in each Tick, after all moves and before the record, with the
	// tick's match time: there the game moves its entities (UpdateEntity). It must not call Tick,
	// Send or Receive. Nil is a match without any that move.
	Simulate func(now clock.Micros)
	// Workers is the largest number of cores that compute the moves and snapshots of a tick, 1 to 64; zero
	// means 1. The players are divided into at most twice as many batches, of 16 or more. The result is the
	// same bits for any number.
	Workers int
	// Parallel calls work for each batch below batches, in any order or in several goroutines, and returns when
	// all calls have returned: host.Pool.Run. The functions of the Game, Snapshot.Visible and
	// Snapshot.Importance are then called concurrently, each with other states, and must not share scratch. All
	// else, such as Simulate and an Observer, is called from the goroutine of Tick and Send. Moves in a level
	// with triggered movers are one batch, because each collides with what those before have triggered. Nil
	// calls the batches one after the other.
	Parallel func(batches int, work func(batch int))
	// NewKey returns a fresh random key and is required: the core has no
	// randomness of its own.
	NewKey func() Key
}

func (c *ServerConfig) check() {
	if c.NewKey == nil || c.World == nil {
		panic("session: ServerConfig needs World and NewKey")
	}
	orElse(&c.TickRate, 60)
	orElse(&c.SnapshotRate, c.TickRate)
	orElse(&c.Players, 16)
	orElse(&c.ReconnectTime, 10*clock.Second)
	orElse(&c.MaxInputDelay, maxDelay)
	if c.Players < 1 || c.Players > MaxPlayers || c.TickRate < 1 || c.TickRate > maxRate {
		panic("session: ServerConfig.Players is 1 to 1000 and TickRate 1 to 1000")
	}
	if orElse(&c.Workers, 1); c.Workers < 1 || c.Workers > MaxWorkers {
		panic("session: ServerConfig.Workers is 1 to 64")
	}
	if c.Queue < 0 || c.Queue > MaxQueue {
		panic("session: ServerConfig.Queue is 0 to 1024")
	}
	if c.SnapshotRate < 1 || c.SnapshotRate > c.TickRate {
		panic("session: ServerConfig.SnapshotRate must be 1 to TickRate")
	}
	if c.MaxInputDelay = max(c.MaxInputDelay, 0); c.MaxInputDelay > maxDelay {
		panic("session: ServerConfig.MaxInputDelay is at most 250 ms")
	}
	if c.MaxRewind > shot.LongestRewind {
		panic("session: ServerConfig.MaxRewind is at most 1.5 s")
	}
	if len(c.MatchInfo) > MaxMessage {
		panic("session: ServerConfig.MatchInfo is at most 4096 bytes")
	}
	if len(c.LevelHash) > maxText || !utf8.ValidString(c.LevelHash) {
		panic("session: ServerConfig.LevelHash is at most 200 bytes of UTF-8")
	}
}

// orElse puts the default in place of zero.
func orElse[T int | clock.Micros](v *T, d T) {
	if *v == 0 {
		*v = d
	}
}

// Server runs one match. Receive reads what peers sent (receive.go), Tick simulates (tick.go), Send and
// Outgoing produce the packets for clients (send.go).
type Server[S comparable, C any] struct {
	config ServerConfig
	format uint32 // of the game
	rules  rules[S, C]
	timeline
	output
	entityTable
	batches batches[S, C]

	seats      seats[S, C]
	seatOf     map[Peer]PlayerID // the seat that each peer took last, until Disconnect
	kicked     []Peer            // nothing more is received of them, until Disconnect
	identities []identified
	queue      []joiner // that wait for a seat, the first in front
	fields     *field.Table
	history    *rewind.History
	combat     *combat.Server
	weapons    []byte             // the match's table as the welcome has it
	started    bool               // combat has its judge
	seed       uint64             // of the spread that both ends draw
	visible    *visibility.Filter // nil: nothing is hidden
	replicator *replicate.Match
	gaps       remote.Gaps
	observer   Observer

	triggered     []collide.MoverID                    // scratch
	triggersNoted uint64                               // the newest trigger that clients are sent
	debugged      [combat.MaxDebugTargets]track.Entity // scratch
	bodyPose      track.Sample                         // scratch of PlayerBody
}

// NewServer returns a match without players, at match time 0.
func NewServer[S comparable, C any](game Game[S, C], config ServerConfig) *Server[S, C] {
	config.check()
	if game.Combat.Trigger != nil && len(game.Combat.Weapons) == 0 {
		panic("session: a server needs the weapons of Game.Combat: pass its table to character.Arm or combat.LoadoutRules, which only clients may leave nil")
	}
	triggers := new(collide.Triggers)
	config.World = config.World.WithTriggers(triggers)
	s := &Server[S, C]{
		config: config,
		rules:  newRules(game, config.World),
		seats:  make([]seat[S, C], config.Players),
		seatOf: make(map[Peer]PlayerID),
	}
	s.fields = field.NewTable(s.rules.specs)
	if config.World.Triggered() {
		s.rules.triggers.log = triggers
	}
	s.sent = ackCodec{width: tickBits, schedule: schedule{config.TickRate, config.SnapshotRate}}
	s.history = rewind.NewHistory(config.TickRate, shot.LongestRewind)
	s.history.Extrapolation = &track.Extrapolation{Body: game.bodyShape()}
	if config.PlayersBlock {
		if game.BodyCapsule == nil {
			panic("session: ServerConfig.PlayersBlock needs Game.BodyCapsule")
		}
		s.rules.obstacles = &obstacleFinder{
			shape: game.BodyCapsule, character: s.rules.game.isCharacter, snapshots: s.history.Snapshots, timeline: &s.timeline,
		}
	}
	if game.Trust == nil && config.Limits.TrustDistance > 0 {
		panic("session: ServerConfig.Limits.TrustDistance needs Game.Trust")
	}
	if config.Visibility != nil {
		s.visible = visibility.New(*config.Visibility, config.World, game.targets().NewHitboxes())
		s.visible.Breaks = game.targets().NewScene().Blockers.Breaks
	}
	s.replicator = replicate.NewMatch(s.history.Snapshots, config.World, s.snapshotRules())
	// The id of an entity that is gone rests for as long as the record has snapshots with it.
	s.entityTable = entityTable{first: maxPlayerID(config.Players) + 1, timeline: &s.timeline, frames: newMoverFrames(config.World), idRest: uint32(s.history.Snapshots.Ticks())}
	s.combat = s.newCombat()
	if t := game.Combat.Weapons; len(t) > 0 {
		s.weapons = t.Append(nil)
	}
	s.format = formatOf(&s.rules.game)
	s.makeBatches()
	for i := range s.seats {
		s.seats[i].id = PlayerID(i + 1)
	}
	return s
}

// Seats returns how many seats the match has: players have the ids 1 … Seats, entities larger ones.
func (s *Server[S, C]) Seats() int { return len(s.seats) }

// SetState replaces the player's state: a spawn, a respawn or a teleport. The player's client is corrected to
// it; other clients do not interpolate across a move of more than half a metre. It does nothing if the seat is
// free, because the player has left meanwhile, and panics if the state cannot be packed into 780 bytes.
func (s *Server[S, C]) SetState(id PlayerID, state S) {
	t := s.seats.player(id)
	if !t.taken {
		return
	}
	s.packer.Write(s.scratch[:maxState])
	if s.rules.PackState(&s.packer, &state); s.packer.Err() != nil {
		panic("session: SetState needs a state that packs into 780 bytes: " + s.packer.Err().Error())
	}
	if t.authority == nil {
		t.authority = predict.NewAuthority[S, move[C]](&s.rules, state, &s.batches.all[0].moves)
		t.authority.Limits = s.config.Limits
		t.authority.InputDelay = t.inputDelay
		// Later than the last sample of an earlier player of the seat, which clients may still have.
		t.remote.entered, t.remote.stamp = s.now, max(s.now, t.remote.stamp+1)
		t.remote.teleports++
		t.remote.standOn(s.rules.Pose(&state).Base)
	} else if s.rules.Position(&state).Dist(s.rules.Position(t.authority.State())) > teleportAt {
		t.remote.teleport()
	}
	pose := s.rules.Pose(&state)
	t.authority.SetState(state, pose.Yaw, pose.Pitch)
}

// State returns the player's state as it stands, and false where there is no such
// player in the world.
func (s *Server[S, C]) State(id PlayerID) (S, bool) {
	if t := s.seats.inWorld(id); t != nil {
		return *t.authority.State(), true
	}
	var none S
	return none, false
}

// SendMessage sends the player a message of the game's, reliably and in order.
func (s *Server[S, C]) SendMessage(id PlayerID, b []byte) {
	t := s.seats.player(id)
	if t.peer != 0 {
		s.message(t.peer, messageGame, func(p *bits.Packer) { p.Blob(&b, MaxMessage) })
	}
}

// Broadcast is SendMessage to every player.
func (s *Server[S, C]) Broadcast(b []byte) {
	for i := range s.seats {
		if s.seats[i].taken {
			s.SendMessage(s.seats[i].id, b)
		}
	}
}

func (s *Server[S, C]) event(e Event) {
	e.At = s.now
	s.events.put(e)
}

// RoundTrip returns a bound below which nearly all round trips of the player stay: the smoothed round trip plus
// four deviations; 0 before the first measurement.
func (s *Server[S, C]) RoundTrip(id PlayerID) clock.Micros {
	return s.seats.player(id).link.roundTrip.most()
}

// SeenAt estimates, from what the server measures of a player's link, the view time of the newest command that has been
// simulated: the instant at which the player's screen showed others when it made the command; 0 before the first.
// The player could dodge what happened at a match time once SeenAt is past that, so an NPC's blow, or a trap, hits it
// where it is then. Shots of players do not need this, because they bring their views. The player cannot choose it, but holds it back by a slow
// link, as with everything that it does.
func (s *Server[S, C]) SeenAt(id PlayerID) clock.Micros {
	t := s.seats.player(id)
	if t.authority == nil || t.link.viewAge == nil {
		return 0
	}
	e := t.link.viewAge
	return max(0, t.authority.Began()-e.viewDelay.Delay(e.newestAt))
}

// PlayerInfo is the state of one player's connection and moves, for status pages.
type PlayerInfo struct {
	ID        PlayerID // the seat, from 1
	Name      string   // as the player or its Identity gave it when it joined
	Account   string   // its Identity's; "" for none
	Connected bool     // false while the seat waits for the player to come back
	// Position is Game.Position of the player's newest state, in metres; zero before the first.
	Position geom.Vec3
	// RTT is smoothed, MinRTT the shortest of the connection, rising by 500 ppm of the
	// time since then; 0 until that is sure.
	RTT, MinRTT clock.Micros
	// Loss is the share of the player's last 64 datagrams that did not come, LossRun the
	// longest run of those.
	Loss    float64
	LossRun int
	// Silence is the time since the player's last datagram. A connected player with a long silence is a frozen
	// page or an idle client.
	Silence clock.Micros
	// Delay is the input delay that the player is granted.
	Delay clock.Micros
	Moves predict.AuthorityCounters
	// Discrepancy is how far the player's time is ahead (TIM-12), over all its
	// connections.
	Discrepancy predict.Discrepancy
	Traffic     Traffic
	Snapshots   Snapshots
}

// Players appends all players with a seat to into, by id.
func (s *Server[S, C]) Players(into []PlayerInfo) []PlayerInfo {
	for i := range s.seats {
		t := &s.seats[i]
		if !t.taken {
			continue
		}
		info := PlayerInfo{ID: t.id, Name: t.name, Account: t.account, Connected: t.present(),
			RTT: t.link.roundTrip.smooth, MinRTT: t.link.roundTrip.least(s.now), Delay: t.inputDelay,
			Discrepancy: t.timeDiscrepancy(), Traffic: t.traffic, Snapshots: t.snapshots}
		info.Silence = t.link.silence(s.now)
		codec := ackCodec{}
		info.Loss, info.LossRun = codec.lost(t.link.arrivals.received, 1)
		if t.authority != nil {
			info.Position = s.rules.Position(t.authority.State())
			info.Moves = t.authority.Counters()
		}
		into = append(into, info)
	}
	return into
}

// World returns the level of this match: its triggered movers are where the match has them. It is
// ServerConfig.World where there are none. It belongs to the goroutine of the match.
func (s *Server[S, C]) World() *collide.World { return s.config.World }
