package protocolmodel

// settleSteps is far more than a player needs to come to rest.
const settleSteps = 64

// Settle lets a network that loses nothing any more carry what is under way, and returns the actions that
// lead to quiet agreement; false where they do not. That it is always reachable is checked by it.
func (p Player) Settle(b *Bounds, f Flaws) (steps []Action, ok bool) {
	wide := Bounds{maxUnrun, b.Unacked + 2*maxUnrun, b.Behind + 2, maxSlots, maxSlots, 0}
	for range settleSteps {
		if p.Quiet() {
			return steps, true
		}
		a := p.settling()
		next, fits, broken := p.Step(a, &wide, f)
		if broken != "" || !fits {
			return steps, false
		}
		p = next
		steps = append(steps, a)
	}
	return steps, false
}

// settling returns what happens next on the way to rest.
func (p *Player) settling() Action {
	for i := range p.Up {
		if p.Down[i].Sent {
			return Action{Kind: DeliverOwn, Slot: i}
		}
		if p.Up[i].Sent {
			return Action{Kind: DeliverUp, Slot: i}
		}
	}
	repeats := p.Correcting && !p.Unsent && !p.Fix.Sent && p.Behind > 0 || p.Phase == Joining && !p.Unsent
	switch {
	case p.Phase == Away:
		return Action{Kind: Join}
	case p.Unsent, repeats, p.ready() > 0, p.Phase == Joining, p.Newest == 0 && p.Unacked > 0 && !p.Correcting:
		return Action{Kind: Serve, Runs: p.ready(), Again: repeats}
	case int(p.Newest) >= maxUnrun: // nothing of them has come: the next frame cannot make another
		return Action{Kind: Serve}
	}
	return Action{Kind: Frame}
}
