package host

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/backstep-net/backstep/transport/origin"
)

// secure sets the headers that every answer has.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "same-origin")
		next.ServeHTTP(w, r)
	})
}

// pagePolicy is a page's Content-Security-Policy but for what depends on the request. A page's scripts are
// files, so that no name or message that somebody types can become one; styles may stand in the page, since a
// game sets them as attributes. Cores are WebAssembly, models have their pictures in blobs.
const pagePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; " +
	"object-src 'none'; base-uri 'none'; form-action 'self'"

// pages is the handler around a page: it sets the policy. others returns the sources, beside its own server, to which
// the page of a request may connect, "" for none; origins are Config.Origins, whose pages may show this one in a
// frame. [THR-41]
func pages(next http.Handler, origins []string, others func(*http.Request) string) http.Handler {
	frames := frameAncestors(origins)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// 'self' has the page's WebSocket too; older Safari wants it named.
		connect := "connect-src 'self' data: blob:"
		if own := sourceOf(r.Host); own != "" {
			connect += " ws://" + own + " wss://" + own
		}
		if sources := others(r); sources != "" {
			connect += " " + sources
		}
		w.Header().Set("Content-Security-Policy", pagePolicy+"; "+connect+"; frame-ancestors "+frames)
		next.ServeHTTP(w, r)
	})
}

// frameAncestors returns the sources of pages that may show this one in a frame.
func frameAncestors(origins []string) string {
	all := []string{"'self'"}
	for _, o := range origins {
		if o != "null" && !strings.Contains(o, ":") { // such as a file, and IPv6, for which there is no form
			all = append(all, o)
		}
	}
	return strings.Join(all, " ")
}

// sourceOf returns "host:port" as a source of a policy, "" where it has no such form.
func sourceOf(hostport string) string {
	host := origin.HostOf(hostport)
	if a, err := netip.ParseAddr(host); !origin.ValidHost(host) || err == nil && a.Is6() {
		return ""
	}
	_, port, ok := strings.Cut(hostport, ":")
	if ok && strings.Trim(port, "0123456789") != "" {
		return ""
	}
	return hostport
}

// noOthers are no sources.
func noOthers(*http.Request) string { return "" }

// anyServer are the sources of a page that does not know its server yet: a front door names it. A page over HTTPS
// connects by TLS only.
func anyServer(r *http.Request) string {
	if r.TLS != nil {
		return "https: wss:"
	}
	return "http: https: ws: wss:"
}

// quicSourceFor returns the source of WebTransport for the page of a request, "" for none.
func (h *Host) quicSourceFor(r *http.Request) string {
	if where := h.quicAddr(r); where != "" {
		return quicSource(where)
	}
	return ""
}

// quicSource returns the source of WebTransport. An IPv6 address has no form of its own: then it is any
// address over TLS.
func quicSource(where string) string {
	if own := sourceOf(where); own != "" {
		return "https://" + own
	}
	return "https:"
}
