package session

import (
	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/session/field"
)

// How a game's format is probed.
const (
	probeBytes  = 512 // longer than most states
	probeSingle = 48  // probes of one bit each, the first ones of a message
	probeMixed  = 80  // and of bits at random, from one in two to one in 64
)

// formatOf returns a hash of how a game's commands and states are packed, so that a client whose game
// packs them otherwise is refused instead of misread (GAP-04), such as a page that a browser cached
// while its server was updated. It reads fixed random bits, and hashes how many bits each read took,
// whether it failed, and how the result is packed again. Names and meanings do not matter: a change
// that moves no bit is not detected.
func formatOf[S comparable, C any](game *Game[S, C]) uint32 {
	f := prober{sum: 2166136261, random: 0x9E3779B97F4A7C15}
	var none, before C
	for i := range probeSingle + probeMixed {
		f.fill(i)
		var c C
		f.read(func(p *bits.Packer) { game.PackCommand(p, &c, &before) })
		if f.packer.Err() == nil {
			f.write(func(p *bits.Packer) { game.PackCommand(p, &c, &before) })
			// As in a packet, where each command is packed after another.
			before = c
		} else {
			before = none
		}
		var s S
		f.read(func(p *bits.Packer) { game.PackState(p, &s) })
		if f.packer.Err() == nil {
			f.write(func(p *bits.Packer) { game.PackState(p, &s) })
		}
	}
	f.fields(game.specs())
	return f.sum
}

// fields hashes the game's declarations of fields.
func (f *prober) fields(specs []field.Spec) {
	for _, s := range specs {
		for _, b := range []byte(s.Name) {
			f.mix(b)
		}
		for _, v := range [...]int64{int64(s.Audience), s.Min, s.Max, int64(s.Text)} {
			for k := range 8 {
				f.mix(byte(v >> (8 * k)))
			}
		}
	}
}

// prober is a probe and the hash of the results so far.
type prober struct {
	packer bits.Packer
	probe  [probeBytes]byte
	again  [2 * probeBytes]byte
	random uint64
	sum    uint32 // FNV-1a
}

// fill makes probe i: one bit, or about one in 2 … 64 at random.
func (f *prober) fill(i int) {
	f.probe = [probeBytes]byte{}
	if i < probeSingle {
		f.probe[i/8] = 1 << (i % 8)
		return
	}
	for at := 0; at < probeBytes; at += 8 {
		w := f.next()
		for range i % 6 {
			w &= f.next()
		}
		for k := range 8 {
			f.probe[at+k] = byte(w >> (8 * k))
		}
	}
}

// next is a random number (xorshift64).
func (f *prober) next() uint64 {
	f.random ^= f.random << 13
	f.random ^= f.random >> 7
	f.random ^= f.random << 17
	return f.random
}

// read reads the probe, and hashes how far that went.
func (f *prober) read(pack func(*bits.Packer)) {
	f.packer.Read(f.probe[:])
	pack(&f.packer)
	f.mix(byte(f.packer.Bits()))
	f.mix(byte(f.packer.Bits() >> 8))
	if f.packer.Err() != nil {
		f.mix(1)
	}
}

// write packs what was read, and hashes the bytes.
func (f *prober) write(pack func(*bits.Packer)) {
	f.packer.Write(f.again[:])
	pack(&f.packer)
	for _, b := range f.packer.Bytes() {
		f.mix(b)
	}
}

func (f *prober) mix(b byte) { f.sum = (f.sum ^ uint32(b)) * 16777619 }
