package record

import (
	"encoding/binary"
	"math"

	"github.com/backstep-net/backstep/bits"
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/track"
)

// The columns of a cell.
const (
	colStamp    = 0  // the sample's minus the frame's, both in whole steps of track.StampGrid
	colPlace    = 1  // x, y, z in 1/track.PositionScale m
	colWalked   = 4  // 1/track.StrideScale m
	colSpeed    = 5  // x, y, z in 1/track.VelocityScale m/s
	colYaw      = 8  // 1/65536 of a turn
	colPitch    = 9  // in 1/65536 turn
	colMode     = 10 // the movement mode
	colFlags    = 11 // crouched, dead, asleep
	colKind     = 12
	colStance   = 13 // crouch + 16 air + 256 swim, each in 1/stanceScale
	colLife     = 14
	colJumps    = 15 // Sample.Teleport
	colBase     = 16
	colWas      = 17
	colSince    = 18 // match time in steps of track.StampGrid
	colUp       = 19 // x, y, z in 1/upScale
	colTurn     = 22 // x, y, z, w in 1/turnScale
	colSpin     = 26 // x, y, z in 1/track.VelocityScale rad/s
	colClip     = 29
	colClipAt   = 30 // match time in steps of track.StampGrid
	colExtra    = 31
	colLag      = 32 // steps of track.StampGrid
	columns     = 33
	upScale     = 1024
	turnScale   = 4096
	stanceScale = 15
	angleScale  = 65536 / (2 * math.Pi)
	farthest    = 1 << 40 // of columns without a narrower range
)

// The flags of a cell.
const (
	flagCrouched = 1 << iota
	flagDead
	flagAsleep
)

// groups are the columns that are coded together: group i is those from its first to before the next
// one's first, and bit i+1 of an entity's mask.
var groups = [...]int{colStamp, colPlace, colSpeed, colYaw, colMode, colLife, colBase, colUp, colTurn, colSpin, colClip, colExtra, colLag, columns}

// allGroups is the mask of every group; bit 0 alone means that the entity is removed.
const allGroups = 1<<len(groups) - 2

// bounds are the smallest and largest values of the columns.
var bounds = func() (b [columns][2]int64) {
	for i := range b {
		b[i] = [2]int64{-farthest, farthest}
	}
	for _, c := range [...]int{colMode, colKind, colLife, colJumps, colClip} {
		b[c] = [2]int64{0, 255}
	}
	b[colWalked] = [2]int64{0, track.StrideWrap*track.StrideScale - 1}
	b[colStance] = [2]int64{0, 16*16*16 - 1}
	b[colFlags] = [2]int64{0, flagCrouched | flagDead | flagAsleep}
	b[colExtra] = [2]int64{0, 65535}
	b[colBase] = [2]int64{0, int64(collide.FirstObstacle) - 1}
	b[colWas] = b[colBase]
	return b
}()

// cell is an entity's sample in whole numbers.
type cell [columns]int64

// whole returns x in steps of 1/scale, bounded; NaN becomes 0.
func whole(x, scale float64) int64 {
	x = math.Round(float64(x * scale))
	if !(math.Abs(x) < farthest) { // NaN too
		x = 0
	}
	return int64(x)
}

func wholeVec(c []int64, v geom.Vec3, scale float64) {
	c[0], c[1], c[2] = whole(v.X, scale), whole(v.Y, scale), whole(v.Z, scale)
}

func vec(c []int64, scale float64) geom.Vec3 {
	return geom.Vec3{X: float64(c[0]) / scale, Y: float64(c[1]) / scale, Z: float64(c[2]) / scale}
}

// set sets the cell to a sample of a frame at a match time. The stamp is kept relative to the frame's
// time, so an entity that rests has the same number every tick and costs nothing.
func (c *cell) set(s *track.Sample, at clock.Micros) {
	c[colStamp] = int64(s.At/track.StampGrid - at/track.StampGrid)
	wholeVec(c[colPlace:], s.Position, track.PositionScale)
	c[colWalked] = whole(s.StrideDistance, track.StrideScale)
	wholeVec(c[colSpeed:], s.Velocity, track.VelocityScale)
	c[colYaw], c[colPitch] = whole(s.Yaw, angleScale), whole(s.Pitch, angleScale)
	c[colMode], c[colKind] = int64(s.Mode), int64(s.Kind)
	c[colFlags] = flag(s.Crouched, flagCrouched) | flag(s.Dead, flagDead) | flag(s.Asleep, flagAsleep)
	c[colStance] = whole(s.Stance.Crouch, stanceScale) + 16*whole(s.Stance.Air, stanceScale) + 256*whole(s.Stance.Swim, stanceScale)
	c[colLife], c[colJumps] = int64(s.Life), int64(s.Teleport)
	c[colBase], c[colWas], c[colSince] = int64(s.Base), int64(s.PreviousBase), int64(s.BaseChangedAt/track.StampGrid)
	wholeVec(c[colUp:], s.Up, upScale)
	wholeVec(c[colTurn:], geom.Vec3{X: s.Rotation.X, Y: s.Rotation.Y, Z: s.Rotation.Z}, turnScale)
	c[colTurn+3] = whole(s.Rotation.W, turnScale)
	wholeVec(c[colSpin:], s.AngularVelocity, track.VelocityScale)
	c[colClip], c[colClipAt] = int64(s.Clip), int64(s.ClipAt/track.StampGrid)
	c[colExtra], c[colLag] = int64(s.UserData), int64(s.Lag/track.StampGrid)
}

// stance returns the stance of a column.
func stance(n int64) track.Stance {
	return track.Stance{Crouch: float64(n%16) / stanceScale, Air: float64(n/16%16) / stanceScale, Swim: float64(n/256) / stanceScale}
}

func flag(set bool, bit int64) int64 {
	if set {
		return bit
	}
	return 0
}

// sample returns the sample of a cell in a frame at a match time.
func (c *cell) sample(at clock.Micros) track.Sample {
	turn := vec(c[colTurn:], turnScale)
	return track.Sample{
		At: (at/track.StampGrid + clock.Micros(c[colStamp])) * track.StampGrid,
		Pose: track.Pose{
			Position: vec(c[colPlace:], track.PositionScale), Velocity: vec(c[colSpeed:], track.VelocityScale),
			Up:  vec(c[colUp:], upScale),
			Yaw: bits.SnapAngle16(float64(c[colYaw]) / angleScale), Pitch: bits.SnapAngle16(float64(c[colPitch]) / angleScale),
			Mode: uint8(c[colMode]), Crouched: c[colFlags]&flagCrouched != 0, Asleep: c[colFlags]&flagAsleep != 0,
			Rotation:        geom.Quat{X: turn.X, Y: turn.Y, Z: turn.Z, W: float64(c[colTurn+3]) / turnScale},
			AngularVelocity: vec(c[colSpin:], track.VelocityScale),
			StrideDistance:  float64(c[colWalked]) / track.StrideScale, Stance: stance(c[colStance]),
		},
		BaseLink: track.BaseLink{
			Base: collide.MoverID(c[colBase]), PreviousBase: collide.MoverID(c[colWas]),
			BaseChangedAt: clock.Micros(c[colSince]) * track.StampGrid, Lag: clock.Micros(c[colLag]) * track.StampGrid,
		},
		GameData: track.GameData{
			Kind: track.Kind(c[colKind]), Dead: c[colFlags]&flagDead != 0, Life: uint8(c[colLife]), Teleport: uint8(c[colJumps]),
			Clip: uint8(c[colClip]), ClipAt: clock.Micros(c[colClipAt]) * track.StampGrid, UserData: uint16(c[colExtra]),
		},
	}
}

// frameState has the entities of a frame, against which the next frame is coded. It is empty at the
// beginning of a chunk.
type frameState struct {
	ids   []track.ID // ascending
	cells track.ByID[cell]
	next  []track.ID // scratch
	// sample is scratch.
	sample track.Sample
}

func (p *frameState) clear() { p.ids = p.ids[:0] }

// append appends the differences of the frame to the one before, and a zero.
func (p *frameState) append(dst []byte, f *track.Snapshot) []byte {
	last, i := track.ID(0), 0
	p.next = p.next[:0]
	for e := range f.Len() {
		id := f.ID(e)
		for ; i < len(p.ids) && p.ids[i] < id; i++ {
			dst = appendGone(dst, p.ids[i], &last)
		}
		var c cell
		f.Load(e, &p.sample)
		c.set(&p.sample, f.At)
		before := p.cells.At(id)
		if i < len(p.ids) && p.ids[i] == id {
			i++
		} else {
			*before = cell{}
			dst = c.append(dst, before, id, &last, 1<<1) // a new entity has at least its stamp
			p.next = append(p.next, id)
			continue
		}
		dst = c.append(dst, before, id, &last, 0)
		p.next = append(p.next, id)
	}
	for ; i < len(p.ids); i++ {
		dst = appendGone(dst, p.ids[i], &last)
	}
	p.ids, p.next = p.next, p.ids
	return append(dst, 0)
}

func appendGone(dst []byte, id track.ID, last *track.ID) []byte {
	dst = binary.AppendUvarint(dst, uint64(id-*last))
	*last = id
	return append(dst, 1)
}

// append appends the differences of the cell to before, and sets before to the cell; without differences
// and forced groups it appends nothing.
func (c *cell) append(dst []byte, before *cell, id track.ID, last *track.ID, mask uint64) []byte {
	for g := range len(groups) - 1 {
		for col := groups[g]; col < groups[g+1]; col++ {
			if c[col] != before[col] {
				mask |= 2 << g
			}
		}
	}
	if mask == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(id-*last))
	*last = id
	dst = binary.AppendUvarint(dst, mask)
	for g := range len(groups) - 1 {
		if mask>>(g+1)&1 == 0 {
			continue
		}
		for col := groups[g]; col < groups[g+1]; col++ {
			dst = binary.AppendVarint(dst, c[col]-before[col])
		}
	}
	*before = *c
	return dst
}

// read reads what append wrote.
func (p *frameState) read(s *source) {
	id, i := track.ID(0), 0
	p.next = p.next[:0]
	for s.err == nil {
		step := s.uvarint(uint64(track.MaxID - id))
		if step == 0 {
			break
		}
		id += track.ID(step)
		for ; i < len(p.ids) && p.ids[i] < id; i++ {
			p.next = append(p.next, p.ids[i])
		}
		known := i < len(p.ids) && p.ids[i] == id
		if known {
			i++
		} else {
			*p.cells.At(id) = cell{}
		}
		mask := s.uvarint(allGroups)
		if mask == 1 && known {
			continue
		}
		if mask&1 != 0 || mask == 0 {
			s.fail(errValue)
			return
		}
		p.cells.At(id).read(s, mask)
		p.next = append(p.next, id)
	}
	p.next = append(p.next, p.ids[i:]...)
	p.ids, p.next = p.next, p.ids
}

func (c *cell) read(s *source, mask uint64) {
	for g := range len(groups) - 1 {
		if mask>>(g+1)&1 == 0 {
			continue
		}
		for col := groups[g]; col < groups[g+1]; col++ {
			c[col] += s.varint()
			if c[col] < bounds[col][0] || c[col] > bounds[col][1] {
				c[col] = 0
				s.fail(errValue)
			}
		}
	}
}

// show fills the frame with the entities.
func (p *frameState) show(f *track.Snapshot) {
	f.Clear(f.Tick, f.At)
	for _, id := range p.ids {
		p.sample = p.cells.At(id).sample(f.At)
		f.Put(id, &p.sample)
	}
}
