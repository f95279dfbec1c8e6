// Package replicate builds snapshots: for each client it selects the relevant, visible, changed
// entities by priority, and delta-codes them within a budget of bytes.
// Start at [Sender], the server's end, one for each client, and [Inbox], the client's; a [Match] holds
// what the senders share.
//
// A snapshot holds samples of some entities and marks others as removed. An entity that it does
// not mention is unchanged for this client, or was deferred. A client stores the snapshot
// of each tick ([track.Snapshot]); what a view shows follows from those of the last
// [track.ReceivedWindow] ticks ([track.Interpolator]). The server has the record of every tick, and
// in [track.SentLog] what each client was sent. Both give the same snapshots, so what a client drew
// is rebuilt bit for bit, whatever was lost.
//
// The sender keeps the client's view complete:
//
//   - A moving entity is in every snapshot, if there is room. One that comes to rest is sent until
//     an acknowledgement says that it is known, then only every Refresh ticks, so that it does not
//     drop out of the view; one that moves very slowly, each time it has moved 2 mm.
//   - An entity that no longer exists, or is no longer relevant, is marked as removed in every
//     snapshot until one that said so has arrived. Nothing more is sent of it.
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
