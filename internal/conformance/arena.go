package conformance

import (
	"math"

	"github.com/backstep-net/backstep/bits"
)

// ArenaInput is a hero's, as appendix B has it.
type ArenaInput struct {
	Seen    uint32 `json:"seen"`
	Forward int8   `json:"forward"` // 1/127
	Right   int8   `json:"right"`
	Up      int8   `json:"up,omitempty"`
	Yaw     int16  `json:"yaw"` // 65,536 a turn
	Pitch   int16  `json:"pitch"`
	Jump    bool   `json:"jump,omitempty"`
	Crouch  bool   `json:"crouch,omitempty"`
	Sprint  bool   `json:"sprint,omitempty"`
	Request Grid   `json:"request"` // 1/64 m/s
	Reload  bool   `json:"reload,omitempty"`
	Dash    bool   `json:"dash,omitempty"`
	Hook    bool   `json:"hook,omitempty"`
	Shield  bool   `json:"shield,omitempty"`
	Aim     bool   `json:"aim,omitempty"`
	Select  uint8  `json:"select,omitempty"`
	Ability uint8  `json:"ability,omitempty"`
	Shot    *Shot  `json:"shot,omitempty"`
}

// demand fails a message of which something is not as it must be.
func (t *Tape) demand(fine bool) {
	if !fine {
		t.Fail(bits.ErrRange)
	}
}

// pack packs an input against the one before.
func (c *ArenaInput) pack(t *Tape, b *ArenaInput) {
	c.packSeen(t, b)
	c.packMovement(t, b)
	if !t.flag("acts", c.acts(b)) {
		c.Hook, c.Shield, c.Aim = b.Hook, b.Shield, b.Aim
		return
	}
	c.Hook = t.flag("hook", c.Hook)
	c.Shield = t.flag("shield", c.Shield)
	c.Aim = t.flag("aim", c.Aim)
	c.Reload = t.flag("reload", c.Reload)
	c.Dash = t.flag("dash", c.Dash)
	if t.flag("fire", c.Shot != nil) {
		if c.Shot == nil {
			c.Shot = new(Shot)
		}
		c.Shot.pack(t)
	}
	if t.flag("selects", c.Select != 0) {
		ranged(t, "select", &c.Select, 1, 8)
	}
	if t.flag("able", c.Ability != 0) {
		ranged(t, "ability", &c.Ability, 1, 255)
	}
	t.demand(c.acts(b))
}

// acts reports whether it does what happens once, or holds other things than the one before.
func (c *ArenaInput) acts(b *ArenaInput) bool {
	return c.Reload || c.Dash || c.Shot != nil || c.Select != 0 || c.Ability != 0 ||
		c.Hook != b.Hook || c.Shield != b.Shield || c.Aim != b.Aim
}

func (c *ArenaInput) packSeen(t *Tape, b *ArenaInput) {
	step := int64(int32(c.Seen - b.Seen))
	if t.flag("seen one more", step == 1) {
		c.Seen = b.Seen + 1
		return
	}
	varint(t, "seen more by", &step)
	t.demand(step != 1 && step == int64(int32(step)))
	c.Seen = b.Seen + uint32(step)
}

// kind is what of the movement is not as before: 0 nothing, 1 the yaw by at most 512
// steps, 2 the view, 3 anything.
func (c *ArenaInput) kind(b *ArenaInput) int {
	rest := c.Jump != b.Jump || c.Crouch != b.Crouch || c.Forward != b.Forward || c.Right != b.Right ||
		c.Sprint != b.Sprint || c.steers(b)
	n := int(c.Yaw - b.Yaw)
	switch {
	case rest:
		return 3
	case c.Pitch == b.Pitch && n == 0:
		return 0
	case c.Pitch == b.Pitch && n >= -512 && n <= 512:
		return 1
	}
	return 2
}

func (c *ArenaInput) packMovement(t *Tape, b *ArenaInput) {
	kind := c.kind(b)
	if !t.Writing() {
		c.Forward, c.Right, c.Up, c.Yaw, c.Pitch, c.Jump, c.Crouch, c.Sprint, c.Request =
			b.Forward, b.Right, b.Up, b.Yaw, b.Pitch, b.Jump, b.Crouch, b.Sprint, b.Request
	}
	from, told := t.Bits(), 0
	for told < 3 {
		more := kind > told
		if t.Bool(&more); !more {
			break
		}
		told++
	}
	t.note(from, "movement changed", told)
	switch told {
	case 1:
		steps(t, "yaw steps", &c.Yaw, b.Yaw, 0, 512)
	case 2:
		angle(t, "yaw", &c.Yaw, b.Yaw)
		angle(t, "pitch", &c.Pitch, b.Pitch)
	case 3:
		c.Jump, c.Crouch = t.flag("jump", c.Jump), t.flag("crouch", c.Crouch)
		c.packAxes(t, b)
		c.packRest(t, b)
		angle(t, "yaw", &c.Yaw, b.Yaw)
		angle(t, "pitch", &c.Pitch, b.Pitch)
	}
	t.demand(c.kind(b) == told)
}

func (c *ArenaInput) packRest(t *Tape, b *ArenaInput) {
	if !t.flag("rest", c.steers(b) || c.Sprint != b.Sprint) {
		return
	}
	c.Sprint = t.flag("sprint", c.Sprint)
	steers := t.flag("up and request", c.steers(b))
	if steers {
		ranged(t, "up", &c.Up, -127, 127)
		t.vec("request", &c.Request, 64)
		t.demand(c.steers(b))
	}
	t.demand(steers || c.Sprint != b.Sprint)
}

// steers reports whether what swimmers, fliers and bots have is not as before.
func (c *ArenaInput) steers(b *ArenaInput) bool { return c.Up != b.Up || c.Request != b.Request }

func (c *ArenaInput) packAxes(t *Tape, b *ArenaInput) {
	if !t.flag("axes", c.Forward != b.Forward || c.Right != b.Right) {
		return
	}
	if keys := c.Forward%127|c.Right%127 == 0; t.flag("axes not of keys", !keys) {
		ranged(t, "forward", &c.Forward, -127, 127)
		ranged(t, "right", &c.Right, -127, 127)
		t.demand(c.Forward%127|c.Right%127 != 0)
	} else {
		key := 3*(int(c.Forward)/127+1) + int(c.Right)/127 + 1
		ranged(t, "keys", &key, 0, 8)
		c.Forward, c.Right = int8(127*(key/3-1)), int8(127*(key%3-1))
	}
	t.demand(c.Forward != b.Forward || c.Right != b.Right)
}

// steps packs an angle by its distance from the one before, beyond+1 … beyond+most.
func steps(t *Tape, name string, v *int16, before int16, beyond, most int) {
	n := int(*v - before)
	down := t.flag(name+" down", n < 0)
	n = max(n, -n)
	ranged(t, name, &n, beyond+1, beyond+most)
	if down {
		n = -n
	}
	*v = before + int16(n)
}

// angle packs an angle against the one before.
func angle(t *Tape, name string, v *int16, before int16) {
	form := func() int {
		n := int(*v - before)
		switch n = max(n, -n); {
		case n == 0:
			return 0
		case n <= 32:
			return 1
		case n <= 544:
			return 2
		}
		return 3
	}
	told := form()
	ranged(t, name+" form", &told, 0, 3)
	switch told {
	case 0:
		*v = before
	case 1:
		steps(t, name, v, before, 0, 32)
	case 2:
		steps(t, name, v, before, 32, 512)
	case 3:
		signed(t, name, v, 16)
	}
	t.demand(form() == told)
}

// floats packs numbers without loss.
func (t *Tape) floats(name string, list ...*float64) {
	from, s := t.Bits(), make([]float64, len(list))
	for i, v := range list {
		t.Float64(v)
		s[i] = *v
	}
	t.note(from, name, s)
}

// singles packs numbers of single precision.
func (t *Tape) singles(name string, list ...*float64) {
	from, s := t.Bits(), make([]float64, len(list))
	for i, v := range list {
		n := math.Float32bits(float32(*v))
		t.Uint32(&n)
		*v = float64(math.Float32frombits(n))
		s[i] = *v
		t.demand(n != 1<<31 && *v-*v == 0)
	}
	t.note(from, name, s)
}

// Vector3 is a vector without loss.
type Vector3 [3]float64

// seldom packs a vector, one bit for zero.
func (t *Tape) seldom(name string, v *Vector3) {
	if t.flag("some "+name, *v != Vector3{}) {
		t.floats(name, &v[0], &v[1], &v[2])
		t.demand(*v != Vector3{})
	}
}
