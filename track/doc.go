// Package track stores timestamped pose samples and reconstructs the pose of any entity for a
// given client view. A client draws remote entities with it (remote) and the server rebuilds
// with it what that client drew (rewind), so the two cannot differ. Start at [Interpolator].
//
// A server records one Snapshot a tick, of every entity, and sends each client the part that it needs:
// samples of some entities, and marks that others are removed. An entity that a snapshot does not
// mention has not changed for the client that receives it. A client keeps the snapshots that it
// received. The server keeps the [SnapshotHistory] that all clients have in common and, for each
// client, a [SentLog] of what it sent.
//
// A View names an instant and the snapshots that had arrived when a frame was drawn. An
// Interpolator answers from those snapshots alone: on the client from what they hold, on the
// server from the complete snapshots and the SentLog. So the server, which has everything, and
// the client, which has some of it, compute the same bits.
//
// Read view.go, sample.go and history.go, then interpolator.go, interpolation.go and rider.go.
// extrapolation.go, smoothing.go and arrivals.go are the modes that extrapolate; wire.go, look.go,
// stride.go, stance.go and rotation.go the encoding; cell.go the storage.
package track
