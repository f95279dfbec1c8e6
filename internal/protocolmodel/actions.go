package protocolmodel

import "fmt"

// Kind is what happens in a step.
type Kind uint8

// The kinds of actions.
const (
	Frame      Kind = iota // the client applies a correction, makes a move and sends
	DeliverUp              // a datagram reaches the server
	Serve                  // the server runs moves that have come, and sends a verdict
	DeliverOwn             // a verdict reaches the client
	Push                   // the server changes the state
	Disturb                // the next move will end elsewhere than the client predicts
	Lose                   // the connection ends
	Join                   // the client has its seat back, over a new connection
	Drop                   // the network loses a datagram that it held
	Restart                // of the server: all connections end
)

// Action is a step of one player.
type Action struct {
	Kind Kind // what happens
	// Slot is the datagram that is delivered or dropped, Keep whether the network keeps a copy. Of a Drop, Keep
	// means a verdict.
	Slot int
	Keep bool
	// Lost is whether the network loses at once what is sent.
	Lost bool
	// Runs is how many moves a Serve runs, Again whether it repeats a correction.
	Runs  int
	Again bool
}

// String says what happens.
func (a Action) String() string {
	names := [...]string{"frame", "deliver to the server", "serve", "deliver to the client", "push", "disturb", "lose the connection", "join", "drop", "restart"}
	return fmt.Sprintf("%s (slot %d, keep %v, lost %v, runs %d, again %v)", names[a.Kind], a.Slot, a.Keep, a.Lost, a.Runs, a.Again)
}

// Violation is a property that a step breaks; empty is none.
type Violation string

// The properties.
const (
	Replayed Violation = "an acknowledged move is replayed, or one is left out"
	Doubled  Violation = "a resumed client loses or doubles a move"
	Forgot   Violation = "the server takes a correction as applied that is not"
	Stuck    Violation = "quiet agreement is not reachable"
)

// Actions returns all that can happen to a player; what is beyond the bounds is left out by Step.
func (p *Player) Actions() (list []Action) {
	for _, lost := range []bool{false, true} {
		if p.Phase == Playing {
			list = append(list, Action{Kind: Frame, Lost: lost})
		}
		if p.Phase != Away {
			for runs := 0; runs <= p.ready(); runs++ {
				for _, again := range []bool{false, true} {
					list = append(list, Action{Kind: Serve, Lost: lost, Runs: runs, Again: again})
				}
			}
		}
	}
	for slot := range p.Up {
		for _, keep := range []bool{false, true} {
			if p.Up[slot].Sent {
				list = append(list, Action{Kind: DeliverUp, Slot: slot, Keep: keep})
			}
			if p.Down[slot].Sent {
				list = append(list, Action{Kind: DeliverOwn, Slot: slot, Keep: keep})
			}
		}
		if p.Up[slot].Sent {
			list = append(list, Action{Kind: Drop, Slot: slot})
		}
		if p.Down[slot].Sent {
			list = append(list, Action{Kind: Drop, Slot: slot, Keep: true})
		}
	}
	if p.Phase == Playing {
		list = append(list, Action{Kind: Push}, Action{Kind: Disturb}, Action{Kind: Lose})
	}
	if p.Phase == Away {
		list = append(list, Action{Kind: Join})
	}
	return list
}

// ready returns how many moves the server can run.
func (p *Player) ready() (n int) {
	for n < maxUnrun && p.Queue[n].There {
		n++
	}
	return n
}

// Step returns the state after an action, false where it is beyond the bounds, and the property that
// it breaks.
func (p Player) Step(a Action, b *Bounds, f Flaws) (next Player, ok bool, broken Violation) {
	next, ok, broken = p.InPlace(a, b, f)
	next.tidy()
	return next, ok, broken
}

// InPlace is Step that leaves each datagram in its slot.
func (p Player) InPlace(a Action, b *Bounds, f Flaws) (next Player, ok bool, broken Violation) {
	switch a.Kind {
	case Frame:
		ok, broken = p.frame(a.Lost, b)
	case DeliverUp:
		ok, broken = true, p.receive(a.Slot, f)
		if !a.Keep {
			p.Up[a.Slot] = Upward{}
		}
	case Serve:
		ok, broken = p.serve(a, b, f)
	case DeliverOwn:
		ok, broken = true, p.receiveOwn(a.Slot, f)
		if !a.Keep {
			p.Down[a.Slot] = Downward{}
		}
	case Push:
		ok = int(p.Behind) < b.Behind
		p.diverge()
		p.correct()
	case Disturb:
		ok = !p.Disturbed
		p.Disturbed = true
	case Lose:
		ok = true
		p.lose(f)
	case Join:
		ok = true
		if f.KeptMoves && p.Unacked > 0 {
			broken = Doubled // they were run, and are sent again under new numbers
		}
		p.join()
	case Drop:
		if ok = true; a.Keep {
			p.Down[a.Slot] = Downward{}
		} else {
			p.Up[a.Slot] = Upward{}
		}
	}
	if broken == "" && p.Phase == Playing && !p.Correcting && p.Behind > 0 {
		broken = Forgot
	}
	return p, ok && p.within(b), broken
}

// frame applies a correction, makes a move and sends it.
func (p *Player) frame(lost bool, b *Bounds) (ok bool, broken Violation) {
	if fix := p.Fix; fix.Sent {
		if p.Fix = (Downward{}); fix.Number != p.Unacked {
			return true, Replayed // the state is that of one move, and what is replayed begins at another
		}
		p.Behind, p.Stale = fix.Behind, fix.Stale
	}
	if int(p.Newest) >= b.Unrun {
		return false, ""
	}
	p.Newest++
	return p.sendUp(Upward{true, int8(p.Newest), Claim{true, p.Behind, p.Stale}, false}, lost), ""
}

func (p *Player) sendUp(u Upward, lost bool) bool {
	for i := range p.Up {
		if !lost && !p.Up[i].Sent {
			p.Up[i] = u
			return true
		}
	}
	return lost
}

// receive receives a datagram at the server.
func (p *Player) receive(slot int, f Flaws) (broken Violation) {
	u := p.Up[slot]
	if u.Old {
		if u.Newest > 0 {
			return Doubled
		}
		return ""
	}
	if f.PassedMoves && u.Newest <= 0 {
		return Doubled
	}
	if u.Claim.Behind == 0 {
		p.Correcting, p.Unsent = false, false
	}
	for k := range int(u.Newest) {
		if q := &p.Queue[k]; !q.There {
			q.There = true
			if k+1 == int(u.Newest) {
				q.Claim = u.Claim
			}
		}
	}
	return ""
}

// serve runs moves that have come, and sends a verdict.
func (p *Player) serve(a Action, b *Bounds, f Flaws) (ok bool, broken Violation) {
	for range a.Runs {
		if p.Phase == Playing && int(p.Unacked) >= b.Unacked {
			return false, ""
		}
		p.run(f)
	}
	v := Downward{Sent: true}
	switch repeats := p.Correcting && (p.Unsent || a.Again); {
	case a.Again && (!p.Correcting || p.Unsent || f.NoRepeat):
		return false, "" // there is nothing to repeat
	case repeats:
		v.Correction, p.Unsent, p.Held = true, false, 0
	case p.Correcting && !f.AckWhileCorrecting:
		v.Number = p.Held
	}
	if a.Lost {
		return true, ""
	}
	for i := range p.Down {
		if !p.Down[i].Sent {
			p.Down[i] = v
			return true, ""
		}
	}
	return false, ""
}

// receiveOwn receives a verdict at the client.
func (p *Player) receiveOwn(slot int, f Flaws) (broken Violation) {
	v := p.Down[slot]
	if v.Old {
		return Doubled
	}
	if p.Phase == Joining {
		if v.Correction {
			p.Phase, p.Unacked, p.Behind, p.Stale = Playing, v.Number, v.Behind, v.Stale
		}
		return ""
	}
	if v.Number > p.Unacked && !f.OldCorrections {
		return ""
	}
	known := v.Behind >= p.Behind
	if p.Fix.Sent {
		known = v.Behind > p.Fix.Behind
	}
	switch {
	case v.Correction && !known:
		p.Fix = v
	case p.Fix.Sent && v.Number < p.Fix.Number && !f.AckPastFix:
		return "" // the moves between are not in the state that waits to be adopted
	}
	p.Unacked = min(p.Unacked, v.Number)
	return ""
}

// lose ends the connection: what was under way is gone, and the client forgets.
func (p *Player) lose(f Flaws) {
	old := *p
	*p = Player{Phase: Away}
	if f.KeptMoves {
		p.Unacked = old.Unacked
	}
	if f.OldConnections {
		p.Up = old.Up
		for i := range p.Up {
			p.Up[i].Old = p.Up[i].Sent
		}
	}
}

// join gives the client its seat back. Its moves count from the beginning, and it gets the state by a
// correction.
func (p *Player) join() {
	*p = Player{Phase: Joining, Correcting: true, Unsent: true, Up: p.Up}
}
