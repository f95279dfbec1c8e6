package host

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/transport/join"
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
//	/healthz       "ok"
//	/levels/HASH   a packed world; /levels/HASH.glb its model
func (h *Host) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /ws", h.socket)
	mux.HandleFunc("GET "+join.Path, h.serveJoin)
	mux.HandleFunc("GET /api/status", h.serveStatus)
	mux.HandleFunc("GET /healthz", h.serveHealth)
	mux.HandleFunc("GET /levels/{name}", h.serveLevel)
	if h.page != nil {
		mux.Handle("GET /", h.page)
	} else {
		mux.HandleFunc("GET /{$}", servePlaceholder)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

// servePlaceholder answers / on a server without a page.
func servePlaceholder(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("A Backstep server without a page. /api/join says how to connect, /api/status what runs.\n"))
}

// serveHealth answers ok while a match runs.
func (h *Host) serveHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	for _, l := range h.loops {
		if !l.failed.Load() {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
	}
	http.Error(w, "every match has failed", http.StatusServiceUnavailable)
}

func (h *Host) serveJoin(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // the page may have another origin
	l := h.matchNamed(r.URL.Query().Get("match"))
	if l == nil {
		http.Error(w, "no match of that name", http.StatusNotFound)
		return
	}
	hashes, err := h.quic.Hashes()
	if err != nil {
		h.config.Log.Error("certificates", "why", err)
	}
	where := reachableAddr(r.Host, h.quic.Addr())
	answer := join.Answer{
		Version: h.config.Version, Protocol: session.Version, Format: l.config.Match.Format(), Match: l.config.Name,
		Server: h.id, Tokens: h.tokens != nil,
		QUIC: where, WebTransport: "https://" + where + quicserver.Path, CertHashes: []string{},
		WebSocket: "/ws", Level: l.level, World: "/levels/" + l.level,
	}
	if files := h.levels[l.level]; files != nil {
		answer.Model = files.modelPath()
	}
	for _, hash := range hashes {
		answer.CertHashes = append(answer.CertHashes, hex.EncodeToString(hash[:]))
	}
	h.writeJSON(w, answer)
}

// reachableAddr returns the address of a listener for a client that reached HTTP at
// hostport: the same host, unless one of the two is only reachable from this machine. It
// never returns "localhost", which may resolve to IPv6.
func reachableAddr(hostport string, listener net.Addr) string {
	own, _ := netip.ParseAddrPort(listener.String())
	host := hostOf(hostport)
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	bound := own.Addr().Unmap()
	if !bound.IsUnspecified() && (bound.IsLoopback() || loopback(host)) {
		host = bound.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(own.Port())))
}

// hostOf returns the host of "host:port" or "host", without brackets.
func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// loopback reports whether a host is this machine, by name or address.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

func (h *Host) serveStatus(w http.ResponseWriter, r *http.Request) {
	var s struct {
		Version string   `json:"version"`
		Uptime  float64  `json:"uptime_s"`
		Matches []Status `json:"matches"`
	}
	s.Version, s.Uptime = h.config.Version, time.Since(h.started).Seconds()
	details := isLocalRequest(r)
	for _, l := range h.loops {
		m := *l.status.Load()
		if details {
			m.Players = m.details
		}
		s.Matches = append(s.Matches, m)
	}
	h.writeJSON(w, s)
}

// isLocalRequest reports whether a request comes from this machine, addresses this machine,
// and was not forwarded by a proxy that says so.
func isLocalRequest(r *http.Request) bool {
	for _, name := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	return loopback(hostOf(r.RemoteAddr)) && loopback(hostOf(r.Host))
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
