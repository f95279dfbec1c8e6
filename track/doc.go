// Package track is where things were: stamped samples and the one function that
// says what stood where at a view. A client draws others by it (remote) and the
// server rebuilds by it what that client drew (rewind), so that the two cannot
// differ. Start at Picture.
//
// A server records one Frame a tick, of everything, and sends each client what that
// client needs of it: samples of some things, and marks that others are gone. What a
// frame does not mention has not changed for who gets it. A client keeps the frames
// that reached it; the server keeps, beside the Frames that all clients have in common,
// which things it told this one of: its Told.
//
// A View names an instant and the frames that had arrived when a picture was drawn, and
// a Picture answers from those frames alone: on the client from what they hold, on the
// server from the whole frames and the Told. So the server, who has everything, and the
// client, who has some of it, get the same bits.
package track
