// Package session is the protocol of one match, both ends of it, without I/O:
// bytes and arrival times are handed in, bytes are handed out. A Server runs the
// match, a Client plays in it; both are generic over a game's state and command
// and simulate with the same Game. Start at Game, then Server and Client.
//
//	for each packet that arrived:  server.Receive(peer, channel, arrivedAt, bytes)
//	at every tick:                 server.Tick(now); react to server.Events()
//	                               server.Send(); send each of server.Outgoing()
//
// Two channels carry a match. Datagrams may be lost, doubled and overtaken; they
// carry commands, snapshots, verdicts and receipts, each repeated until it is
// acknowledged or stale. The stream is reliable and ordered and carries joining,
// leaving and the game's own messages.
//
// A session is not safe for concurrent use: one goroutine owns it.
package session
