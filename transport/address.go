package transport

import "net/netip"

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
