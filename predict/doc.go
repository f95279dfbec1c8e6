// Package predict is client-side prediction with server reconciliation. The Owner is the
// client's end: it simulates its own character at once, sends its moves and replays them
// after a correction. The Authority is the server's end: it runs the same moves again and
// corrects the owner where the results differ. Start at [Rules], which a game implements for
// both ends, then [Owner] and [Authority].
//
// Once a frame an owner calls Advance with the newest input, then Pack to fill a
// datagram. The authority hands each datagram to Receive, calls Next until it returns
// false, and sends what Verdict returns. The owner hands that to its own Receive.
//
//	owner                                   authority
//	Advance: replay, simulate, save
//	Urgent, or time to send: Pack        ──→ Receive: check, queue by number
//	                                        Next, Next, …: missing time, then the move
//	                                        the claim of the packet's newest move is tested
//	Receive: free, or adopt and replay  ←── Verdict: ack, or correction
//
// Moves travel in datagrams that can be lost, duplicated and reordered, and nothing is
// requested again: each move is sent in several packets until it is acknowledged, in more
// where the link loses packets, and in all of them once the link seems cut (GAP-21;
// [Owner.SetLoss]). So a move that is missing from a packet is either on its way or lost for
// good. The first move of a packet is coded against one that the authority has acknowledged,
// each other against the one before: a new move and two old ones are 16 bytes.
//
// SetState and Modify change the state on the authority alone. The owner receives that as a
// correction with its own cause, which is sent at once, repeated until a packet shows it as
// applied, and applied once.
//
// State crosses the wire without loss and only in corrections, so both ends are equal bit
// for bit after one. A claim of where a packet's newest move ended is cut to 38 bits. The
// owner finds out by itself which fields a correction changed: it repeats its moves from
// the last checkpoint and compares ([Owner.RecentCorrections]).
//
// The stamp of a move is also its platform time: both ends evaluate everything that is a
// function of match time, such as a lift, at that instant (BAS-01). An owner makes its moves
// end to end, so platform time advances by exactly their durations; only a frame longer than
// [MaxDuration] advances it by more. Missing time is simulated up to the instant at which it
// ended. The limits on stamps let a cheat choose a platform time between Limits.MaxMoveAge
// ago and Limits.MaxTimeDiscrepancy ahead, and only forwards.
//
// Nothing here starts a goroutine, reads a clock or allocates after construction. State,
// command and scratch are fields of Owner and Authority, because pointers to locals would
// escape through Rules.
//
// # Combining
//
// A move that was neither packed nor replayed is pending. With the next frame the owner
// calls Rules.Combine to find out whether one longer move may replace the pending one and
// the new one. If so, it returns to the state before the pending move and simulates both in
// one step, as the authority will (CMB-12). So 240 frames a second are 60 moves. A press,
// which keeps two moves apart, and a change that others should see soon make the owner
// Urgent: the move is sent at once, together with the pending one (SND-04). Moves that stay
// apart for another reason, because a button is held or a motion is under way, wait for the
// send interval and are made at least 4 ms apart, so no frame rate makes more moves than an
// authority accepts (SND-08).
//
// # Time on the authority
//
// The authority runs every move once, in order, and none before its stamp. Where numbers are
// missing it waits for them as long as this link has recently delayed late moves, then
// simulates the missing time itself. It also simulates time for an owner that is silent. The
// moves of an honest owner neither run ahead of match time nor last longer than their stamps
// advance. Anything beyond that is detected (Discrepancy) and paid back, so no owner ever
// gains more than Limits.MaxTimeDiscrepancy.
//
// Three fields of an Authority keep what such time does to its owner. Two of them are states that the owner's screen
// shows meanwhile, because a shot starts where its player sees itself (DrawnState):
//
//	silence   nothing has arrived for a while: time is simulated without moves. The owner is corrected when it is back.
//	absence   after silence or missing moves: the state that the owner's own moves lead to. Late moves are added to it,
//	          and the next shot starts from it.
//	stale     after a change that the owner cannot have received yet: the state without that change, from which the
//	          owner goes on predicting. Shots start from it until a packet shows the correction as applied.
//
// # Files
//
// Read command.go, then the owner's side: owner.go, combine.go, pack.go, correction.go; then the
// authority's: authority.go, run.go, time.go, reorder.go, silence.go. packet.go, baseline.go and claim.go
// are the encoding. The rest are details: gap.go, loss.go, checkpoint.go, acknowledged.go, trust.go, and
// what an owner drew: drawn.go, absence.go, stale.go.
package predict
