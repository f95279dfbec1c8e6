// Package track is where things were: stamped samples and the one function that
// says what stood where at a view. A client draws others by it (remote) and the
// server rebuilds by it what that client drew (rewind), so that the two cannot
// differ. Start at Frames.
//
// The server records one Frame a tick and sends it; a client keeps the frames
// that reached it. A View names an instant and the frames that had arrived when
// it was drawn, and Frames.At answers from those frames alone. So the server, who
// has every frame, and the client, who has some, get the same bits.
package track
