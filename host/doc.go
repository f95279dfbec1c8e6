// Package host implements the dedicated server: it runs matches at their tick rate, accepts
// connections of every transport, serves levels and the page over HTTP, and reports its
// status. It is independent of the game: the caller supplies the matches. Start at [Host].
//
// Each match runs in one goroutine, its loop. Each connection has its own goroutines.
// Arriving packets wait in the connection's inbox until the loop drains it at the tick;
// outgoing packets are queued without waiting. So a client that reads slowly, or not at
// all, does not delay the tick.
//
// docs/server.md describes the server for operators.
package host
