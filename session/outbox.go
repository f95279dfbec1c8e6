package session

// outbox gathers packets until they are handed out. Its storage is reused: what
// Outgoing returned is valid until something is put in afterwards.
type outbox struct {
	bytes   []byte
	packets []Packet
	handed  bool
}

// put copies b in.
func (o *outbox) put(to Peer, ch Channel, b []byte) {
	if o.handed {
		o.bytes, o.packets, o.handed = o.bytes[:0], o.packets[:0], false
	}
	from := len(o.bytes)
	o.bytes = append(o.bytes, b...)
	o.packets = append(o.packets, Packet{to, ch, o.bytes[from:len(o.bytes):len(o.bytes)]})
}

// hand returns what was put in since the last time, in order.
func (o *outbox) hand() []Packet {
	if o.handed {
		return nil
	}
	o.handed = true
	return o.packets
}
