// Package front implements a front door for many servers: clients send their join request to it instead of to a
// server. It queues players until a seat is free, and returns a server's answer to the join request with the
// server's address and a connect token. Start at [New] and [Front.Run].
//
//	player                     front door                        servers
//	GET /api/join ───────────→ a ticket, the end of the queue
//	←── place 3, ticket        Allocator.Allocate ─────────────→ a server with a seat
//	GET /api/join?ticket= ───→ GET /api/join ──────────────────→ its start, match, certificate
//	←── the answer, a token
//	connects with the token ───────────────────────────────────→
//
// After a lost connection a client asks again with its ticket. The front door sends it back to its match while
// that accepts players. If its server is gone, the player gets a seat elsewhere, ahead of the queue; but a server of
// a fixed list (Static) has five seconds to start again, and then its players are sent back to it.
//
// Several front doors with the same key share their players over NATS (Config.NATS): each keeps its own part of
// the queue, and they agree on the next player.
package front

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/backstep-net/backstep/host"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/token"
	"github.com/backstep-net/backstep/transport/join"
)

// Config configures a Front.
type Config struct {
	// Addr is the TCP address of HTTP, "host:port"; "" picks a free port.
	Addr string
	// Allocator finds seats: Static or Agones. Required.
	Allocator Allocator
	// Key makes the connect tokens; the servers check with it or with its public half. Required.
	Key token.Key
	// Identify says which player sends a request, from a cookie or a header that the game's own accounts have
	// set; its error is a sentence for the player. Nil makes every player a guest: the ticket is the account.
	Identify func(*http.Request) (session.Identity, error)
	// Queue is how many players may wait, zero means 10,000; more are refused.
	Queue int
	// Limits, Origins, Proxies and Certificate are those of host.Config. Of Limits, Connections is how many
	// players of one address may wait. Zero means what it does there.
	Limits      host.Limits
	Origins     []string                                             // see Limits
	Proxies     []netip.Prefix                                       // see Limits
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error) // see Limits
	// Web is the folder of the built page: players open the front door's address, and the page goes on to the server of
	// its seat, which has to allow the front door's host in its host.Config.Origins. "" serves none.
	Web string
	// Admin is the TCP address of a port for metrics, health and readiness, and AdminSecret what it wants; ""
	// opens none. Without a secret it answers to this machine only.
	Admin, AdminSecret string
	// Drain is how long waiting players are still served after Run's context has ended. Newcomers are refused.
	// Zero stops at once.
	Drain time.Duration
	// NATS connects the front doors of the same players: a player may ask any of them, and seats go to the
	// player that has waited longest at any of them. Nil where there is only one. Anybody that can publish there can
	// take players' places: it needs a secret, and TLS where the network is not your own.
	NATS *nats.Conn
	// Tracer makes OpenTelemetry spans: of each player's time in the queue, and of each allocation. Nil makes none.
	Tracer trace.Tracer
	// Log is nil for none.
	Log *slog.Logger
}

// Front is a front door. Make it with New, then call Run once.
type Front struct {
	config  Config
	edge    *host.Edge
	admin   net.Listener // nil without one
	line    *line
	peers   *peers
	metrics *metrics
	log     *slog.Logger
}

// New opens the ports; Run serves and closes them. It panics without an Allocator and a Key that makes tokens.
func New(c Config) (*Front, error) {
	if c.Allocator == nil || !c.Key.Issues() {
		panic("front: New needs Config.Allocator, and as Config.Key one that makes tokens: a k4.local or a k4.secret key")
	}
	if c.Tracer == nil {
		c.Tracer = noop.NewTracerProvider().Tracer("")
	}
	edge, err := host.NewEdge(host.EdgeConfig{Addr: c.Addr, Limits: c.Limits, Origins: c.Origins, Proxies: c.Proxies, Certificate: c.Certificate, Web: c.Web, Log: c.Log})
	if err != nil {
		return nil, err
	}
	f := &Front{config: c, edge: edge, log: edge.Log(), line: newLine(c.Queue, c.Limits)}
	f.peers = newPeers(c.NATS, f.log)
	f.metrics = newMetrics(f.line)
	if c.Admin != "" {
		if f.admin, err = host.ListenAdmin(c.Admin, c.AdminSecret); err != nil {
			edge.Close()
			return nil, err
		}
	}
	return f, nil
}

// Addr is the TCP address of HTTP, as opened.
func (f *Front) Addr() net.Addr { return f.edge.Addr() }

// AdminAddr is the TCP address of the admin port, as opened; nil without one.
func (f *Front) AdminAddr() net.Addr {
	if f.admin == nil {
		return nil
	}
	return f.admin.Addr()
}

// Run serves until the context ends, and then until no player waits any more, at most for Config.Drain.
func (f *Front) Run(ctx context.Context) error {
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	if err := f.peers.begin(f.noteSeat, f.serveForwarded); err != nil {
		f.edge.Close()
		if f.admin != nil {
			f.admin.Close()
		}
		return fmt.Errorf("front: NATS: %w", err)
	}
	defer f.peers.end()
	go f.peers.publishLines(serving, f.line)
	ended := make(chan error, 2)
	go func() { ended <- f.edge.Run(serving, f.routes()) }()
	go func() { f.serveLine(serving); ended <- nil }()
	admin := &http.Server{Handler: f.adminRoutes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	if f.admin != nil {
		go func() { _ = admin.Serve(f.admin) }()
	}
	var err error
	select {
	case err = <-ended:
		ended <- nil
	case <-ctx.Done():
		f.line.drain()
		for until := time.Now().Add(f.config.Drain); f.line.waiting() > 0 && time.Now().Before(until); {
			time.Sleep(drainPoll)
		}
	}
	stop()
	err = errors.Join(err, <-ended, <-ended)
	_ = admin.Close()
	web.CloseIdleConnections()
	return err
}

// drainPoll is how often a front door that drains checks whether a player still waits.
const drainPoll = 20 * time.Millisecond

// routes is the HTTP handler.
func (f *Front) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+join.Path, f.edge.OwnPages(http.HandlerFunc(f.serveJoin)))
	mux.Handle("GET /", f.edge.Page())
	f.addHealth(mux)
	return mux
}

// adminRoutes is the handler of the admin port.
func (f *Front) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(f.metrics.registry, promhttp.HandlerOpts{}))
	f.addHealth(mux)
	return host.AdminOnly(f.config.AdminSecret, f.config.Log, nil, mux)
}

// addHealth adds /healthz, which answers as long as the process does, and /readyz, which does while newcomers
// may join the line.
func (f *Front) addHealth(mux *http.ServeMux) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if f.line.draining() {
			http.Error(w, "about to stop", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
}

// hold is how long a request is held before the answer is the place in the queue: while it asks the server of the player's
// seat, and waits for a seat. With forwardTimeout it is less than the time that an answer may take.
const hold = 2 * time.Second

// serveJoin answers the join request of a player.
func (f *Front) serveJoin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	var who session.Identity
	if f.config.Identify != nil {
		var err error
		if who, err = f.config.Identify(r); err != nil {
			f.metrics.refused.WithLabelValues("identity").Inc()
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
	}
	answer, err := f.answer(r, who)
	var refused *noToken
	switch {
	case errors.As(err, &refused):
		f.log.Error("a token", "why", refused.why)
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case err != nil:
		f.metrics.refused.WithLabelValues("line").Inc()
		w.Header().Set("Retry-After", "10")
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(&answer)
}

// preview returns the answer of a server without a seat, for a page that shows the level before its visitor plays: that of
// the last seat, or the first of a list.
func (f *Front) preview(ctx context.Context) (join.Answer, error) {
	for _, p := range append(f.line.lastPlace(), f.servers()...) {
		if a, err := look(ctx, p); a != nil && err == nil {
			return *a, nil
		}
	}
	return join.Answer{}, errNoPreview
}

var errNoPreview = errors.New("front: no server answers yet that the page could show: play, or try again")

// noToken is the error of a token that could not be made for a seat.
type noToken struct{ why error }

func (e *noToken) Error() string {
	return "front: no token can be made: tell the operator of this server"
}

// answer answers a request by its ticket, which may be of another front door, or adds a new ticket at the end of the
// line. A preview has no ticket.
func (f *Front) answer(r *http.Request, who session.Identity) (join.Answer, error) {
	if r.URL.Query().Has("preview") {
		return f.preview(r.Context())
	}
	until := time.Now().Add(hold)
	name := r.URL.Query().Get("ticket")
	t := f.line.find(name, who.Account)
	if t == nil {
		if a, ok := f.peers.forward(r.Context(), forwarded{name, who}); ok {
			return a, nil
		}
		var err error
		if t, err = f.line.add(f.peers.ticketName(), who, r.RemoteAddr); err != nil {
			return join.Answer{}, err
		}
	}
	return f.serveTicket(r.Context(), t, until)
}

// serveForwarded answers a request that another front door has forwarded.
func (f *Front) serveForwarded(ctx context.Context, e forwarded) join.Answer {
	t := f.line.find(e.Ticket, e.Who.Account)
	if t == nil {
		return join.Answer{}
	}
	a, err := f.serveTicket(ctx, t, time.Now().Add(hold))
	f.peers.warn(err)
	return a
}

// serveTicket waits for a ticket's seat until a time and returns the answer for it.
func (f *Front) serveTicket(ctx context.Context, t *ticket, until time.Time) (join.Answer, error) {
	soon, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if seat := f.line.seatOf(t); seat != nil && !f.lookAfter(soon, t, seat) {
		return join.Answer{Place: 1, Ticket: t.name}, nil
	}
	seat, place := f.line.wait(ctx, t, time.Until(until))
	if seat == nil {
		return join.Answer{Place: place + f.peers.before(t.since, time.Now()), Ticket: t.name}, nil
	}
	return f.admit(t, *seat)
}

// noteSeat counts a seat that another front door has given.
func (f *Front) noteSeat(p Place) {
	if a, ok := f.config.Allocator.(noter); ok {
		a.note(p)
	}
}

// noter is an Allocator that counts seats that no server's status shows yet.
type noter interface{ note(Place) }

// restartPatience is how long a server of a fixed list may be silent before its players get seats elsewhere: it may start
// again, and go on from a checkpoint in which they have their seats.
const (
	restartPatience = 5 * time.Second
	restartPoll     = 100 * time.Millisecond
)

// lookAfter finds out what has become of the server of a ticket's seat. If it was started again, the seat is in the new
// process; if it is gone or about to stop, the ticket waits again, in front of the others. It returns false where that is
// still open: the server is silent, and may be starting again. A request that its player gave up says nothing of the
// server.
func (f *Front) lookAfter(ctx context.Context, t *ticket, s *seat) bool {
	listed := slices.ContainsFunc(f.servers(), func(p Place) bool { return p.URL == s.place.URL })
	for {
		a, err := look(ctx, s.place)
		if errors.Is(ctx.Err(), context.Canceled) {
			return true
		}
		silent := f.line.silentFor(s, time.Now(), err != nil && !errors.As(err, new(*statusError)))
		switch {
		case a != nil && (listed || a.Server == s.answer.Server):
			// The answer of the same process is another one too: its match may be on the next level, and what opens
			// a connection of UDP opens one.
			if f.line.renew(t, s, a) && a.Server != s.answer.Server {
				f.noteSeat(s.place)
				f.peers.publish(subjectSeat, seatReport{f.peers.me, s.place})
			}
			return true
		case !listed || silent == 0 || silent > restartPatience:
			f.line.requeue(t, s)
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(restartPoll):
		}
	}
}

// look asks a server for the match of a place. The answer is nil after an error, and if the server is about to stop.
func look(ctx context.Context, p Place) (*join.Answer, error) {
	var now status
	if err := get(ctx, p.URL+"/api/status", &now); err != nil || now.Draining {
		return nil, err
	}
	return ask(ctx, p)
}

// servers returns the servers of a fixed list, without names of matches; none of another Allocator. They keep their
// addresses: whatever answers there is the same server.
func (f *Front) servers() []Place {
	if list, ok := f.config.Allocator.(interface{ servers() []Place }); ok {
		return list.servers()
	}
	return nil
}

// admit returns the answer for a ticket with a seat. Its token is new, since a token opens one connection.
func (f *Front) admit(t *ticket, s seat) (join.Answer, error) {
	a := *s.answer
	a.Ticket = t.name
	text, err := f.config.Key.Issue(token.Claims{
		Account: t.who.Account, Name: t.who.Name, Data: t.who.Data, Server: a.Server, Match: a.Match, Protocol: a.Protocol,
	}, time.Now())
	if err != nil {
		return join.Answer{}, &noToken{err}
	}
	a.Token = text
	return a, nil
}

// newName returns 128 random bits in hex.
func newName() string {
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// The waits of the line while there is no seat.
const (
	firstWait = 100 * time.Millisecond
	maxWait   = 2 * time.Second
)

// serveLine gives seats to the players in the queue, first come, first served, until the context ends.
func (f *Front) serveLine(ctx context.Context) {
	wait := firstWait
	for {
		t, more := f.line.first()
		if t == nil {
			wait = firstWait
			select {
			case <-ctx.Done():
				return
			case <-more:
			case <-time.After(time.Second): // a player may have left
			}
			continue
		}
		if f.peers.yields(t.since, time.Now()) {
			select {
			case <-ctx.Done():
				return
			case <-time.After(firstWait):
			}
			continue
		}
		s, err := f.allocate(ctx)
		if err == nil {
			f.metrics.waited.Observe(time.Since(t.since).Seconds())
			_, queued := f.config.Tracer.Start(ctx, "queue", trace.WithTimestamp(t.since))
			queued.End()
			f.line.give(t, s)
			f.peers.publish(subjectSeat, seatReport{f.peers.me, s.place})
			f.peers.publishLine(f.line)
			wait = firstWait
			continue
		}
		if errors.Is(err, ErrFull) {
			f.peers.noSeat(time.Now())
		}
		if err != ErrFull && ctx.Err() == nil { // Static joins ErrFull to the errors of servers that do not answer
			f.metrics.failed.Inc()
			f.log.Warn("allocating", "why", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		wait = min(2*wait, maxWait)
	}
}

// allocate returns a seat, and traces how long that took.
func (f *Front) allocate(ctx context.Context) (*seat, error) {
	ctx, span := f.config.Tracer.Start(ctx, "allocate", trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	s, err := f.seat(ctx)
	if err != nil && !errors.Is(err, ErrFull) {
		span.SetStatus(codes.Error, err.Error())
	}
	return s, err
}

func (f *Front) seat(ctx context.Context) (*seat, error) {
	p, err := f.config.Allocator.Allocate(ctx)
	if err != nil {
		return nil, err
	}
	a, err := ask(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("front: the server that was allocated: %w", err)
	}
	return &seat{place: p, answer: a}, nil
}
