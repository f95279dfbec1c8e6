package pump

// Probe is a datagram that means nothing: one zero byte. It asks whether anything
// still passes. It is not an empty one, because Chromium delivers no datagram
// after an empty one any more.
func Probe() []byte { return []byte{0} }

// IsProbe reports whether a datagram means nothing and is to be ignored: a probe,
// or an empty one.
func IsProbe(b []byte) bool { return len(b) == 0 || len(b) == 1 && b[0] == 0 }
