// Package rig is what a character's body looks like to a shot: a skeleton, the clips
// that move it, and the volumes on its bones that can be hit. The pose is a pure function
// of a Posture, which follows from what everybody is told of the character, so a server
// poses the same figure that a client draws. Start at Rig, Posture and Figure.
package rig
