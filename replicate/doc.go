// Package replicate sends each client what it needs to know of the match, and no more: of the
// entities that are near enough, visible, changed and most urgent, the difference from what the
// client is known to have, within a budget of bytes.
// Start at [Sender], the server's end, one for each client, and [Inbox], the client's; a [Match] holds
// what the senders share.
//
// A snapshot holds samples of some entities and marks others as removed. An entity that it does
// not mention is unchanged for this client, or was deferred. So a client's frame of a tick
// ([track.Snapshot]) is what its snapshot of the tick said, and nothing else; what a view shows
// follows from the frames of the last [track.ReceivedWindow] ticks ([track.Interpolator]). The server
// has the record of every tick, and in [track.SentLog] what each client was sent. The two make the
// same frames, so what a client drew is rebuilt bit for bit, whatever was lost.
//
// The sender keeps the client's view complete:
//
//   - A moving entity is in every snapshot, if there is room. One that comes to rest is sent until
//     an acknowledgement says that it is known, then only every Refresh ticks, so that it does not
//     drop out of the view; one that creeps, when it has moved by 2 mm.
//   - An entity that no longer exists, or is no longer relevant, is marked as removed in every
//     snapshot until one that said so has arrived. Nothing more is sent of it, not even that it
//     moves behind the wall.
//   - If the budget is full, entities are deferred, and the wait makes them more urgent: near, fast
//     and new ones sooner, but each at some time. Entities that would soon drop out of the view go
//     before them, and those within Rules.Near before all.
//   - Each sample is sent as its difference from one that the client is known to have
//     ([track.Sample.PackDelta]), mostly of the newest snapshot that it acknowledged. Nothing waits
//     for anything: every snapshot that arrives can be read.
//   - If an entity's path has keyframes since the last sample that was sent to this client, they go
//     along ([track.SnapshotHistory.KeyframesBetween]).
//
// A client that joins is filled in the same way: every entity is new and waits, and the nearest
// comes first.
package replicate
