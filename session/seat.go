package session

import (
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/session/field"
	"github.com/backstep-net/backstep/track"
)

// seat is one player's slot in a match. It outlives connections: a player that returns with its key
// gets it back.
type seat[S comparable, C any] struct {
	id    PlayerID
	taken bool
	// reserved: the player had the seat in the match that this one follows, and has not joined this one yet.
	reserved bool
	name     string
	key      Key
	// account identifies the player permanently; "" is a player that only its key identifies.
	account string
	away    clock.Micros // when the connection was lost, or the seat given up; 0: never

	authority   *predict.Authority[S, move[C]] // nil until SetState
	remote      remotePose
	combat      combat.Player
	traffic     Traffic
	snapshots   Snapshots
	discrepancy discrepancyLog

	connection
}

// connection is what a seat has of its player's connection. A new connection begins with zero.
type connection struct {
	peer       Peer         // 0 while it is lost
	inputDelay clock.Micros // granted
	optedOut   bool         // of lag compensation
	link       link
	limits     receiveLimits
	fields     field.Cursor
	triggers   triggerTracker
	predicting predictingLog
}

// present reports whether the player is connected.
func (t *seat[S, C]) present() bool { return t.peer != 0 }

// timeDiscrepancy returns how far the player's time is ahead, over all its connections.
func (t *seat[S, C]) timeDiscrepancy() predict.Discrepancy {
	d := t.discrepancy.earlier
	if t.authority != nil {
		now := t.authority.Discrepancy()
		d.Error, d.Resolving = now.Error, now.Resolving
		d.Lifetime += now.Lifetime
		d.Episodes += now.Episodes
	}
	return d
}

// seats is all seats of a match, by player id − 1.
type seats[S comparable, C any] []seat[S, C]

// player returns a player's seat; naming one that does not exist is misuse.
func (s seats[S, C]) player(id PlayerID) *seat[S, C] {
	if id < 1 || int(id) > len(s) {
		panic("session: no player has the id " + strconv.Itoa(int(id)) + ": take ids from the event Joined, and drop them at Left")
	}
	return &s[id-1]
}

// inWorld returns the seat of a player in the world, nil where there is no such player.
func (s seats[S, C]) inWorld(id PlayerID) *seat[S, C] {
	if id < 1 || int(id) > len(s) || s[id-1].authority == nil {
		return nil
	}
	return &s[id-1]
}

// ofPeer returns the seat of a peer, nil where it has none.
func (s *Server[S, C]) ofPeer(peer Peer) *seat[S, C] {
	id := s.seatOf[peer]
	if id == 0 || !s.seats[id-1].taken || s.seats[id-1].peer != peer {
		return nil
	}
	return &s.seats[id-1]
}

// of returns the seat of an account, or else that of a key, nil if there is none. The key of another
// account's seat is not valid.
func (s seats[S, C]) of(account string, key Key) *seat[S, C] {
	for i := range s {
		if t := &s[i]; t.taken && account != "" && t.account == account {
			return t
		}
	}
	for i := range s {
		t := &s[i]
		if t.taken && key != (Key{}) && t.key == key && (account == "" || t.account == "") {
			return t
		}
	}
	return nil
}

// free returns the seat that has been free for longest, nil where all are taken. Clients still draw a player
// that has just left, so its id goes to another one as late as possible.
func (s seats[S, C]) free() *seat[S, C] {
	var free *seat[S, C]
	for i := range s {
		if t := &s[i]; !t.taken && (free == nil || t.away < free.away) {
			free = t
		}
	}
	return free
}

// discrepancyLog is what a seat keeps of a player's time discrepancies beside its authority.
type discrepancyLog struct {
	earlier  predict.Discrepancy // of earlier connections
	reported bool                // the event of its beginning was sent, that of its end was not
}

// predictingLog is how often a player's client mispredicted before a span of time began.
type predictingLog struct {
	since clock.Micros
	count int
}

// link is the server's state of one connection: which packets arrived in either direction, and their
// delays.
type link struct {
	arrivals   arrivals          // of the client's datagrams
	since      clock.Micros      // its first tick; 0 before
	unanswered int               // snapshots sent before the first datagram arrived
	sentAt     clock.Micros      // when the newest snapshot was sent
	firstSent  uint32            // first tick sent; 0: none yet
	sender     *replicate.Sender // from then on
	viewer     track.Entity      // the player as recorded for the newest snapshot: the receiver that relevance is measured from
	acked      uint32            // newest tick that the client acknowledged
	roundTrip  roundTrip
	viewAge    *viewAgeEstimate // from the first snapshot on
	down       sendPacing       // of snapshots
	skipped    int              // snapshots left out since the newest, because the link is narrow or the client silent
	first      int              // bytes of entities since the connection began
	head       int              // bytes of the newest datagram beside its entities
}

// sentLog returns what the client was sent of others, nil before its first snapshot.
func (l *link) sentLog() *track.SentLog {
	if l.sender == nil {
		return nil
	}
	return l.sender.SentLog()
}

// Snapshots counts what one player was sent about other players and entities.
type Snapshots struct {
	Sent  uint64 // snapshots
	Bytes uint64 // of entities: the datagrams without headers, verdicts and notices
	// Entities is how many samples they had, Removed how many removal marks, and
	// Deferred how often an entity was due but did not fit.
	Entities, Removed, Deferred uint64
}

// add counts one, of so many bits.
func (n *Snapshots) add(of replicate.Counts, bits int) {
	n.Sent++
	n.Bytes += uint64(bits+7) / 8
	n.Entities += uint64(of.Sent)
	n.Removed += uint64(of.Removed)
	n.Deferred += uint64(of.Deferred)
}

// Traffic counts one player's packets. In is from the player to the server.
type Traffic struct {
	DatagramsIn, DatagramsOut uint64 // without stream messages; In includes refused datagrams and probes
	MessagesIn                uint64 // stream messages of all kinds but the hello
	Ignored                   uint64 // requests without an effect: for a ShotDebug over the limit, against lag compensation where it is required
	BytesIn, BytesOut         uint64 // of datagram payload
	Bad                       uint64 // packets refused as malformed
}
