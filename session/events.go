package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// EventKind is the kind of an Event.
type EventKind uint8

// Events of a Server: Joined, Left, Shot, Message, Kick, TimeDiscrepancy,
// TimeDiscrepancyCleared, Mispredicting. Events of a Client: Welcomed, Refused, Teleported, Confirmed,
// ShotSeen, Detonated, Damaged, ShotDebugged, ClockDrift, Message.
const (
	// Joined: Player said hello and has a seat. The game must call SetState
	// before it exists in the world. Again where it has rejoined.
	Joined EventKind = 1 + iota
	// Left: Player's seat is free. The next Joined may be another player of the
	// same number.
	Left
	// Shot: Receipt is the verdict on a shot of Player. Of a projectile there are two:
	// that it was launched, and what came of it.
	Shot
	// Message: Bytes are the game's own, from Player (on a server) or from the
	// server (on a client).
	Message
	// Kick: the host should send what there is and close Peer; Text says why.
	// Player is whose seat it had, 0 for none. Expelled is whether it broke the protocol or
	// Server.Kick threw it out: then the seat is free.
	Kick

	// Welcomed: the client has a seat; Text is the hash of the level that it
	// must enter (EnterWorld), and Bytes are the match's ServerConfig.MatchInfo, which the game is to read
	// before.
	Welcomed
	// Refused: the server does not let the client in, or throws it out; Text says
	// why. Nothing follows.
	Refused
	// Teleported: the server put the client's player somewhere: a spawn, a respawn, a
	// death, a teleport. Self is there from now on.
	Teleported
	// Confirmed: Receipt is the server's verdict on a shot of this client's; where it does
	// not agree, what was shown at once is to be taken back. Of a projectile there are two,
	// and of the second whether it Agrees is this client's own word: whether its flight
	// ended at the same.
	Confirmed
	// ShotSeen: Player fired Weapon, and the shot went From here To there; of one of several
	// pellets the others went to Points.
	ShotSeen
	// Detonated: a projectile of Player's Weapon ended at To, in a blast if it has one. Each
	// comes once. Of the client's own it comes when the client's own flight ends, with
	// what that met in Receipt; where the server has it end elsewhere it comes a second time,
	// with Again and the server's Receipt.
	Detonated
	// Damaged: Player hurt the client's player with Weapon, by Damage, at a part that counts
	// as Tag, From there. Ago is how long before the verdict the instant was that it was
	// judged by.
	Damaged
	// ShotDebugged: ShotDebug is the server's answer to RequestShotDebug.
	ShotDebugged

	// TimeDiscrepancy: the time of Player's moves ran ahead of the match's by more than the slack
	// (TIM-12), as a cheat's do: its moves are cut until that is paid back. A
	// Server's event; Discrepancy says how it stands.
	TimeDiscrepancy
	// TimeDiscrepancyCleared: what Player was ahead is paid back (TIM-13), or Player has left or come back
	// anew. A Server's event; Discrepancy says how it stood.
	TimeDiscrepancyCleared

	// Mispredicting: Player's client predicted otherwise than the server, Count times in the last ten
	// seconds, which is more than bad luck: its game is another, or it has been tampered with. A Server's
	// event, each ten seconds while it lasts.
	Mispredicting

	// ClockDrift: the clock of the client's machine runs off by more than clock.DriftTolerance;
	// Text is a sentence for the player that says by how much. It comes once, and again
	// only where the clock was right in between (TIM-15).
	ClockDrift
)

// Event is something that happened in a session. The fields that a kind does not use are zero.
type Event struct {
	Kind EventKind // never zero
	// Player is the player that the event is about; see the kinds. It is 0 for a message from
	// the server, for Refused, for ClockDrift and for the Kick of a peer without a seat.
	Player track.ID
	// Account is the player's Identity's, of Joined; "" for none.
	Account string
	// Peer is the connection, of a Server's Joined, Left, Kick, TimeDiscrepancy and
	// TimeDiscrepancyCleared and Mispredicting. It is 0 for a player that is not connected.
	Peer  Peer
	At    clock.Micros // match time of a Server's event, 0 for a Client's
	Again bool         // of Joined and Detonated: it is a rejoin, or the server's correction
	// Expelled is of Kick.
	Expelled bool
	// Name is the player's name, of Joined, Left, TimeDiscrepancy, TimeDiscrepancyCleared and Mispredicting.
	Name string
	// Text is the level's hash for Welcomed, the reason for Kick and Refused, and a sentence for
	// the player for ClockDrift.
	Text string
	// Bytes are of Message and Welcomed, the receiver's to keep. Of Joined they are Identity.Data.
	Bytes []byte
	// Receipt is the server's verdict, of Shot and Confirmed. Of the Detonated of the client's own
	// projectile it is what the projectile hit on this client or, with Again, on the server.
	Receipt shot.Receipt
	// From and To are positions in metres: From of ShotSeen and Damaged, To of ShotSeen and
	// Detonated.
	From, To geom.Vec3
	// Points are of ShotSeen: where the other pellets went, the receiver's to keep.
	Points []geom.Vec3
	Weapon uint8 // of ShotSeen, Detonated and Damaged: its index in the table
	// Tag, Damage and Ago are of Damaged. Damage is in points.
	Tag    rig.Tag
	Damage uint16
	Ago    clock.Micros
	// ShotDebug is of ShotDebugged, the receiver's to keep.
	ShotDebug *combat.ShotDebug
	Count     int // of Mispredicting
	// Discrepancy is of TimeDiscrepancy and TimeDiscrepancyCleared.
	Discrepancy predict.Discrepancy
}
