// Package track is one thing's path through time: stamped samples and the one
// function that says where the thing was in between. A client draws others from
// it (remote) and the server rebuilds from it what that client drew (rewind), so
// that the two cannot differ. Start at Track.
package track
