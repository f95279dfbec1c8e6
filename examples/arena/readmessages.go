package arena

import "github.com/backstep-net/backstep/bits"

// KillOf reads a match's message and reports whether it is a kill.
func KillOf(message []byte) (Kill, bool) {
	var p bits.Packer
	var k Kill
	p.Read(message)
	k.pack(&p)
	p.End()
	return k, p.Err() == nil
}

// KillcamOf reads a match's message and reports whether it is a Killcam.
func KillcamOf(message []byte) (Killcam, bool) {
	var p bits.Packer
	var k Killcam
	p.Read(message)
	k.pack(&p)
	p.End()
	return k, p.Err() == nil
}
