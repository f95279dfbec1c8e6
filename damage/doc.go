// Package damage is who was hurt by whom, with what, and who died of it: each blow once,
// and the same whatever order a tick's blows are told in. Start at Rules, then Ledger.
//
// A server hands every receipt of a tick to Ledger.ApplyReceipt and then calls Ledger.Settle,
// which says what happened. How much a shot does is in its receipt, from the server's own
// table (HIT-10) as it was when the shot was judged (GAP-69); here it meets armour, teams
// and the present: nobody is hurt who is dead or lives another life (GAP-50).
package damage
