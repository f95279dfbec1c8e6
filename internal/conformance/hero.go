package conformance

// ArenaState is a hero's state, as appendix B has it.
type ArenaState struct {
	Position, Velocity    Vector3
	Yaw, Pitch            float64
	Mode                  uint8
	Crouched, Held, Force bool
	Jumps                 uint8
	Floor                 *ArenaFloor `json:",omitempty"`
	Impulse, Push, Launch Vector3
	Seldom                *ArenaSeldom `json:",omitempty"`
	Arms                  ArenaArms
	Life                  uint8
	Dead                  bool
	Special               *ArenaSpecial `json:",omitempty"`
}

// ArenaArms is what a hero has in hands and on the back.
type ArenaArms struct {
	Held, Next, Swings uint8
	Draw, Swing, Swept int64 // µs
	Due                bool
	Ammo               [8]*ArenaAmmo
}

// ArenaAmmo is a weapon's.
type ArenaAmmo struct {
	Rounds           uint8
	Cooldown, Reload int64 // µs
}

// ArenaFloor is what a hero stands on.
type ArenaFloor struct {
	Normal         Vector3
	Rise, Distance float64
	Shape          uint32
	Body           uint16
	Walkable, Ray  bool
}

// ArenaSeldom is what few heroes have.
type ArenaSeldom struct {
	Body         uint16
	At           Vector3
	Angle        float64
	Up           Vector3
	Path         uint16
	Start        int64
	Polygon      uint32
	From, To     float64
	Since        int64
	JumpHold     int64
	WantsWalking bool
	Stuck        bool
	Motion       *ArenaMotion `json:",omitempty"`
}

// ArenaMotion is motion that is not steered.
type ArenaMotion struct {
	LastID          uint16
	Active, Pending []ArenaSource
	Added, Carried  Vector3
}

// ArenaSource is a source of it.
type ArenaSource struct {
	Kind, Finish             uint8
	Priority                 int8
	Flags                    uint8
	ID                       uint16
	Start, Duration, Elapsed int64
	Vectors                  [3]Vector3 // motion, point, at the finish
	Numbers                  [3]float64 // length, strength, rate
	Land                     uint16
	Indices                  [4]uint8 // curve, fall-off, offset, clip
}

// ArenaSpecial is what a dash, a hook, watching and doom need.
type ArenaSpecial struct {
	Watching, Doomed   bool
	Shielded, Aiming   bool
	Rest               int64
	Held               bool
	HookRest, HookLeft int64
	Body               uint16
	Anchor             Vector3
}

// optional packs one bit, and makes what it announces.
func optional[T any](t *Tape, name string, v **T) bool {
	if !t.flag(name, *v != nil) {
		*v = nil
		return false
	}
	if *v == nil {
		*v = new(T)
	}
	return true
}

func (s *ArenaState) pack(t *Tape) {
	t.floats("position", &s.Position[0], &s.Position[1], &s.Position[2])
	t.floats("velocity", &s.Velocity[0], &s.Velocity[1], &s.Velocity[2])
	t.floats("yaw, pitch", &s.Yaw, &s.Pitch)
	number(t, "mode", &s.Mode, 8)
	t.demand(s.Mode <= 6 || s.Mode >= 16)
	s.Crouched, s.Held, s.Force = t.flag("crouched", s.Crouched), t.flag("jump held", s.Held), t.flag("force floor", s.Force)
	number(t, "jumps", &s.Jumps, 8)
	if optional(t, "floor", &s.Floor) {
		s.Floor.pack(t)
	}
	t.seldom("impulse", &s.Impulse)
	t.seldom("force", &s.Push)
	t.seldom("launch", &s.Launch)
	if optional(t, "seldom", &s.Seldom) {
		s.Seldom.pack(t)
	}
	s.Arms.pack(t)
	number(t, "life", &s.Life, 8)
	s.Dead = t.flag("dead", s.Dead)
	if optional(t, "special", &s.Special) {
		s.Special.pack(t)
	}
}

func (a *ArenaArms) pack(t *Tape) {
	ranged(t, "held", &a.Held, 0, 7)
	ranged(t, "next", &a.Next, 0, 8)
	number(t, "swings", &a.Swings, 8)
	varint(t, "draw", &a.Draw)
	varint(t, "swing", &a.Swing)
	varint(t, "swept", &a.Swept)
	a.Due = t.flag("due", a.Due)
	for i := range a.Ammo {
		if !optional(t, "ammo", &a.Ammo[i]) {
			continue
		}
		m := a.Ammo[i]
		number(t, "rounds", &m.Rounds, 8)
		varint(t, "cooldown", &m.Cooldown)
		varint(t, "reload", &m.Reload)
		t.demand(*m != ArenaAmmo{})
	}
}

func (f *ArenaFloor) pack(t *Tape) {
	t.floats("normal", &f.Normal[0], &f.Normal[1], &f.Normal[2])
	t.floats("rise, distance", &f.Rise, &f.Distance)
	number(t, "shape", &f.Shape, 32)
	if t.flag("moving", f.Body != 0) {
		number(t, "body", &f.Body, 16)
		t.demand(f.Body != 0)
	}
	f.Walkable, f.Ray = t.flag("walkable", f.Walkable), t.flag("by ray", f.Ray)
	t.demand(*f != ArenaFloor{})
}

func (s *ArenaSeldom) pack(t *Tape) {
	if t.flag("base", s.Body != 0) {
		number(t, "base body", &s.Body, 16)
		t.floats("base position", &s.At[0], &s.At[1], &s.At[2])
		t.floats("base angle", &s.Angle)
		t.demand(s.Body >= 1 && s.Body <= 32767)
	}
	t.seldom("up", &s.Up)
	if t.flag("rail", s.Path != 0 || s.Start != 0) {
		number(t, "path", &s.Path, 16)
		varint(t, "start", &s.Start)
		t.demand(s.Path != 0 || s.Start != 0)
	}
	nav := func() bool { return s.Polygon != 0 || s.From != 0 || s.To != 0 || s.Since != 0 }
	if t.flag("nav", nav()) {
		number(t, "polygon", &s.Polygon, 32)
		t.floats("from, to", &s.From, &s.To)
		varint(t, "since", &s.Since)
		t.demand(nav())
	}
	varint(t, "jump hold", &s.JumpHold)
	s.WantsWalking = t.flag("wants walking", s.WantsWalking)
	s.Stuck = t.flag("stuck", s.Stuck)
	if optional(t, "motion", &s.Motion) {
		s.Motion.pack(t)
	}
	t.demand(*s != ArenaSeldom{})
}

func (m *ArenaMotion) pack(t *Tape) {
	number(t, "last id", &m.LastID, 16)
	t.demand(m.LastID != 0)
	active, pending := len(m.Active), len(m.Pending)
	ranged(t, "active", &active, 0, 4)
	ranged(t, "pending", &pending, 0, 2)
	if !t.Writing() {
		m.Active, m.Pending = make([]ArenaSource, active), make([]ArenaSource, pending)
	}
	for i := range m.Active {
		m.Active[i].pack(t)
	}
	for i := range m.Pending {
		m.Pending[i].pack(t)
	}
	t.seldom("added", &m.Added)
	t.seldom("carried", &m.Carried)
}

func (s *ArenaSource) pack(t *Tape) {
	ranged(t, "source kind", &s.Kind, 1, 5)
	ranged(t, "finish", &s.Finish, 0, 2)
	ranged(t, "priority", &s.Priority, -128, 127)
	number(t, "flags", &s.Flags, 8)
	number(t, "id", &s.ID, 16)
	varint(t, "start", &s.Start)
	varint(t, "duration", &s.Duration)
	varint(t, "elapsed", &s.Elapsed)
	for i, name := range [...]string{"vector", "point", "finish velocity"} {
		if v := &s.Vectors[i]; t.flag("some "+name, *v != Vector3{}) {
			t.singles(name, &v[0], &v[1], &v[2])
			t.demand(*v != Vector3{})
		}
	}
	for i, name := range [...]string{"length", "strength", "rate"} {
		if v := &s.Numbers[i]; t.flag("some "+name, *v != 0) {
			t.singles(name, v)
			t.demand(*v != 0)
		}
	}
	if t.flag("lands", s.Land != 0) {
		number(t, "land after", &s.Land, 16)
		t.demand(s.Land != 0)
	}
	for i, name := range [...]string{"curve", "fall-off", "offset", "clip"} {
		if t.flag("some "+name, s.Indices[i] != 0) {
			number(t, name, &s.Indices[i], 8)
			t.demand(s.Indices[i] != 0)
		}
	}
	t.demand(s.ID != 0)
}

func (s *ArenaSpecial) pack(t *Tape) {
	s.Watching, s.Doomed = t.flag("watching", s.Watching), t.flag("doomed", s.Doomed)
	s.Shielded, s.Aiming = t.flag("shielded", s.Shielded), t.flag("aiming", s.Aiming)
	varint(t, "dash rest", &s.Rest)
	s.Held = t.flag("hook held", s.Held)
	varint(t, "hook rest", &s.HookRest)
	varint(t, "hook left", &s.HookLeft)
	number(t, "anchor body", &s.Body, 16)
	t.floats("anchor", &s.Anchor[0], &s.Anchor[1], &s.Anchor[2])
}
