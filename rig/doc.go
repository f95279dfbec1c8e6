// Package rig computes the hitboxes of a character: a skeleton, the animation clips that
// move it, and the hitboxes on its bones that shots can hit. A pose is a pure function of a
// Posture, which follows from data that every client receives, so a server computes exactly
// the pose that a client draws. Start at [Rig], [Posture] and [PosedRig];
// a game that brings no rig of its own has [DefaultRig]. Read rig.go, plan.go and weights.go; blend.go,
// clip.go and bounds.go are details.
package rig
