package host

import (
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
	"github.com/backstep-net/backstep/transport/origin"
	"github.com/backstep-net/backstep/transport/quic/quicserver"
)

// routes is the HTTP handler; all paths except /ws answer GET and HEAD only:
//
//	/              the page
//	/ws            WebSocket connections
//
//	/api/join      how and where to connect
//	/api/status    the status of every match
//
//	/healthz       "ok" while every match ticks
//	/readyz        "ok" while newcomers may join
//	/levels/HASH   a packed world; /levels/HASH.glb its model
func (h *Host) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /ws", ownPages(h.config.Origins, h.config.Log, h.refused, h.socket))
	mux.Handle("GET "+join.Path, ownPages(h.config.Origins, h.config.Log, h.refused, http.HandlerFunc(h.serveJoin)))
	mux.HandleFunc("GET /api/status", func(w http.ResponseWriter, r *http.Request) {
		if from := r.Header.Get("Origin"); from != "" && origin.Check(h.config.Origins, from, r.Host) == nil {
			w.Header().Set("Access-Control-Allow-Origin", from) // a lobby that lists servers
		}
		w.Header().Add("Vary", "Origin")
		h.writeStatus(w, func(s *Status) any { return publicStatus{s.Name, s.Level, s.State, s.TickRate, s.Connections} })
	})
	mux.HandleFunc("GET /healthz", h.serveHealth)
	mux.HandleFunc("GET /readyz", h.serveReady)
	mux.Handle("GET /levels/{name}", h.downloads.limit(http.HandlerFunc(h.serveLevel)))
	if h.page != nil {
		mux.Handle("GET /", h.downloads.limit(pages(h.page, h.config.Origins, h.quicSourceFor)))
	} else {
		mux.HandleFunc("GET /{$}", servePlaceholder)
	}
	return h.gate.bound(secure(mux))
}

// ownPages is the handler around what joins: it refuses pages of origins that are not allowed. [THR-40]
func ownPages(origins []string, log *slog.Logger, refused func(cause string), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Origin")
		from := r.Header.Get("Origin")
		if err := origin.Check(origins, from, r.Host); err != nil {
			refused(causePage)
			log.Info("refused page", "from", r.RemoteAddr, "why", err)
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		if from != "" {
			w.Header().Set("Access-Control-Allow-Origin", from)
		}
		next.ServeHTTP(w, r)
	})
}

// servePlaceholder answers / on a server without a page.
func servePlaceholder(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("A Backstep server without a page. /api/join says how to connect, /api/status what runs.\n"))
}

// serveJoin answers where to connect. The header Host decides it, and a client writes there what it likes. It
// would only send itself elsewhere, and no page can set the header; but a cache that keeps the answer although it
// must not would send others to the server of whoever asked first, which then has their names, keys and moves. So the
// answer says that it is not to be kept, a host that is none is refused, and Config.Public takes the choice away.
// [THR-41]
func (h *Host) serveJoin(w http.ResponseWriter, r *http.Request) {
	l := h.matchNamed(r.URL.Query().Get("match"))
	if l == nil {
		http.Error(w, "no match of that name", http.StatusNotFound)
		return
	}
	where := h.quicAddr(r)
	if where == "" {
		http.Error(w, "host: the header Host is no host's name", http.StatusBadRequest)
		return
	}
	hashes, err := h.quic.Hashes()
	if err != nil {
		h.config.Log.Error("certificates", "why", err)
	}
	level := *l.level.Load()
	answer := join.Answer{
		Version: h.config.Version, Protocol: session.Version, Format: l.config.Match.Format(), Match: l.config.Name,
		Server: h.id, Tokens: h.tokens != nil,
		QUIC: where, WebTransport: "https://" + where + quicserver.Path, CertHashes: []string{},
		WebSocket: "/ws", Level: level, World: "/levels/" + level,
	}
	if h.udp != nil {
		t := h.udp.Ticket()
		answer.UDP = &join.UDP{
			Ticket: hex.EncodeToString(t.Bytes[:]), Secret: hex.EncodeToString(t.Secret[:]), Key: hex.EncodeToString(t.Server[:]),
		}
	}
	if files := h.levels[level]; files != nil {
		answer.Model = files.modelPath()
	}
	for _, hash := range hashes {
		answer.CertHashes = append(answer.CertHashes, hex.EncodeToString(hash[:]))
	}
	h.writeJSON(w, answer)
}

// quicAddr returns the UDP address for the client of a request, "" where the request names no host.
func (h *Host) quicAddr(r *http.Request) string {
	if h.config.Public != "" {
		return withPort(h.config.Public, h.quic.Addr())
	}
	if host := origin.HostOf(r.Host); host != "" && !origin.ValidHost(host) {
		return ""
	}
	return reachableAddr(r.Host, h.quic.Addr())
}

// withPort returns "host:port", with the port of a listener where hostport has none.
func withPort(hostport string, listener net.Addr) string {
	if _, _, err := net.SplitHostPort(hostport); err == nil {
		return hostport
	}
	own, _ := netip.ParseAddrPort(listener.String())
	return net.JoinHostPort(origin.HostOf(hostport), strconv.Itoa(int(own.Port())))
}

// reachableAddr returns the address of a listener for a client that reached HTTP at
// hostport: the same host, unless one of the two is only reachable from this machine. It
// never returns "localhost", which may resolve to IPv6.
func reachableAddr(hostport string, listener net.Addr) string {
	own, _ := netip.ParseAddrPort(listener.String())
	host := origin.HostOf(hostport)
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	bound := own.Addr().Unmap()
	if !bound.IsUnspecified() && (bound.IsLoopback() || origin.Loopback(host)) {
		host = bound.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(own.Port())))
}

// publicStatus is a match as everybody sees it, this machine too: nothing says which players are there, where they
// are, or how close the server is to its limits. A request from here may be made for somebody elsewhere, by a proxy
// or a page. [THR-33, THR-61]
type publicStatus struct {
	Name        string `json:"name"`
	Level       string `json:"level"`
	State       State  `json:"state"`
	TickRate    int    `json:"tick_rate"`
	Connections int    `json:"connections"`
}

// writeStatus answers with the status of every match, each as show has it.
func (h *Host) writeStatus(w http.ResponseWriter, show func(*Status) any) {
	var s struct {
		Version string  `json:"version"`
		Uptime  float64 `json:"uptime_s"`
		// Draining is whether the server is about to stop.
		Draining bool  `json:"draining,omitempty"`
		Matches  []any `json:"matches"`
	}
	s.Version, s.Uptime = h.config.Version, time.Since(h.started).Seconds()
	s.Draining = h.isDraining()
	for _, l := range h.loops {
		s.Matches = append(s.Matches, show(l.status.Load()))
	}
	h.writeJSON(w, s)
}

// writeJSON answers with v. A value that JSON cannot represent, such as a NaN in a match's
// report, is a server error.
func (h *Host) writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Cache-Control", "no-store")
	b, err := json.Marshal(v)
	if err != nil {
		h.config.Log.Error("answering in JSON", "why", err)
		http.Error(w, "host: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(b, '\n'))
}
