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
// TimeDiscrepancyCleared, Mispredicting. Events of a Client: Welcomed, Refused, Teleported, ShotJudged,
// ShotSeen, Detonated, Damaged, ShotDebugged, ClockDrift, Message.
const (
	// Joined: Player said hello and has a seat. The game must call SetState
	// before it exists in the world. Reconnected where it is back in its seat.
	Joined EventKind = 1 + iota
	// Left: Player's seat is free. The next Joined may be another player of the
	// same number.
	Left
	// Shot: Receipt is the verdict on a shot of Player. Of a projectile there are two:
	// that it was launched, and what it hit.
	Shot
	// Message: Bytes are the game's own, from Player (on a server) or from the
	// server (on a client).
	Message
	// Kick: the host should send pending packets and close Peer. Text is the reason, Player the seat, 0 for
	// none. Expelled reports that the seat was freed: the peer broke the protocol or was kicked.
	Kick

	// Welcomed: the client has a seat; Text is the hash of the level that it
	// must enter (EnterWorld), and Bytes are the match's ServerConfig.MatchInfo, which the game is to read
	// before.
	Welcomed
	// Refused: the server does not admit the client, or has kicked it; Text is the reason. Nothing follows.
	Refused
	// Teleported: the server has set the state of the client's player: a spawn, a respawn, a death, a teleport.
	// Self has it from now on; Yaw and Pitch are where it looks.
	Teleported
	// ShotJudged: Receipt is the verdict on a shot of this client. If it does not agree, undo the hit that was
	// shown. A projectile has two; for the second, Agrees is computed here, from the end of the client's own
	// flight.
	ShotJudged
	// ShotSeen: Player fired Weapon, and the shot went From here To there; of one of several
	// pellets the others went to Points.
	ShotSeen
	// Detonated: a projectile of Player's Weapon ended at To, in a blast if it has one. One of this client is
	// reported when its own flight ends, with what that hit in Receipt; if the server's ends elsewhere it is
	// reported again, with Corrected and the server's Receipt.
	Detonated
	// Damaged: Player hit the client's player with Weapon, for Damage, at HitGroup, from From. Ago is
	// the age of the judged view at the verdict.
	Damaged
	// ShotDebugged: ShotDebug is the server's answer to RequestShotDebug.
	ShotDebugged

	// TimeDiscrepancy: the time of Player's moves ran ahead of the match's by more than the slack
	// (TIM-12), as a cheat's do: its moves are cut until that is repaid. A
	// Server's event; Discrepancy says how it stands.
	TimeDiscrepancy
	// TimeDiscrepancyCleared: Player's time discrepancy is repaid (TIM-13), or Player has left or come back
	// anew, or another match takes it over. A Server's event; Discrepancy says how it stood.
	TimeDiscrepancyCleared

	// Mispredicting: Player's client had Count mispredictions in the last ten seconds, too many for packet
	// loss: its rules differ, or it is modified. A Server's event, repeated every ten seconds.
	Mispredicting

	// ClockDrift: the rate of the local clock is wrong by more than clock.DriftTolerance; Text is a sentence
	// for the player with the amount. It comes once, and again only after the clock was right in between
	// (TIM-15).
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
	Peer        Peer
	At          clock.Micros // match time of a Server's event, 0 for a Client's
	Reconnected bool         // of Joined: the player is back in its seat
	Corrected   bool         // of Detonated: the server's end of a projectile that ended elsewhere here
	// Expelled is of Kick.
	Expelled bool
	// Name is the player's name, of Joined, Left, TimeDiscrepancy, TimeDiscrepancyCleared and Mispredicting.
	Name string
	// Text is the level's hash for Welcomed, the reason for Kick and Refused, a sentence for
	// the player for ClockDrift, and of Joined the client's ClientConfig.JoinOptions, which
	// nobody has checked.
	Text string
	// Bytes are of Message and Welcomed, the receiver's to keep. Of Joined they are Identity.Data.
	Bytes []byte
	// Receipt is the server's verdict, of Shot and ShotJudged. Of the Detonated of the client's own
	// projectile it is what the projectile hit on this client or, with Corrected, on the server.
	Receipt shot.Receipt
	// From and To are positions in metres: From of ShotSeen and Damaged, To of ShotSeen and
	// Detonated.
	From, To geom.Vec3
	// Yaw and Pitch are of Teleported, in rad: the view direction that the server has set. Commands on their way still
	// have the view of before, so a page that is to turn does it itself.
	Yaw, Pitch float64
	// Points are of ShotSeen: where the other pellets went, the receiver's to keep.
	Points []geom.Vec3
	Weapon uint8 // of ShotSeen, Detonated and Damaged: its index in the table
	// HitGroup, Damage and Ago are of Damaged. Damage is in points.
	HitGroup rig.HitGroup
	Damage   uint16
	Ago      clock.Micros
	// ShotDebug is of ShotDebugged, the receiver's to keep.
	ShotDebug *combat.ShotDebug
	Count     int // of Mispredicting
	// Discrepancy is of TimeDiscrepancy and TimeDiscrepancyCleared.
	Discrepancy predict.Discrepancy
}
