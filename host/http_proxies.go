package host

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// proxies are the addresses from which X-Forwarded-For is believed.
type proxies []netip.Prefix

func (p proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc([]netip.Prefix(p), func(of netip.Prefix) bool { return of.Contains(a.Unmap().WithZone("")) })
}

// client returns the address of a request's client as "host:port". Each proxy appends the address of its
// client to X-Forwarded-For, and what stands further left may be the client's invention. So the list is read from
// the right, as long as what says it is trusted; from any other address the header means nothing. The port is 0
// where a proxy does not say it. [THR-43, THR-33]
func (p proxies) client(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || len(p) == 0 {
		return r.RemoteAddr
	}
	list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(list) - 1; i >= 0 && p.trust(at.Addr()); i-- {
		next, ok := forwardedFor(list[i])
		if !ok {
			break // a proxy that writes what it does not know: no reason to believe what stands before
		}
		at = next
	}
	return at.String()
}

// forwardedFor reads one entry: an address, or one with its port.
func forwardedFor(entry string) (at netip.AddrPort, ok bool) {
	entry = strings.TrimSpace(entry)
	if a, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil {
		return netip.AddrPortFrom(a.Unmap().WithZone(""), 0), true
	}
	at, err := netip.ParseAddrPort(entry)
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port()), err == nil
}
