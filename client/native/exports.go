//go:build cgo

package native

/*
#include <stdlib.h>
#define BS_TYPES_ONLY
#include "backstep.h"

typedef const char bs_chars;
typedef const void bs_bytes;
typedef const bs_config bs_settings;
*/
import "C"

import (
	"unsafe"

	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

//export bs_version
func bs_version() C.int32_t { return C.BS_VERSION }

//export bs_input_size
func bs_input_size() C.size_t { return C.size_t(library.inputSize) }

//export bs_self_size
func bs_self_size() C.size_t { return C.size_t(library.selfSize) }

//export bs_connect
func bs_connect(address *C.bs_chars, config *C.bs_settings) C.bs_client {
	c := connectConfig{address: goText(address)}
	if config != nil {
		c.name, c.match, c.key, c.token, c.options = goText(config.name), goText(config.match), goText(config.key), goText(config.token), goText(config.options)
		c.inputDelay, c.reconnect = clock.Micros(config.input_delay), clock.Micros(config.reconnect)
	}
	return C.bs_client(hold(library.open(c)))
}

//export bs_frame
func bs_frame(client C.bs_client, input *C.bs_bytes, self unsafe.Pointer, into *C.bs_view) C.bs_phase {
	p := held(uint32(client))
	phase := p.frame(unsafe.Pointer(input), self)
	if into != nil {
		v := p.view()
		*into = C.bs_view{now: C.int64_t(v.now), id: C.uint32_t(v.id), placed: flag(v.placed),
			position: vec3(v.position), eye: vec3(v.eye), offset: vec3(v.offset)}
	}
	return C.bs_phase(phase)
}

//export bs_remotes
func bs_remotes(client C.bs_client, into *C.bs_entity, capacity C.int32_t) C.int32_t {
	return entities(held(uint32(client)).remotes(), into, capacity)
}

//export bs_entities
func bs_entities(client C.bs_client, into *C.bs_entity, capacity C.int32_t) C.int32_t {
	return entities(held(uint32(client)).entities(), into, capacity)
}

//export bs_movers
func bs_movers(client C.bs_client, into *C.bs_transform, capacity C.int32_t) C.int32_t {
	list := held(uint32(client)).movers()
	places := room(into, capacity, len(list))
	for i := range places {
		places[i] = C.bs_transform{vec3(list[i].Translation), quat(list[i].Rotation)}
	}
	return C.int32_t(len(list))
}

//export bs_field
func bs_field(client C.bs_client, name *C.bs_chars) C.int32_t {
	return C.int32_t(held(uint32(client)).field(goText(name)))
}

//export bs_number
func bs_number(client C.bs_client, id C.uint32_t, field C.int32_t) C.int64_t {
	return C.int64_t(held(uint32(client)).number(idOf(id), int(field)))
}

//export bs_text
func bs_text(client C.bs_client, id C.uint32_t, field C.int32_t, into *C.char, capacity C.size_t) C.size_t {
	return write(held(uint32(client)).text(idOf(id), int(field)), into, capacity)
}

//export bs_next_event
func bs_next_event(client C.bs_client, into *C.bs_event) C.int32_t {
	e, ok := held(uint32(client)).event()
	if !ok {
		return 0
	}
	if into != nil {
		text, data := keep(uint32(client), e.text, e.data)
		*into = C.bs_event{kind: C.int32_t(e.kind), verdict: C.int32_t(e.verdict), player: C.uint32_t(e.player),
			target: C.uint32_t(e.target), weapon: C.uint32_t(e.weapon), damage: C.uint32_t(e.damage),
			from: vec3(e.from), to: vec3(e.to), text: (*C.bs_chars)(text), data: data, length: C.size_t(len(e.data))}
	}
	return 1
}

//export bs_send
func bs_send(client C.bs_client, data *C.bs_bytes, length C.size_t) C.int32_t {
	if length > maxMessage {
		return 0
	}
	return C.int32_t(flag(held(uint32(client)).send(C.GoBytes(unsafe.Pointer(data), C.int(length)))))
}

//export bs_sweep
func bs_sweep(client C.bs_client, from, delta C.bs_vec3, radius C.double) C.double {
	return C.double(held(uint32(client)).sweep(goVec3(from), goVec3(delta), float64(radius)))
}

//export bs_get_stats
func bs_get_stats(client C.bs_client, into *C.bs_stats) {
	if into == nil {
		return
	}
	s := held(uint32(client)).stats()
	*into = C.bs_stats{rtt: C.int64_t(s.RTT), jitter: C.int64_t(s.Jitter), view_delay: C.int64_t(s.ViewDelay),
		loss_up: C.double(s.LossUp), loss_down: C.double(s.LossDown), corrections: C.uint64_t(s.Moves.Corrections),
		sent: C.uint64_t(s.Out.Bytes), received: C.uint64_t(s.In.Bytes),
		agreed: C.uint64_t(s.Agreed), disagreed: C.uint64_t(s.Disagreed), quality: C.int32_t(s.Quality)}
}

//export bs_key
func bs_key(client C.bs_client, into *C.char, capacity C.size_t) C.size_t {
	return write(held(uint32(client)).key(), into, capacity)
}

//export bs_error
func bs_error(client C.bs_client, into *C.char, capacity C.size_t) C.size_t {
	return write(held(uint32(client)).failure(), into, capacity)
}

//export bs_close
func bs_close(client C.bs_client) {
	release(uint32(client)).close()
	handles.Lock()
	defer handles.Unlock()
	C.free(kept[uint32(client)])
	delete(kept, uint32(client))
}

// kept is what C may still read of the last event of each client; handles guards it.
var kept = map[uint32]unsafe.Pointer{}

// keep copies the text and the data of an event into memory of C.
func keep(client uint32, text string, data []byte) (atText, atData unsafe.Pointer) {
	handles.Lock()
	defer handles.Unlock()
	C.free(kept[client])
	delete(kept, client)
	if text == "" && len(data) == 0 {
		return empty, empty
	}
	at := C.malloc(C.size_t(len(text) + 1 + len(data)))
	bytes := unsafe.Slice((*byte)(at), len(text)+1+len(data))
	copy(bytes, text)
	bytes[len(text)] = 0
	copy(bytes[len(text)+1:], data)
	kept[client] = at
	return at, unsafe.Add(at, len(text)+1)
}

// empty is a text without a byte.
var empty = C.calloc(1, 1)

// entities writes what fits, and returns how many there are.
func entities(list []track.Entity, into *C.bs_entity, capacity C.int32_t) C.int32_t {
	places := room(into, capacity, len(list))
	for i := range places {
		places[i] = entity(&list[i])
	}
	return C.int32_t(len(list))
}

// entity returns an entity for C.
func entity(e *track.Entity) C.bs_entity {
	rotation := e.Rotation
	if rotation == (geom.Quat{}) {
		rotation = geom.IdentityQuat
	}
	return C.bs_entity{
		id: C.uint32_t(e.ID), kind: C.uint16_t(e.Kind), user: C.uint16_t(e.UserData),
		position: vec3(e.Position), velocity: vec3(e.Velocity), up: vec3(e.UpVector()), rotation: quat(rotation),
		yaw: C.double(e.Yaw), pitch: C.double(e.Pitch), stride: C.double(e.StrideDistance),
		crouched: C.double(e.Stance.Crouch), airborne: C.double(e.Stance.Air), swimming: C.double(e.Stance.Swim),
		mode: C.uint8_t(e.Mode), dead: flag(e.Dead), life: C.uint8_t(e.Life), teleport: C.uint8_t(e.Teleport),
		clip: C.uint8_t(e.Clip), clip_at: C.int64_t(e.ClipAt),
	}
}

// room returns the caller's array as far as it is filled.
func room[T any](into *T, capacity C.int32_t, count int) []T {
	if into == nil || capacity <= 0 {
		return nil
	}
	return unsafe.Slice(into, min(int(capacity), count))
}

// write writes a text as C has it, cut to what fits, and returns its length.
func write(text string, into *C.char, capacity C.size_t) C.size_t {
	if into == nil || capacity == 0 {
		return 0
	}
	places := unsafe.Slice((*byte)(unsafe.Pointer(into)), capacity)
	n := copy(places[:capacity-1], text)
	places[n] = 0
	return C.size_t(n)
}

// goText returns a text of C; "" for none.
func goText(text *C.bs_chars) string { return C.GoString((*C.char)(unsafe.Pointer(text))) }

// idOf returns the number of an entity; of what is none, one that nothing has.
func idOf(id C.uint32_t) track.ID {
	if uint32(track.ID(id)) != uint32(id) {
		return ^track.ID(0)
	}
	return track.ID(id)
}

func flag(b bool) C.uint8_t {
	if b {
		return 1
	}
	return 0
}

func vec3(v geom.Vec3) C.bs_vec3 { return C.bs_vec3{C.double(v.X), C.double(v.Y), C.double(v.Z)} }

func goVec3(v C.bs_vec3) geom.Vec3 { return geom.V(float64(v.x), float64(v.y), float64(v.z)) }

func quat(q geom.Quat) C.bs_quat {
	return C.bs_quat{C.double(q.X), C.double(q.Y), C.double(q.Z), C.double(q.W)}
}
