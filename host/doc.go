// Package host is the dedicated server: it runs matches at their tick rate,
// admits connections of every transport to them, serves levels and the page over
// HTTP, and says how it is doing. It knows no game: matches are handed in. Start
// at Host.
//
// Each match is owned by one goroutine, its loop. Connections have goroutines of
// their own; what arrives waits in their inboxes until the loop drains them at
// the tick, and what the tick sends is handed over without waiting, so a client
// that reads slowly or not at all costs the tick nothing.
//
// docs/server.md is the same for those who run one.
package host
