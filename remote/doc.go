// Package remote computes where a client draws remote entities: it stores the received snapshots,
// advances a smooth view time behind match time, and reconstructs each entity's pose at that time.
// Start at [Remotes]; [Bodies] does the same for rigid bodies. Read remotes.go, then delay.go and
// blend.go; bodies.go, bodypath.go and bodyreplay.go for bodies; estimate.go is the server's part.
//
// What is drawn follows from the View alone, so a server that receives the view computes the same
// bits: [track.Interpolator] is the one function for both. By default (Interpolate) the delay of
// the view adapts to how late samples arrive (delay.go), and a snapshot that would make an entity
// jump is blended in as part of the view (blend.go). The modes Linear and Exponential draw nearer
// to now: they extrapolate the newest sample and smooth the corrections that later ones bring; the
// view says when those arrived (smoothing.go).
package remote
