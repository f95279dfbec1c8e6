package bodies

import (
	"github.com/backstep-net/backstep/collide"
	"github.com/backstep-net/backstep/geom"
	"github.com/backstep-net/backstep/session"
	"github.com/backstep-net/backstep/track"
)

// EventKind says what happened to a body.
type EventKind uint8

// The kinds of events.
const (
	// Touched: a player or another pusher touches the body. There is one in each Step of a touch;
	// Began is set in the first.
	Touched EventKind = iota
	// Entered and Left: the centre of the body has entered or left a zone.
	Entered
	Left
	// EnteredVolume: the centre of the body is in another volume of the level (water, a region that
	// kills) than before.
	EnteredVolume
)

// Event is what happened to a body in a Step.
type Event struct {
	Kind EventKind // what happened
	Body track.ID  // to which body
	// Player is the player of Touched, or the ID of the pusher that Push added.
	Player session.PlayerID
	// Began reports that the touch began in this Step.
	Began bool
	// Zone is the number of the zone that was entered or left, from AddZone.
	Zone int
	// Volume is the volume that was entered; nil where the body left one and entered none.
	Volume *collide.Volume
}

// Zone is a box that reports bodies which enter and leave it: the inside of a goal, a playing field.
type Zone struct {
	Position geom.Vec3 // of the middle, metres
	Yaw      float64   // about +Y, radians
	Half     geom.Vec3 // half the size along its own axes, metres
}

// zone is a Zone of a Server, with the rotation into its own axes.
type zone struct {
	Zone
	turn geom.Quat
}

// contains reports whether a point is in the zone.
func (z *zone) contains(p geom.Vec3) bool {
	d := z.turn.Rotate(p.Sub(z.Position))
	return geom.AABB{Min: z.Half.Neg(), Max: z.Half}.Contains(d)
}

// MaxZones is how many zones a Server has at most.
const MaxZones = 64

// AddZone adds a zone and returns its number, from 0. Bodies that are in it already enter it in the
// next Step. It panics for the 65th.
func (s *Server) AddZone(z Zone) int {
	if len(s.zones) == MaxZones {
		panic("bodies: AddZone of more than 64 zones: join some of them")
	}
	s.zones = append(s.zones, zone{z, geom.YawQuat(-z.Yaw)})
	// A resting body is tested in no Step, so one that lies in the new zone would never enter it.
	for i := range s.list {
		s.list[i].moved = true
	}
	return len(s.zones) - 1
}

// InZone reports whether the centre of a body was in a zone at the newest Step.
func (s *Server) InZone(id track.ID, zone int) bool { return s.get(id).inside>>zone&1 != 0 }

// Events returns what happened in the newest Step: touches by player and body, then zones and volumes
// by body. It is valid until the next Step.
func (s *Server) Events() []Event { return s.events }

// touch is a pusher that touches a body.
type touch struct {
	player session.PlayerID
	body   track.ID
}

// reportTouches makes events of the touches of this Step.
func (s *Server) reportTouches() {
	for _, t := range s.world.Touches() {
		s.events = append(s.events, Event{
			Kind: Touched, Body: s.named[t.Body], Player: session.PlayerID(t.Pusher),
			Began: !s.touches(touch{session.PlayerID(t.Pusher), s.named[t.Body]}),
		})
	}
	s.touched = s.touched[:0]
	// Only touches are among the events yet: Step clears them, and zones come after.
	for i := range s.events {
		s.touched = append(s.touched, touch{s.events[i].Player, s.events[i].Body})
	}
}

// touches reports whether a touch was there in the Step before.
func (s *Server) touches(t touch) bool {
	for _, o := range s.touched {
		if o == t {
			return true
		}
	}
	return false
}

// reportPlace makes events of the zones and volumes that a body is in.
func (s *Server) reportPlace(l *served) {
	at := l.sent.Position
	for i := range s.zones {
		before, inside := l.inside>>i&1 != 0, s.zones[i].contains(at)
		if before == inside {
			continue
		}
		l.inside ^= 1 << i
		kind := Entered
		if before {
			kind = Left
		}
		s.events = append(s.events, Event{Kind: kind, Body: l.id, Zone: i})
	}
	if s.volumes == nil {
		return
	}
	s.volumes.At = s.at
	if v := s.volumes.VolumeAt(at); v != l.volume {
		l.volume = v
		s.events = append(s.events, Event{Kind: EnteredVolume, Body: l.id, Volume: v})
	}
}
