// Package protocolmodel is a model of moves, acknowledgements, corrections and resumed connections,
// which is explored exhaustively: every state that three players can be in with small queues, over a
// network that loses, doubles, delays and reorders. Start at [Explore].
//
// A state holds what the protocol's decisions depend on, relative to the newest move that the server
// has run, so numbers do not grow and the states are finitely many. What a move does is left out: a
// prediction is either what the server has (fresh) or not (stale), since both ends run the same moves
// with the same function.
//
// The players meet in the network, whose datagrams in flight are bounded together, and in a restart of the
// server, which is one of all. Apart from that they do not interact, so the states of one player are
// enumerated first ([Player]), and a state of the match is three indices, sorted: players are alike. It
// fits a word, so the set of states is exact.
//
// TestTracesAgainstTheRealCode drives a session.Server and each player's session.Client along paths of the model
// and compares what can be seen of both after each step.
package protocolmodel
