// Package combat implements shooting for both ends of a match: claims, verdicts, projectiles,
// and the notices about them. It uses package shot, which judges one shot, and is used by
// package session, which owns connections, states and entities. Start at [Server] and [Client].
//
// combat does not import session: it accesses the match through Match and reports to a client's
// game through Events, both declared here; its notices are sent in the queues of session/notice.
// A session has one Server and a Player for each seat, or one Client, and calls them in this
// order:
//
//	server, each tick:  Fire for each shot of a move; after the record of the tick Resolve
//	                    Player.Fill and Notices.Pack into a datagram; Player.Acknowledge
//	client, each frame: BeginFrame; Aim; Fired and Sent for each command; Draw
//	                    Receive for the notices of a datagram
//
// # Shots
//
// Aim traces a shot through what the last frame drew, by its weapon's kind; its claim is part of
// the command. The server judges it after it has recorded the tick [GAP-60], in the view that
// it names, with the weapon that was in hand when its command was simulated [GAP-69]. The
// shooter gets the verdict, each other player that there was a shot, and a player that
// was hurt by which player.
//
// Each command of a swing covers a part of the arc and has its own claim. Claims that hit nothing
// on either end are not reported.
//
// # Projectiles
//
// A projectile flies on its shooter's screen at once, and on the server from the command on,
// as late as that came; the two are matched by the number of the command. To other players
// the server's is an entity, and the shooter does not draw it. Both test other characters
// where the shooter saw them. The shooter is notified of the end when its own flight ends,
// others when their view reaches it. If the server's end differs, the verdict does not agree
// (shot.Receipt.Agrees), and the end is reported again.
package combat
