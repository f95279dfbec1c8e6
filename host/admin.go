package host

import (
	"crypto/subtle"
	_ "embed" // the dashboard
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/origin"
)

// admin is the port for the operator of the server: metrics, profiles, the players' details, kick and drain. It
// listens on this machine only, or wants a secret. [THR-33]
type admin struct {
	listener net.Listener
	server   *http.Server
	metrics  *metrics
}

// errNoSecret is an admin port that other machines reach and that wants nothing of them.
var errNoSecret = errors.New("other machines reach it: set Config.AdminSecret, or listen on 127.0.0.1")

// maxWhy bounds the reason of a kick, in bytes.
const maxWhy = 200

//go:embed admin.html
var dashboard []byte

// ListenAdmin opens an admin port: on an address of this machine only, unless there is a secret. The error is an
// [*AddressError].
func ListenAdmin(address, secret string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil && secret == "" && !origin.Loopback(origin.HostOf(l.Addr().String())) {
		l.Close()
		err = errNoSecret
	}
	if err != nil {
		return nil, &AddressError{"Admin", address, err}
	}
	return l, nil
}

// adminSockets bounds the connections of the port; a new one takes the place of the one that has been idle for longest.
const adminSockets = 64

// openAdmin opens the port.
func (h *Host) openAdmin() error {
	l, err := ListenAdmin(h.config.Admin, h.config.AdminSecret)
	if err != nil {
		return err
	}
	g := newGate(l, Limits{Sockets: adminSockets, AddressSockets: -1, Requests: -1}, nil, h.config.Log)
	h.admin = &admin{listener: g, metrics: newMetrics(h)}
	h.admin.server = newServer(g.bound(h.adminRoutes()), g, h.config.Log)
	// A profile takes as long as it is asked for, and metrics are asked for twice a minute.
	h.admin.server.ReadTimeout, h.admin.server.WriteTimeout, h.admin.server.IdleTimeout = 0, 0, time.Minute
	return nil
}

// adminRoutes is the handler of the port:
//
//	GET  /               a live page
//	GET  /status         the status of every match, with the players' details
//	GET  /metrics        for Prometheus
//	GET  /healthz        as on the public port; /readyz too
//	GET  /debug/pprof/   profiles
//	POST /kick           {"match", "player", "why"}: kicks a player
//	GET  /bans           who is kept out
//	POST /ban            {"account" or "address", "until", "why"}: keeps a player out
//	POST /drain          begins to stop the server
func (h *Host) adminRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'")
		_, _ = w.Write(dashboard)
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { h.writeStatus(w, func(s *Status) any { return s }) })
	mux.Handle("GET /metrics", h.withHandshakes(promhttp.HandlerFor(h.admin.metrics.registry, promhttp.HandlerOpts{})))
	mux.HandleFunc("GET /healthz", h.serveHealth)
	mux.HandleFunc("GET /readyz", h.serveReady)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("POST /kick", h.serveKick)
	mux.HandleFunc("GET /bans", func(w http.ResponseWriter, _ *http.Request) { h.writeJSON(w, h.Bans()) })
	mux.HandleFunc("POST /ban", h.serveBan)
	mux.HandleFunc("POST /drain", func(w http.ResponseWriter, _ *http.Request) {
		h.config.Log.Info("drain", "by", "admin")
		h.Drain()
		_, _ = io.WriteString(w, "draining\n")
	})
	// A page of another site that is open in an administrator's browser must not act, nor read by a name of
	// its own that leads here (DNS rebinding).
	return AdminOnly(h.config.AdminSecret, h.config.Log, h.refused, http.NewCrossOriginProtection().Handler(mux))
}

// withHandshakes adds to the refusals what the transports have counted, before the metrics are read.
func (h *Host) withHandshakes(next http.Handler) http.Handler {
	var mu sync.Mutex // two that read at once must not count backwards
	counted := uint64(0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := h.quic.Unheard() + h.socket.Unheard()
		if h.udp != nil {
			now += h.udp.Unheard()
		}
		h.admin.metrics.refused.WithLabelValues(causeMute).Add(float64(now - counted))
		counted = now
		mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// AdminOnly wraps the handlers of an admin port: it requires the secret or, without one, a request addressed to
// this machine. Others are logged, and counted by refused, nil for not.
func AdminOnly(secret string, log *slog.Logger, refused func(cause string), next http.Handler) http.Handler {
	note := func(r *http.Request) {
		log.Warn("refused admin request", "from", r.RemoteAddr, "path", r.URL.Path)
		if refused != nil {
			refused(causeAdmin)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		// The body of a request that is refused is read before the answer: one that does not come must not hold the
		// connection. Profiles, which take longer, are not refused.
		body := http.NewResponseController(w)
		switch {
		case secret == "" && !origin.Loopback(origin.HostOf(r.Host)):
			note(r)
			_ = body.SetReadDeadline(time.Now().Add(refusedBody))
			http.Error(w, "host: the admin port answers to localhost only", http.StatusForbidden)
		case secret != "" && subtle.ConstantTimeCompare([]byte(secretOf(r)), []byte(secret)) != 1:
			if secretOf(r) != "" { // a browser asks without one first
				note(r)
			}
			_ = body.SetReadDeadline(time.Now().Add(refusedBody))
			w.Header().Set("WWW-Authenticate", `Basic realm="backstep"`)
			http.Error(w, "host: the admin port wants its secret", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refusedBody is how long the body of a request that is refused may take.
const refusedBody = time.Second

// secretOf returns what a request gives as the secret: a bearer token, or the password of any user.
func secretOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return bearer
}

// kicker is a Match whose players can be kicked.
type kicker interface {
	Kick(id session.PlayerID, why string)
	Players(into []session.PlayerInfo) []session.PlayerInfo
}

// serveKick kicks a player in the match's next tick, and answers when it has.
func (h *Host) serveKick(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Match, Why string
		Player     session.PlayerID
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(&ask); err != nil {
		http.Error(w, `host: want {"match": "…", "player": 1, "why": "…"}: `+err.Error(), http.StatusBadRequest)
		return
	}
	if ask.Match == "" && len(h.loops) > 1 { // each match has a player 1
		http.Error(w, `host: "match" is missing: this server runs several, name the one of the player`, http.StatusBadRequest)
		return
	}
	l := h.matchNamed(ask.Match)
	if l == nil {
		http.Error(w, "host: no match of that name", http.StatusNotFound)
		return
	}
	if ask.Why = strings.ToValidUTF8(ask.Why, ""); ask.Why == "" {
		ask.Why = "host: kicked"
	}
	done := make(chan error, 1)
	select {
	case l.requests <- func() { done <- l.kickPlayer(ask.Player, ask.Why[:min(len(ask.Why), maxWhy)]) }:
	case <-time.After(time.Second):
		http.Error(w, "host: the match does not answer", http.StatusServiceUnavailable)
		return
	}
	select {
	case err := <-done:
		if err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, "kicked\n")
	case <-l.done:
		http.Error(w, "host: the match has ended", http.StatusServiceUnavailable)
	}
}

// serveBan keeps a player out.
func (h *Host) serveBan(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Ban
		Address string `json:"address"`
	}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(&ask)
	if err == nil && ask.Address != "" {
		ask.Ban.Address, err = networkOf(ask.Address)
	}
	if err != nil {
		http.Error(w, `host: want {"account": "…", "until": "2027-01-02T15:04:05Z", "why": "…"}, or "address": "203.0.113.7" or "203.0.113.0/24": `+err.Error(), http.StatusBadRequest)
		return
	}
	if err := h.Ban(ask.Ban); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !ask.Until.IsZero() && ask.Until.Before(time.Now()) {
		_, _ = io.WriteString(w, "lifted\n")
		return
	}
	_, _ = io.WriteString(w, "banned\n")
}

// networkOf reads a network, or an address, which is the network of itself.
func networkOf(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// kickPlayer kicks a player of the match. It is called from the match's goroutine.
func (l *loop) kickPlayer(id session.PlayerID, why string) error {
	m, ok := l.config.Match.(kicker)
	if !ok {
		return errors.New("host: this match cannot kick")
	}
	for _, p := range m.Players(nil) {
		if p.ID == id {
			l.log.Info("kicked", "player", id, "name", p.Name, "account", p.Account, "why", why, "by", "admin")
			m.Kick(id, why)
			return nil
		}
	}
	return fmt.Errorf("host: no player %d in match %q", id, l.config.Name)
}

// answerRequests runs the functions that other goroutines have queued for the match.
func (l *loop) answerRequests() {
	for {
		select {
		case do := <-l.requests:
			do()
		default:
			return
		}
	}
}
