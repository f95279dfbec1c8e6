// Package session is the protocol of one match, both ends of it, without I/O:
// bytes and arrival times are handed in, bytes are handed out. A Server runs the
// match, a Client plays in it; both are generic over a game's state and command
// and simulate with the same Game. Start at [Game], then [Server] and [Client].
//
//	for each packet that arrived:  server.Receive(peer, channel, arrivedAt, bytes)
//	for each connection lost:      server.Disconnect(peer)
//	at every tick:                 server.Tick(now); react to server.Events()
//	                               server.Send(); send each of server.Outgoing()
//
//	for each packet that arrived:  c.Receive(channel, arrivedAt, bytes)
//	at every drawn frame:          c.Frame(local, input); send c.Outgoing()
//	                               react to c.Events(); draw Self and Remotes
//
// Package client drives c for a Go program, package host the server.
//
// A session is not safe for concurrent use: one goroutine owns it. A client in the
// server's own process, such as the player of a listen host, is connected by a Loopback.
//
// # Packages
//
// A session composes four packages below it, each with a small interface of its own:
// predict (moves, owner and authority), replicate (snapshots), combat (shots, receipts and
// projectiles; the adapters are in combat.go) and visibility (which entities a client may be sent).
// session/notice has the queue of messages that are repeated until they are acknowledged.
//
// # Platform time
//
// The pose of a mover (a lift, a door, a train) is a function of match time, and a
// command collides with it at its own stamp: Game.Step gets a [collide.WorldAt] of that
// instant. The stamp is the client's estimate of match time when the frame was drawn. The server
// uses the same stamp, so it costs no byte. Commands last from stamp to
// stamp, so on a lift nothing is corrected however late the packets are.
//
// Remote players are drawn at the view time (View.At), which is earlier, so that snapshots
// surround it, while movers are drawn at the platform time. A snapshot has a rider in the frame of its mover,
// and the rider is drawn on it. A player that left a mover through the air stays in that
// frame until it lands, and then blends to the frame of the ground within [track.BaseBlendTime] to
// [track.MaxBaseBlendTime]. A shot is judged in the very view that it was aimed into: others at
// the view time, movers and riders at the platform time, which is where the command that
// carries the shot begins.
//
// # Players as obstacles
//
// With ServerConfig.PlayersBlock players are obstacles to each other [BAS-08]. Each command
// names the newest snapshot that its client had. Both ends take from that one snapshot the
// players near it that the snapshot mentioned, extrapolated to the command's stamp by at
// most 250 ms and never into the moving player. So owner, server and replay collide with the
// same obstacles, bit for bit. The price is that two players see each other as late as their
// connections make them: they may overlap, and separate softly (movement.Model.Repulsion). A
// server does not accept a snapshot that was not sent, is forgotten, or is more than half a
// second older than the stamp, and takes its newest instead.
//
// # Entities
//
// Besides its players a match has entities of kinds that are the game's: bodies, rockets,
// pickups. Server.Spawn gives one an id, UpdateEntity sets its sample, in
// ServerConfig.Simulate once a tick, and Despawn removes it. Clients draw Entities as they draw
// players, at the same instant; NewEntities has their newest samples, for a client that
// simulates bodies itself. Shots hit those that are characters.
//
// # Snapshots
//
// Each client has a [replicate.Sender]. From the client's acknowledgements and
// ServerConfig.Snapshot it selects the relevant, changed entities by priority, within a byte
// budget. With ServerConfig.Visibility a client is not
// sent what the level hides from its player. The server remembers what each client was
// sent, and judges its shots, and its obstacles, by that alone.
//
// # Two channels
//
// The stream is reliable and ordered. It carries joining, leaving and the game's
// own messages:
//
//	client                                      server
//	Hello ── hello: version, format, name, key → Receive: a seat, or a refusal
//	Welcomed ←──── welcome: number, key, level  Joined: the game calls SetState
//	EnterWorld
//	SendMessage ── game's message ────────────→ Message
//	RequestShotDebug ── number of a shot ─────→ Receive
//	ShotDebugged ←─ shot debug ─────────────────  (answers)
//	Frame ──────── input delay ───────────────→ Receive: its commands wait
//	Message ←───── game's message ───────────── SendMessage, Broadcast
//	Leave ──────── leave ─────────────────────→ Left
//	Refused ←───── refused: reason ──────────── Kick: the host closes the connection
//
// Datagrams may be lost, doubled and reordered. The client sends one a frame, at
// most SendRate a second, from Welcomed on, and immediately after a press. The server
// sends one to 16 datagrams for each tick that is sent:
//
//	client                                      server
//	Frame ─── number, received, moves ────────→ Receive: note the number, queue the moves
//	                                            Tick: run the moves, record, judge shots
//	Receive ←─ tick, acks, verdict, notices, part ─ Send
//	  acks: which numbers arrived  · verdict: acknowledge or correct the moves
//	  notices: fields, receipts,   · parts: the snapshot, once all arrived
//	  shots of others, damage
//
// Nothing in a datagram is sent only once. Moves are repeated until they are acknowledged or
// were in enough packets for the connection ([predict.Owner]), a correction until a packet shows
// that it was applied, notices until the snapshot that carried them is acknowledged; the game
// gets each once. Of each kind at most 32 wait; if there are more the oldest is
// dropped. A snapshot is replaced by the next.
//
// # Acknowledgements
//
// Each end sends the other, in one format, the newest number that arrived (of a snapshot's
// tick or of a datagram), which of the 64 before it did not, and for how long it has had
// the newest. The client remembers when it sent its last 1,024 datagrams, so each acknowledgement gives
// a round trip, the server's time at its midpoint, and the uplink's loss rate and longest run
// of losses, which set how often moves are repeated. The server measures the round trip from
// the ticks that are acknowledged. The limit on the age of views uses a high round trip, the mean plus
// four deviations; the clock check uses the connection's minimum [TIM-12].
//
// Numbers are sent as their low bits. The end that gets one back resolves it as the newest number
// with these bits that it has sent. The server orders datagrams by what they acknowledge, which never decreases,
// and then by their numbers.
//
// # Two ways to make commands
//
// A client makes a command a frame, as long as the frame took, and moves that no datagram
// waits for are combined; or, with ClientConfig.Tick, none, one or several a frame,
// all of one length, whenever the synchronised clock has passed the next tick
// ([clock.Pacer]) [GAP-68]. Then what is drawn is between the last two states
// (InterpolationAlpha), a shot is cast against what its command will collide with, and a press between two
// ticks waits for the next.
//
// A player may have the server buffer its commands (InputDelay), as a jitter buffer does: each is run that
// long after the time at which the fastest packets of the connection arrive, so that late ones are still in
// time. Others see them that much later; a shot is judged by when it arrived.
//
// # Messages
//
// docs/protocol.md is the protocol, bit by bit, with its limits and what violates them;
// testdata/conformance has it as vectors. Without loss the headers before moves and poses take
// 32 bits on average on the uplink and 59 on the downlink (TestHeadersAreShort). The format is
// a hash of how the game's commands and states are packed; a server refuses a client with
// another one [GAP-04].
//
// The receiver knows a snapshot's match time by its tick, and a tick by its number:
// they count from 1 at match time 0 and do not wrap for 828 days at 60 Hz.
//
// # Files
//
// Read game.go; for the server server.go, tick.go, send.go and receive.go; for the client client.go,
// frame.go, clientreceive.go and prediction.go; for the protocol wire.go and handshake.go. The other
// files have one concern each.
package session
