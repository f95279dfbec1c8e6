// Package predict is the two ends of networked moves: the Owner simulates its own
// character at once and sends what it did, the Authority does the same moves again
// and says where they were wrong. Start at Rules, which is what a game tells both,
// then Owner and Authority.
//
// Once a frame, an owner calls Advance with the newest input, then Pack to fill a
// datagram. The authority hands each datagram to Receive, calls Next until it says
// no, and sends what Verdict gives. The owner hands that to its own Receive.
//
//	owner                                   authority
//	Advance: replay, simulate, save
//	Urgent, or time to send: Pack        ──→ Receive: check, queue by number
//	                                        Next, Next, …: missing time, then the move
//	                                        the claim of the packet's newest move is tested
//	Receive: free, or adopt and replay  ←── Verdict: ack, or correction
//
// Moves travel in datagrams that may be lost, doubled and reordered, and nothing is ever
// asked for again: each move rides in several packets until it is acknowledged, in more
// where the line is bad, and in all of them once it seems cut (GAP-21; Owner.SetLoss). So
// what is missing from a packet is either on its way or gone. A packet's first move is
// coded against one that the authority has acknowledged, each other against the one
// before: a new move and two old ones are 16 bytes.
// What the authority changes by Place or Alter is a correction too, told apart by its
// cause: begun at once, repeated until a packet shows it, applied once.
// State crosses the wire without loss and only in corrections, so after one both
// ends are equal bit for bit again. A claim of where a packet's newest move ended is
// cut down to 38 bits. Why an owner was corrected it finds out by itself: it makes its
// moves again from the last state that it kept, and compares (Owner.Corrections).
//
// A move's stamp is also its platform time: what the world is at that instant, as a
// function of match time, is what the move meets, on both ends (BAS-01). An owner
// makes its moves end to end, so platform time advances by just what they last; only
// a frame longer than MaxDuration advances it by more. Missing time is simulated up
// to the instant at which it ended. By the limits on stamps a liar chooses its
// platforms of between Limits.MaxMoveAge ago and Limits.MaxTimeDiscrepancy ahead, and only forwards.
//
// Nothing here starts a goroutine, reads a clock or allocates once built. State,
// command and scratch live in the Owner and the Authority, because pointers to
// locals would escape through Rules.
//
// # Combining
//
// A move that was never packed nor replayed is pending: with the next frame the owner
// asks Rules.Combine whether one longer move may take the place of both, goes back to
// the state before the pending one, and simulates them in one step, as the authority
// will (CMB-12). So a screen of 240 frames a second sends 60 moves. A press, which keeps
// two moves apart, and what changed what others should know soon make the owner Urgent:
// that is sent at once, with the move that waited (SND-04). Moves that may not be one for
// another reason, because something is held or under way, wait like any, and are made at
// least 4 ms apart, so that no frame rate makes more than an authority takes (SND-08).
//
// # What an authority does with time
//
// It runs every move once, in order, and none before its time. Where numbers are
// missing it waits for them as long as this line has been seen to bring late ones, then
// simulates the missing time itself. An owner that is silent is carried on. An honest
// owner's time neither runs ahead of the match's nor lasts longer than it advances;
// what does is detected (Discrepancy) and paid back, so that no owner ever gains more
// than Limits.MaxTimeDiscrepancy.
package predict
