package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/shot"
	"github.com/backstep-net/backstep/track"
)

// EventKind says what an Event tells.
type EventKind uint8

// What a Server tells its host: Joined, Left, Shot, Message, Kick, Ahead, Even. What a Client
// tells its game: Welcomed, Refused, Placed, Confirmed, Seen, Message.
const (
	// Joined: Player said hello and has a seat. The game must Place it before
	// it exists in the world. Rejoined where Again.
	Joined EventKind = 1 + iota
	// Left: Player's seat is free. The next Joined may be somebody else of the
	// same number.
	Left
	// Shot: Receipt is the verdict on a shot of Player.
	Shot
	// Message: Bytes are the game's own, from Player (on a server) or from the
	// server (on a client).
	Message
	// Kick: the host should send what there is and close Peer; Text says why.
	// Player is whose seat it had, 0 for none.
	Kick

	// Welcomed: the client has a seat; Text is the hash of the level that it
	// must Enter.
	Welcomed
	// Refused: the server does not let the client in, or throws it out; Text says
	// why. Nothing follows.
	Refused
	// Placed: the server put the client's player somewhere: a spawn, a respawn, a
	// death, a teleport. Self is there from now on.
	Placed
	// Confirmed: Receipt is the server's verdict on a shot of this client's.
	Confirmed
	// Seen: Player fired, and the shot went From here To there.
	Seen

	// Ahead: the time of Player's moves ran ahead of the match's by more than the slack
	// (TIM-12), as of one who cheats: its moves are cut until that is paid back. A
	// Server's event; Discrepancy says how it stands.
	Ahead
	// Even: what Player was ahead is paid back (TIM-13), or Player has left or come back
	// anew. A Server's event; Discrepancy says how it stood.
	Even
)

// Event is something that happened in a session. Bytes are the receiver's to keep.
// At is the match time of a Server's event, 0 for a Client's.
type Event struct {
	Kind     EventKind
	Player   track.ID
	Peer     Peer
	At       clock.Micros
	Again    bool
	Name     string
	Text     string
	Bytes    []byte
	Receipt  shot.Receipt
	From, To geom.Vec3
	// Discrepancy is of Ahead and Even.
	Discrepancy predict.Discrepancy
}
