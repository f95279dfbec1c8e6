// Package remote draws the entities that other machines own: it keeps the snapshots that a
// client received, runs a smooth view time a little behind the match, and places every entity
// at that view. Start at [Remotes]; [Bodies] does the same for rigid bodies.
//
// What is drawn follows from the View alone, so a server that receives the view computes the same
// bits: [track.Interpolator] is the one function for both. By default (Interpolate) the delay of
// the view adapts to how late samples arrive (delay.go), and a snapshot that would make an entity
// jump is blended in as part of the view (blend.go). The modes Linear and Exponential draw nearer
// to now: they extrapolate the newest sample and smooth the corrections that later ones bring; the
// view says when those arrived (smoothing.go).
package remote
