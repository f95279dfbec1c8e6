package host

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/backstep-net/backstep/transport"
)

// Limits bound what one address may do, so that nobody takes all seats or fills the log. All addresses of
// an IPv6 /64 count as one. Below zero is no limit.
type Limits struct {
	// Connections is how many connections an address may have at a time; zero means 12.
	Connections int
	// Joins is how many connections an address may open a minute; zero means 60. As many are allowed at once.
	Joins int
	// Pause is for how long an address is refused after one of its players was kicked
	// (session.Event.Expelled); zero means 10 s.
	Pause time.Duration
	// Sockets is how many TCP connections HTTP has at a time, WebSockets not counted; zero means 1,024, or
	// half of the process's descriptors where those are fewer. AddressSockets is how many of them one
	// address has; zero means 64. A new one takes the place of one that is idle.
	Sockets, AddressSockets int
	// Requests is how many requests and connections of HTTP an address may make a minute; zero means
	// 1,200. As many are allowed at once.
	Requests int
	// Loopback counts this machine's own addresses too. Otherwise they are exempt from what bounds one
	// address: bots and tests run here. A proxy on this machine belongs in Config.Proxies.
	Loopback bool
}

// withDefaults returns the limits with what zero means.
func (c Limits) withDefaults() Limits {
	orElse := func(n *int, otherwise int) {
		if *n == 0 {
			*n = otherwise
		}
	}
	orElse(&c.Connections, 12)
	orElse(&c.Joins, 60)
	orElse(&c.Sockets, maxSockets())
	orElse(&c.AddressSockets, 64)
	orElse(&c.Requests, 1200)
	if c.Pause == 0 {
		c.Pause = 10 * time.Second
	}
	return c
}

// maxSockets is Limits.Sockets by default: the page's files, recordings and WebSockets need descriptors too.
func maxSockets() int {
	if n := descriptors(); n > 0 {
		return max(min(1024, n/2), 16)
	}
	return 1024
}

// Why an address is refused, sentences for its player.
var (
	errManyConnections = errors.New("host: too many players from your address: leave with one first")
	errManyJoins       = errors.New("host: too many joins from your address: wait a minute")
)

// maxVisitors is how many addresses a door remembers before it forgets those that do nothing.
const maxVisitors = 4096

// door counts what each address does. It is for any goroutine.
type door struct {
	limits   Limits
	mu       sync.Mutex
	visitors map[netip.Prefix]*visitor
	swept    time.Time            // when visitors were last forgotten
	accounts map[string]time.Time // until when an account is refused
}

// visitor is one address.
type visitor struct {
	open   []transport.Conn // those that have ended are forgotten at the next
	joins  *rate.Limiter
	paused time.Time // until when it is refused
}

func newDoor(limits Limits) *door {
	return &door{limits: limits.withDefaults(), visitors: map[netip.Prefix]*visitor{}, accounts: map[string]time.Time{}}
}

// enter counts a new connection; the error says why it is refused. A player with an account, by its connect
// token, is not counted against its address, so that strangers cannot lock out a player with the same address. [THR-35]
func (d *door) enter(conn transport.Conn, account string, now time.Time) *refusal {
	if account != "" {
		return d.enterAccount(account, now)
	}
	block := transport.AddressBlock(conn.Remote())
	if block.Addr().IsLoopback() && !d.limits.Loopback {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.visitors[block]
	if v == nil {
		d.forget(now)
		v = &visitor{joins: perMinute(d.limits.Joins)}
		d.visitors[block] = v
	}
	v.refresh()
	switch {
	case now.Before(v.paused):
		return &refusal{cause: causeKick, why: fmt.Errorf("host: a player of your address was kicked: try again in %d s", int(v.paused.Sub(now).Seconds())+1)}
	case d.limits.Joins >= 0 && v.joins.TokensAt(now) < 1:
		return &refusal{cause: causeLimit, why: errManyJoins, later: true}
	case d.limits.Connections >= 0 && len(v.open) >= d.limits.Connections:
		return &refusal{cause: causeLimit, why: errManyConnections, later: true}
	}
	v.joins.AllowN(now, 1)
	v.open = append(v.open, conn)
	return nil
}

// enterAccount refuses an account that was kicked a short time ago.
func (d *door) enterAccount(account string, now time.Time) *refusal {
	d.mu.Lock()
	defer d.mu.Unlock()
	if until := d.accounts[account]; now.Before(until) {
		return &refusal{cause: causeKick, why: fmt.Errorf("host: you were kicked: try again in %d s", int(until.Sub(now).Seconds())+1)}
	}
	return nil
}

// pause refuses a player's account for a while, or else its address: it was kicked. [THR-34]
func (d *door) pause(conn transport.Conn, account string, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if account != "" {
		maps.DeleteFunc(d.accounts, func(_ string, until time.Time) bool { return !now.Before(until) })
		d.accounts[account] = now.Add(max(d.limits.Pause, 0))
		return
	}
	if v := d.visitors[transport.AddressBlock(conn.Remote())]; v != nil && d.limits.Pause > 0 {
		v.paused = now.Add(d.limits.Pause)
	}
}

// refresh forgets the connections that have ended.
func (v *visitor) refresh() {
	kept := v.open[:0]
	for _, c := range v.open {
		if !c.Closed() {
			kept = append(kept, c)
		}
	}
	clear(v.open[len(kept):])
	v.open = kept
}

// forget drops the addresses that do nothing, once there are many, at most once a second: a search of all for
// each of a spray of addresses would cost the square of their number.
func (d *door) forget(now time.Time) {
	if len(d.visitors) < maxVisitors || now.Sub(d.swept) < time.Second {
		return
	}
	d.swept = now
	for block, v := range d.visitors {
		if v.refresh(); len(v.open) == 0 && now.After(v.paused) && unused(v.joins, now) {
			delete(d.visitors, block)
		}
	}
}

// perMinute allows so many events a minute, all of them at once too; below zero it allows any number.
func perMinute(n int) *rate.Limiter {
	if n < 0 {
		return rate.NewLimiter(rate.Inf, 0)
	}
	return rate.NewLimiter(rate.Limit(n)/60, n)
}

// unused reports whether nothing has happened for as long as it takes until everything is allowed again.
func unused(l *rate.Limiter, now time.Time) bool { return l.TokensAt(now) >= float64(l.Burst()) }
