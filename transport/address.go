package transport

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
)

// ResolveUDP returns the address that "host:port" names: of a host with several the first of IPv4, if it has one, and
// without a host this machine. Like a dial it ends with its context.
func ResolveUDP(ctx context.Context, address string) (netip.AddrPort, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if a, err := netip.ParseAddr(host); err == nil { // with its zone, which the resolver drops
		return netip.AddrPortFrom(a.Unmap(), uint16(port)), nil
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", cmp.Or(host, "localhost"))
	if err != nil {
		return netip.AddrPort{}, err
	}
	i := max(0, slices.IndexFunc(found, func(a netip.Addr) bool { return a.Unmap().Is4() }))
	return netip.AddrPortFrom(found[i].Unmap(), uint16(port)), nil
}

// AddressBlock returns the addresses that count as one client with "host:port": of IPv6 its /64. What is no
// address counts as one.
func AddressBlock(address string) netip.Prefix {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return netip.Prefix{}
	}
	a := at.Addr().Unmap().WithZone("")
	bits := 32
	if a.Is6() {
		bits = 64
	}
	if a.IsLoopback() {
		bits = a.BitLen()
	}
	block, _ := a.Prefix(bits)
	return block
}
