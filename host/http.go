package host

import (
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"time"
)

// routes is the HTTP side:
//
//	/              the page
//	/ws            WebSocket connections
//	/api/join      how and where to connect
//	/api/status    how the server is doing
//	/healthz       "ok"
//	/levels/HASH   a packed world; /levels/HASH.glb its model
func (h *Host) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /ws", h.socket)
	mux.HandleFunc("GET /api/join", h.serveJoin)
	mux.HandleFunc("GET /api/status", h.serveStatus)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
	mux.HandleFunc("GET /levels/{name}", h.serveLevel)
	if h.config.Web != "" {
		files := http.FileServer(http.Dir(h.config.Web))
		mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "no-cache")
			files.ServeHTTP(w, r)
		})
	}
	return mux
}

// Join is the answer of /api/join: where to connect.
type Join struct {
	Version      string   `json:"version"`
	Match        string   `json:"match"`
	QUIC         string   `json:"quic"`         // host:port for Go clients
	WebTransport string   `json:"webtransport"` // URL for browsers
	CertHashes   []string `json:"certHashes"`   // SHA-256, hex; empty: an authority's
	WebSocket    string   `json:"websocket"`    // path on this server
	Level        string   `json:"level"`
	World        string   `json:"world"` // path of the packed world
	Model        string   `json:"glb"`   // path of the model
}

func (h *Host) serveJoin(w http.ResponseWriter, r *http.Request) {
	l := h.loops[0]
	if name := r.URL.Query().Get("match"); name != "" {
		if l = h.named(name); l == nil {
			http.Error(w, "no match of that name", http.StatusNotFound)
			return
		}
	}
	hashes, err := h.quic.Hashes()
	if err != nil {
		h.config.Log.Error("certificates", "why", err)
	}
	where := net.JoinHostPort(reachable(r.Host), port(h.quic.Addr()))
	join := Join{
		Version: h.config.Version, Match: l.seat.Name,
		QUIC: where, WebTransport: "https://" + where + "/play", CertHashes: []string{},
		WebSocket: "/ws", Level: l.seat.Level,
		World: "/levels/" + l.seat.Level, Model: "/levels/" + l.seat.Level + ".glb",
	}
	for _, hash := range hashes {
		join.CertHashes = append(join.CertHashes, hex.EncodeToString(hash[:]))
	}
	writeJSON(w, join)
}

func (h *Host) named(name string) *loop {
	for _, l := range h.loops {
		if l.seat.Name == name {
			return l
		}
	}
	return nil
}

// reachable is the host by which the client came, as WebTransport wants it: an
// address instead of "localhost", which may mean IPv6.
func reachable(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	}
	if host == "localhost" || host == "" {
		return "127.0.0.1"
	}
	return host
}

func port(a net.Addr) string {
	_, p, _ := net.SplitHostPort(a.String())
	return p
}

func (h *Host) serveStatus(w http.ResponseWriter, _ *http.Request) {
	var s struct {
		Version string    `json:"version"`
		Uptime  float64   `json:"uptime_s"`
		Matches []*Status `json:"matches"`
	}
	s.Version, s.Uptime = h.config.Version, time.Since(h.started).Seconds()
	for _, l := range h.loops {
		s.Matches = append(s.Matches, l.status.Load())
	}
	writeJSON(w, s)
}

func (h *Host) serveLevel(w http.ResponseWriter, r *http.Request) {
	name, model := strings.CutSuffix(r.PathValue("name"), ".glb")
	level, ok := h.config.Levels[name]
	if !ok {
		http.Error(w, "no level of that hash", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	b, kind := level.World, "application/octet-stream"
	if model {
		b, kind = level.Model, "model/gltf-binary"
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(b)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v)
}
