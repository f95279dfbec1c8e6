package session

// schedule says which ticks of a match are sent as snapshots; see
// ServerConfig.SnapshotRate. Both ends know it.
type schedule struct{ ticks, snapshots int } // a second

// every reports whether every tick is sent.
func (c schedule) every() bool { return c.ticks == c.snapshots }

// sends reports whether a tick is one of those that are sent.
func (c schedule) sends(tick uint32) bool {
	all, some := uint64(c.ticks), uint64(c.snapshots)
	return all == some || uint64(tick)*some/all != uint64(tick-1)*some/all
}

// before returns the newest tick before one that is sent; 0: none.
func (c schedule) before(tick uint32) uint32 {
	for tick--; tick > 0 && !c.sends(tick); tick-- {
	}
	return tick
}
