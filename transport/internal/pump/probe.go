package pump

// Probe returns a datagram without content, a single zero byte: its acknowledgement shows
// whether datagrams still get through. It is not empty, because Chromium delivers no
// further datagram after an empty one.
func Probe() []byte { return []byte{0} }

// IsProbe reports whether a datagram must be ignored: a probe or an empty one.
func IsProbe(b []byte) bool { return len(b) == 0 || len(b) == 1 && b[0] == 0 }
