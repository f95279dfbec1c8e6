package session

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/combat"
	"github.com/backstep-net/backstep/predict"
	"github.com/backstep-net/backstep/replicate"
	"github.com/backstep-net/backstep/track"
)

// seat is one player's place in a match.
type seat[S comparable, C any] struct {
	id    PlayerID
	taken bool
	peer  Peer         // 0 while the connection is lost
	away  clock.Micros // when it was lost, or the seat given up; 0: never
	name  string
	key   Key

	authority *predict.Authority[S, move[C]] // nil until Place
	stamps    clock.Mapping
	stamp     clock.Micros // of the pose, in match time
	ride      ride
	motion    motion
	gait      gait
	teleports uint8        // counts where the path of the poses breaks
	entered   clock.Micros // when this player was first placed

	arrivals  arrivals          // of its datagrams
	since     uint32            // first tick sent to this connection; 0: none yet
	sender    *replicate.Sender // from then on
	eye       track.Entity      // how the player stood when it was recorded last
	received  uint32            // newest tick that it acknowledged
	roundTrip roundTrip
	credit    *credit // from the first snapshot on

	faults    int
	datagrams allowance
	messages  allowance
	mail      allowance
	wishes    allowance    // for its input delay
	hold      clock.Micros // the one granted

	combat combat.Player
	asks   allowance // for a ShotDebug

	status  status
	traffic Traffic
	snapped Snapshots

	before predict.Discrepancy // of earlier connections
	ahead  bool                // whether one was reported that is not over
}

// discrepancy is how the player's time stands, over all its connections.
func (t *seat[S, C]) discrepancy() predict.Discrepancy {
	d := t.before
	if t.authority != nil {
		now := t.authority.Discrepancy()
		d.Error, d.Resolving = now.Error, now.Resolving
		d.Lifetime += now.Lifetime
		d.Episodes += now.Episodes
	}
	return d
}

// sentLog is what the player's client was sent of others, nil before its first snapshot.
func (t *seat[S, C]) sentLog() *track.SentLog {
	if t.sender == nil {
		return nil
	}
	return t.sender.SentLog()
}

// present reports whether the player's connection stands.
func (t *seat[S, C]) present() bool { return t.peer != 0 }

// Snapshots counts what one player was sent of others and of entities.
type Snapshots struct {
	Sent  uint64
	Bytes uint64 // of entities: the datagrams less their heads, verdicts and news
	// Entities is how many samples they had, Gone how many marks that something is gone, and
	// Waited how often something was due and there was no room for it.
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

// Traffic counts one player's packets.
type Traffic struct {
	DatagramsIn, DatagramsOut uint64
	BytesIn, BytesOut         uint64 // of datagram payload
	Bad                       uint64 // packets refused as malformed
}
