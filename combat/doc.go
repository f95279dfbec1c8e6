// Package combat is the shooting part of a match, both ends of it: shots that a client
// claims, their verdicts, projectiles, and the notices that players get of them. It sits on
// top of package shot, which judges one shot, and below package session, which owns
// connections, states and entities. Start at [Server] and [Client].
//
// What depends on what: combat knows nothing of a session's types. It asks the match through
// Match and reports to a client's game through Events, both declared here; its notices travel
// in the queues of session/notice. A session holds one Server and a Player for each seat, or
// one Client, and calls them in this order:
//
//	server, each tick:  Fire for each shot of a move; after the record of the tick Resolve
//	                    Player.Fill and Notices.Pack into a datagram; Player.Acknowledge
//	client, each frame: BeginFrame; Aim; Fired and Sent for each command; Draw
//	                    Receive for the notices of a datagram
//
// # Shots
//
// Aim casts a shot into what the last frame drew, by its weapon's kind; a claim of it rides in
// the command. The server judges it after it has recorded the tick [GAP-60], in the view that
// it names, with the weapon that was in hand when its command was simulated [GAP-69]. The
// shooter gets the verdict, each other player that there was a shot, and a player that
// was hurt by which player.
//
// A blade cuts by as much of its swing as a command covers: each of those commands has a claim of
// its own, and those that meet nothing on either end are not reported.
//
// # Projectiles
//
// A projectile flies on its shooter's screen at once, and on the server from the command on,
// as late as that came; the two are matched by the number of the command. To other players
// the server's is an entity, and the shooter does not draw it. Both meet everybody where the
// shooter saw them. Its end is reported to the shooter when its own flight ends, and to
// others when their view reaches it. Where the server has it end otherwise the verdict does
// not agree (shot.Receipt.Agrees), and the end is reported again.
package combat
