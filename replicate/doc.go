// Package replicate carries frames from the server to the clients: a snapshot is
// one tick's frame, as quantised samples, in as many datagrams as it needs. Where not
// every tick is sent, a thing whose path bent since the last one brings its kinks along:
// see track.Frames.Bend.
// Start at Parts, the server's end, and WholeInbox, the client's.
//
// Every player's sample goes to every other player in full, for now. What a
// client is shown (relevance), what goes first when there is no room (priority)
// and what it has already (delta against Received) will be decided in Split, which
// is why a frame is split for one receiver; then the server will also remember
// which entities each snapshot held for that receiver.
package replicate
