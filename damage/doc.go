// Package damage applies hits to health and armour: each hit once, with a result that does not
// depend on the order in which the hits of a tick are applied. Start at [Rules], then [Ledger].
//
// A server calls [Ledger.QueueReceipt] for every receipt of a tick and then [Ledger.ApplyQueued], which
// returns the results. The damage of a shot is in its receipt, from the server's own weapon
// table (HIT-10) as it was when the shot was judged (GAP-69). The ledger applies armour, teams
// and the present state: a dead target, or one in another life, takes no damage (GAP-50).
package damage
