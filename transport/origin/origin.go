// Package origin decides which web pages may connect to a server, by one rule for the join request,
// WebSocket and WebTransport. Start at [Check].
//
// A browser sends the origin of the connecting page in the header Origin, and a page cannot change it. The
// rule prevents other sites from connecting through their visitors' browsers and addresses. It does not stop
// programs other than browsers, which can send any Origin or none. Tokens decide which players may join.
package origin

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Check reports why a page may not connect, nil where it may. origin is the header Origin and host the
// header Host of the request. A request without an origin comes from no page and may connect. A page may if
// its host is that of the request, ports left aside, if both are this machine (localhost, 127.0.0.1, ::1),
// or if one of the patterns allows it: "game.example" that host, "*.game.example" each host below it,
// "*" every page, and "null" pages without a host, such as files and sandboxed frames.
func Check(patterns []string, origin, host string) error {
	if origin == "" {
		return nil
	}
	page := "null"
	if u, err := url.Parse(origin); err == nil && u.Hostname() != "" {
		page = strings.ToLower(u.Hostname())
	}
	own := strings.ToLower(HostOf(host))
	if page == own || Loopback(page) && Loopback(own) {
		return nil
	}
	for _, p := range patterns {
		if matches(strings.ToLower(p), page) {
			return nil
		}
	}
	return fmt.Errorf("origin: pages of %q may not connect to %q: allow them with Origins in the server's Config, or --origin %s", page, own, page)
}

// matches reports whether a pattern names a host.
func matches(pattern, host string) bool {
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return pattern == host || pattern == "*"
}

// CheckPattern reports what is wrong with a pattern: a scheme, a port, or a star elsewhere than in front.
func CheckPattern(pattern string) error {
	if _, err := netip.ParseAddr(pattern); err == nil || pattern == "*" {
		return nil
	}
	if name := strings.TrimPrefix(pattern, "*."); !ValidHost(name) {
		return fmt.Errorf(`origin: %q is no pattern of hosts: want one such as "game.example", "*.game.example" or "*", without scheme and port`, pattern)
	}
	return nil
}

// ValidHost reports whether a host is an address or may be a name: letters, digits, ".", "-" and "_", at
// most 253 of them. The header Host holds what a client wrote there, so check it before you repeat it.
func ValidHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return !strings.Contains(host, "%") // a zone may hold anything
	}
	for _, c := range host {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			return false
		}
	}
	return len(host) >= 1 && len(host) <= 253
}

// HostOf returns the host of "host:port" or "host", without brackets.
func HostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// Loopback reports whether a host is this machine, by name or address.
func Loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}
