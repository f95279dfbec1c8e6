// Package replicate tells each client what it needs to know of the match, and no more: of
// the things near enough, visible, changed and most urgent, what differs from what the
// client is known to have, within a budget of bytes.
// Start at Sender, the server's end, one for each client, and Inbox, the client's; a Match
// is what the senders share.
//
// A snapshot holds samples of some things and marks that others are gone. What it does not
// mention is as it was told, for this client, or had to wait. So a client's frame of a tick
// (track.Snapshot) is what its snapshot of the tick said, and nothing else; what a picture
// shows follows from the frames of the last track.ReceivedWindow ticks (track.Interpolator). The server
// has the record of every tick, and in track.SentLog what each client was told: the two make
// the same frames, so what a client drew is rebuilt bit for bit, whatever was lost.
//
// The sender sees to it that the picture is whole:
//
//   - Who moves is told in every snapshot, if there is room. Who comes to rest is told
//     until an acknowledgement says that it is known, then only every Refresh ticks, so
//     that it does not fall out of the picture; those who creep, when they have moved by
//     2 mm.
//   - What is no longer there, or no longer to be known of, is told to be gone in every
//     snapshot until one that said so has come. Nothing more is sent of it, not even that
//     it moves behind the wall.
//   - Where there is no room, things wait, and waiting makes them more urgent: the near,
//     the fast and the new ones sooner, but each at some time. What would soon fall out of
//     the picture goes before them, and what is within Rules.Near before everything.
//   - Each sample is told as what differs from one that the client is known to have
//     (track.Sample.PackDelta), mostly of the newest snapshot that it acknowledged. Nothing
//     waits for anything: a snapshot that comes can be read.
//   - Where a thing's path bent since this client was told of it last, its kinks go along
//     (track.SnapshotHistory.KinksBetween).
//
// A client that joins is filled in the same way: all is new and waits, and the nearest
// comes first.
package replicate
