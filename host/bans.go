package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/backstep-net/backstep/transport"
)

// Ban keeps a player out: by its account, which only players with connect tokens have, or by its address, with
// all players that share it.
type Ban struct {
	Account string `json:"account,omitempty"` // "" bans Address
	// Address is an address or a network; of IPv6 at least a /64 is meant. The zero Prefix bans Account.
	Address netip.Prefix `json:"address,omitzero"`
	Until   time.Time    `json:"until,omitzero"` // zero means for good
	Why     string       `json:"why,omitempty"`  // for the player to read, at most 100 bytes
}

// sameAs reports whether two bans are of the same account or address.
func (b Ban) sameAs(o Ban) bool { return b.Account == o.Account && b.Address == o.Address }

// holds reports whether a ban keeps out an account at an address.
func (b *Ban) holds(account string, from netip.Prefix, now time.Time) bool {
	if !b.Until.IsZero() && !now.Before(b.Until) {
		return false
	}
	return b.Account != "" && b.Account == account || b.Address.IsValid() && from.IsValid() && b.Address.Overlaps(from)
}

// Error is what the player reads.
func (b *Ban) Error() string {
	s := "host: you are banned"
	if !b.Until.IsZero() {
		s += " until " + b.Until.UTC().Format("2006-01-02 15:04 MST")
	}
	if b.Why != "" {
		s += ": " + b.Why
	}
	return s
}

// The bounds of bans.
const (
	maxBans   = 10_000
	maxBanWhy = 100 // bytes; the reason of a connection's end has 120
)

// bans are the bans of a host, also in a file.
type bans struct {
	file string // "" keeps them in memory
	mu   sync.Mutex
	list []Ban
}

// read reads the file; a file that does not exist holds none.
func (s *bans) read() error {
	b, err := os.ReadFile(s.file)
	if s.file == "" || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s.list)
	}
	if err != nil {
		return fmt.Errorf("%w: want a list of bans as the server writes it, or no file", err)
	}
	return nil
}

// find returns the ban that keeps a client out, nil if there is none.
func (s *bans) find(account, remote string, now time.Time) *Ban {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == 0 {
		return nil
	}
	from := transport.AddressBlock(remote)
	for i := range s.list {
		if s.list[i].holds(account, from, now) {
			b := s.list[i]
			return &b
		}
	}
	return nil
}

// set puts a ban in place of one of the same account or address; a ban that is over takes it away. It forgets
// those that are over, and writes the file.
func (s *bans) set(b Ban, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	over := func(o Ban) bool { return !o.Until.IsZero() && !now.Before(o.Until) }
	s.list = slices.DeleteFunc(s.list, func(o Ban) bool { return o.sameAs(b) || over(o) })
	if !over(b) {
		if len(s.list) >= maxBans {
			return errManyBans
		}
		s.list = append(s.list, b)
	}
	return s.write()
}

// write replaces the file as a whole.
func (s *bans) write() error {
	if s.file == "" {
		return nil
	}
	b, err := json.MarshalIndent(s.list, "", "\t")
	if err != nil {
		return fmt.Errorf("host: bans: %w", err)
	}
	if err := replaceFile(s.file, append(b, '\n')); err != nil {
		return fmt.Errorf("host: bans: %w", err)
	}
	return nil
}

// all returns the bans.
func (s *bans) all() []Ban {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// errManyBans is a ban that the list has no room for.
var errManyBans = fmt.Errorf("host: there are %d bans: lift some, or keep such lists in a firewall or in your backend", maxBans)

// errNobody is a ban of nobody, or of two at once.
var errNobody = errors.New("host: a ban has an account or an address, one of them")

// Ban keeps a player out from now on, and kicks it where it plays; a Ban with an end in the past lifts one. The
// error says what is wrong with the ban, or is that of the file of Config.Bans: then the ban ends with the process.
// Any goroutine may call it.
func (h *Host) Ban(b Ban) error {
	if (b.Account == "") == !b.Address.IsValid() || len(b.Why) > maxBanWhy {
		return errNobody
	}
	if a := b.Address.Addr(); a.Is4In6() && b.Address.Bits() >= 96 { // what a dual-stack socket calls an address of IPv4
		b.Address = netip.PrefixFrom(a.Unmap(), b.Address.Bits()-96)
	} else if a.Is6() && b.Address.Bits() > 64 {
		b.Address = netip.PrefixFrom(a, 64)
	}
	b.Address = b.Address.Masked()
	err := h.bans.set(b, time.Now())
	if errors.Is(err, errManyBans) {
		return err
	}
	until := "for good"
	if !b.Until.IsZero() {
		until = b.Until.UTC().Format(time.RFC3339)
	}
	h.config.Log.Info("ban", "account", b.Account, "address", b.Address, "until", until, "why", b.Why)
	for _, l := range h.loops {
		l.ban(b)
	}
	return err
}

// Bans returns the bans that there are, also some that are over.
func (h *Host) Bans() []Ban { return h.bans.all() }

// ban has the match kick those that a ban keeps out, in its next tick. A match that does not tick has no players
// that gain by it.
func (l *loop) ban(b Ban) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.endReason == "" && len(l.banned) < maxBans {
		l.banned = append(l.banned, b)
	}
}

// applyBans kicks those that new bans keep out. It is called from the match's goroutine.
func (l *loop) applyBans(now time.Time) {
	l.mu.Lock()
	fresh := l.banned
	l.banned = nil
	l.mu.Unlock()
	for i := range fresh {
		l.kickBanned(&fresh[i], now)
	}
}

// kickBanned closes the connections that a ban keeps out.
func (l *loop) kickBanned(b *Ban, now time.Time) {
	for i := range l.connections {
		g := &l.connections[i]
		if g.closing() || !b.holds(g.who.Account, transport.AddressBlock(g.conn.Remote()), now) {
			continue
		}
		l.refusePeer(g, b.Error(), now)
	}
	m, ok := l.config.Match.(kicker)
	if !ok || !b.holds(b.Account, netip.Prefix{}, now) {
		return
	}
	for _, p := range m.Players(nil) { // a player that is away has a seat but no connection
		if p.Account == b.Account {
			m.Kick(p.ID, b.Error())
		}
	}
}
