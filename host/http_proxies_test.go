package host

import (
	"net/http"
	"net/netip"
	"testing"
)

// The client is what the last trusted proxy saw; what stands further left is what the client wrote. [THR-43]
func TestTheClientBehindProxies(t *testing.T) {
	trusted := proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("2001:db8:1::/48")}
	for _, c := range []struct {
		what, remote, want string
		header             []string
	}{
		{"no proxy", "203.0.113.7:5", "203.0.113.7:5", nil},
		{"a header of a client", "203.0.113.7:5", "203.0.113.7:5", []string{"198.51.100.1"}},
		{"a proxy", "10.0.0.1:5", "203.0.113.7:0", []string{"203.0.113.7"}},
		{"a proxy that says nothing", "10.0.0.1:5", "10.0.0.1:5", nil},
		{"a client that wrote before the proxy", "10.0.0.1:5", "203.0.113.7:0", []string{"127.0.0.1, 198.51.100.1,203.0.113.7"}},
		{"a client that wrote a trusted address", "10.0.0.1:5", "203.0.113.7:0", []string{"10.9.9.9, 203.0.113.7"}},
		{"a header in two lines", "10.0.0.1:5", "203.0.113.7:0", []string{"127.0.0.1", "203.0.113.7"}},
		{"two proxies", "127.0.0.1:5", "203.0.113.7:0", []string{"198.51.100.1, 203.0.113.7, 10.0.0.2"}},
		{"only proxies", "127.0.0.1:5", "10.0.0.3:0", []string{"10.0.0.3, 10.0.0.2"}},
		{"with a port", "10.0.0.1:5", "203.0.113.7:99", []string{"203.0.113.7:99"}},
		{"IPv6", "[2001:db8:1::9]:5", "[2001:db8::7]:0", []string{"2001:db8::7"}},
		{"IPv6 with a port", "[::ffff:10.0.0.1]:5", "[2001:db8::7]:99", []string{"[2001:db8::7]:99"}},
		{"an IPv4 address as IPv6", "10.0.0.1:5", "203.0.113.7:0", []string{"::ffff:203.0.113.7"}},
		{"nonsense before", "10.0.0.1:5", "203.0.113.7:0", []string{"nonsense, 203.0.113.7"}},
		{"nonsense", "10.0.0.1:5", "10.0.0.1:5", []string{"203.0.113.7, unknown"}},
		{"an empty entry", "10.0.0.1:5", "10.0.0.1:5", []string{"203.0.113.7,"}},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.header}}
		if got := trusted.client(r); got != c.want {
			t.Errorf("%s: %s with %q: got %s, want %s", c.what, c.remote, c.header, got, c.want)
		}
	}
	r := &http.Request{RemoteAddr: "127.0.0.1:5", Header: http.Header{"X-Forwarded-For": {"203.0.113.7"}}}
	if got := proxies(nil).client(r); got != "127.0.0.1:5" {
		t.Errorf("without trusted proxies: got %s, want the header ignored", got)
	}
}
