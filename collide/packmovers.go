package collide

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
)

// The packed form of movers and volumes; numbers are float64 unless said otherwise:
//
//	movers
//	each mover:   name (its length, its bytes), one byte: bit 0 Loop, bit 1 Smooth,
//	             bit 2 triggered; Axis, keys, the trigger if it has one, geometry
//	the trigger: one byte: bits 0–2 Kind, bit 3 Running; varint µs Delay, Hold
//	each key:    varint µs since the previous key, Position, Angle
//	volumes
//	each volume: name, one byte: Priority, one byte: bit 0 Water, bit 1 Kill,
//	             bit 2 Planet, bit 3 a ball, bit 4 it triggers a mover, bit 5 Button;
//	             Friction, TerminalSpeed, Launch, Up, Centre; the name of the mover that
//	             it triggers and its Waypoint, if bit 4; centre and radius of a ball,
//	             otherwise geometry
const (
	packLoop   = 1 << 0
	packSmooth = 1 << 1
	packMoved  = 1 << 2 // by triggers

	packKind    = 1<<3 - 1
	packRunning = 1 << 3

	packWater  = 1 << 0
	packKill   = 1 << 1
	packPlanet = 1 << 2
	packBall   = 1 << 3
	packTarget = 1 << 4
	packButton = 1 << 5
)

func (w *World) appendMovers(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(w.movers)))
	for i := range w.movers {
		b := &w.movers[i]
		dst = appendName(dst, b.Name)
		dst = append(dst, flag(b.Path.Loop, packLoop)|flag(b.Path.Smooth, packSmooth)|
			flag(b.Trigger.Kind != Untriggered, packMoved))
		dst = appendVec(dst, b.Path.Axis)
		dst = binary.AppendUvarint(dst, uint64(len(b.Path.Keys)))
		last := clock.Micros(0)
		for _, k := range b.Path.Keys {
			dst = binary.AppendUvarint(dst, uint64(k.At-last))
			dst = appendFloat(appendVec(dst, k.Position), k.Angle)
			last = k.At
		}
		if t := &b.Trigger; t.Kind != Untriggered {
			dst = append(dst, byte(t.Kind)|flag(t.Running, packRunning))
			dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(t.Delay)), uint64(t.Hold))
		}
		dst = b.Shape.appendGeometry(dst)
	}
	return dst
}

func (w *World) appendVolumes(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(w.volumes)))
	for i := range w.volumes {
		v, r := &w.volumes[i], &w.regions[i]
		dst = append(appendName(dst, v.Name), byte(v.Priority))
		dst = append(dst, flag(v.Water, packWater)|flag(v.Kill, packKill)|
			flag(v.Planet, packPlanet)|flag(r.shape == nil, packBall)|
			flag(v.Triggers != "", packTarget)|flag(v.Button, packButton))
		dst = appendFloat(appendFloat(dst, v.Friction), v.TerminalSpeed)
		dst = appendVec(appendVec(appendVec(dst, v.Launch), v.Up), v.Centre)
		if v.Triggers != "" {
			dst = binary.AppendUvarint(appendName(dst, v.Triggers), uint64(v.Waypoint))
		}
		if r.shape == nil {
			dst = appendFloat(appendVec(dst, r.ball.Centre), r.ball.Radius)
		} else {
			dst = r.shape.appendGeometry(dst)
		}
	}
	return dst
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

func appendName(dst []byte, name string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(name))), name...)
}

func appendFloat(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

func appendVec(dst []byte, v geom.Vec3) []byte {
	return appendFloat(appendFloat(appendFloat(dst, v.X), v.Y), v.Z)
}

// movers reads movers into the builder, up to the first invalid one.
func (r *reader) movers(b *Builder) {
	for i := range r.count(MaxMovers) {
		if b.err != nil {
			return
		}
		name := r.name()
		kind := r.byte(packLoop | packSmooth | packMoved)
		path := Path{Loop: kind&packLoop != 0, Smooth: kind&packSmooth != 0, Axis: r.vec()}
		path.Keys = r.keys()
		var trigger Trigger
		if kind&packMoved != 0 {
			trigger = r.trigger()
		}
		if r.bad {
			b.keepError("packed world: mover " + strconv.Itoa(i+1) + " is truncated or out of range")
			return
		}
		b.TriggeredMover(name, path, trigger, r.geometry)
	}
}

// trigger reads the trigger of a mover that has one.
func (r *reader) trigger() Trigger {
	kind := r.byte(packKind | packRunning)
	t := Trigger{Kind: TriggerKind(kind & packKind), Running: kind&packRunning != 0}
	t.Delay, t.Hold = clock.Micros(r.number(uint64(MaxDelay))), clock.Micros(r.number(uint64(MaxPathTime)))
	r.bad = r.bad || t.Kind == Untriggered
	return t
}

func (r *reader) keys() []Key {
	// A count beyond what the bytes can hold would allocate megabytes for a packet of a
	// hundred bytes.
	const least = 1 + 4*8 // bytes of a key
	n := r.count(MaxKeys)
	if r.bad || n > len(r.rest)/least {
		r.bad = true
		return nil
	}
	keys := make([]Key, n)
	last := clock.Micros(0)
	for i := range keys {
		last += clock.Micros(r.number(uint64(MaxPathTime)))
		keys[i] = Key{At: last, Position: r.vec(), Angle: r.float()}
	}
	return keys
}

// volumes reads volumes into the builder, up to the first invalid one.
func (r *reader) volumes(b *Builder) {
	for i := range r.count(MaxVolumes) {
		if b.err != nil {
			return
		}
		v := Volume{Name: r.name(), Priority: int8(r.byte(math.MaxUint8))}
		kind := r.byte(packWater | packKill | packPlanet | packBall | packTarget | packButton)
		v.Water, v.Kill, v.Planet = kind&packWater != 0, kind&packKill != 0, kind&packPlanet != 0
		v.Friction, v.TerminalSpeed = r.float(), r.float()
		v.Launch, v.Up, v.Centre = r.vec(), r.vec(), r.vec()
		if v.Button = kind&packButton != 0; kind&packTarget != 0 {
			v.Triggers = r.name()
			v.Waypoint = r.count(MaxKeys)
			r.bad = r.bad || v.Triggers == ""
		}
		var ball geom.Sphere
		var inner *Builder
		if kind&packBall != 0 {
			ball = geom.Sphere{Centre: r.vec(), Radius: r.float()}
		} else {
			inner = new(Builder)
			r.geometry(inner)
			r.bad = r.bad || len(inner.solids) != 1 || len(inner.shapes) != 1
		}
		if r.bad {
			b.keepError("packed world: volume " + strconv.Itoa(i) + " is truncated or out of range")
			return
		}
		b.volume(v, ball, inner)
	}
}

// byte reads one byte, in which only the given bits may be set.
func (r *reader) byte(bits byte) byte {
	b := r.take(1)
	if r.bad || b[0]&^bits != 0 {
		r.bad = true
		return 0
	}
	return b[0]
}

func (r *reader) name() string { return string(r.take(r.count(maxName))) }

func (r *reader) float() float64 {
	b := r.take(8)
	if r.bad {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

func (r *reader) vec() geom.Vec3 {
	x, y := r.float(), r.float()
	return geom.V(x, y, r.float())
}
