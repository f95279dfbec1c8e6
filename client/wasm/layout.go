package main

// Layout of the memory that the page and the core share. Every constant of this file and
// of layout_more.go, with its comment, becomes one of web/src/client/layout.ts:
//
//	go generate ./client/wasm
//
// A test compares the two. Blocks are allocated when the instance starts and never move
// inside the linear memory. When the memory grows, the page must recreate its views.
//
//go:generate go run ./layoutgen -in layout.go,layout_more.go -out ../../web/src/client/layout.ts

// Version of the interface between page and core. The page refuses a core with another
// version.
const ABIVersion = 7

// Sizes of the blocks, in bytes unless they say otherwise.
const (
	// InboxBytes is the longest message or request of the page.
	InboxBytes = 1 << 17
	// OutboxBytes bounds what one frame sends.
	OutboxBytes = 1 << 16
	// EventBytes bounds the events of one frame; more are dropped.
	EventBytes = 1 << 16
	// InputLength is the length of the input block, in float64.
	InputLength = 8
	// StateLength is the length of the state block, in float64.
	StateLength = ShotDebugLineBase + MaxShotDebugLines*ShotDebugLineStride
	// PoseLength is the length of the pose block, in float64.
	PoseLength = MaxFigures * PoseStride
	// MaxRemotes is how many other players one frame can show.
	MaxRemotes = 128
	// MaxBodies is how many of the level's moving bodies one frame can show.
	MaxBodies = 64
	// MaxFigures is how many other players one frame can pose, the nearest.
	MaxFigures = 64
	// MaxBones is how many bones of each.
	MaxBones = 32
	// MaxEntities is how many entities besides players one frame can show.
	MaxEntities = 128
	// MaxRemoteDebugs is how many remotes the debug layer shows, the nearest, and
	// MaxRemoteDebugStates how many received states of each, the newest.
	MaxRemoteDebugs      = 16
	MaxRemoteDebugStates = 32
	// OutboxHeader is the length of what precedes each packet in the outbox: the
	// packet's length as a little-endian uint16, its channel, and a zero.
	OutboxHeader = 4
	// EventHeader is the length of what precedes each event: the length of its
	// body as a little-endian uint16, its kind, and a zero.
	EventHeader = 4
)

// Channels, as the transports number them.
const (
	// ChannelDatagram may lose, repeat and reorder.
	ChannelDatagram = 0
	// ChannelStream is reliable and ordered.
	ChannelStream = 1
)

// Input block: where the player looks, and what a script adds to the devices;
// written by the page before each frame.
const (
	// InputForward is the forward axis, −1 to 1; 0 leaves it to the devices.
	InputForward = 0
	// InputRight is the rightward axis, −1 to 1.
	InputRight = 1
	// InputYaw is the view's turn about +Y, radians; 0 looks along −Z. The devices
	// turn it further: StateLookYaw is where it ends.
	InputYaw = 2
	// InputPitch is the view's tilt, radians, positive upwards; as InputYaw.
	InputPitch = 3
	// InputButtons is the sum of the Button bits that are held.
	InputButtons = 4
	// InputScripted is 1 if the devices do not move the character: they only turn the
	// view and control the page.
	InputScripted = 5
	// InputWeapon is the number of the weapon to select, from 1; 0 for none.
	InputWeapon = 6
)

// Buttons.
const (
	ButtonJump   = 1
	ButtonCrouch = 2
	ButtonFire   = 4
	ButtonReload = 8
	// ButtonDash starts a dash in each frame that has it, ButtonHook holds the hook.
	ButtonDash = 16
	ButtonHook = 32
	// ButtonShield holds the shield up, ButtonSights aims down the sights, ButtonMelee
	// strikes.
	ButtonShield = 64
	ButtonSights = 128
	ButtonMelee  = 256
)

// Phases of a session.
const (
	// PhaseIdle: no hello yet.
	PhaseIdle = 0
	// PhaseJoining: hello was sent.
	PhaseJoining = 1
	// PhasePlaying: the server has accepted the player.
	PhasePlaying = 2
	// PhaseEnded: refused, kicked, or left; an EventClosed says why.
	PhaseEnded = 3
)

// State block: the player's own character as it is drawn.
const (
	// StatePhase is one of the phases.
	StatePhase = 0
	// StateSelf is the player's own number, 0 before joining.
	StateSelf = 1
	// StateX, Y, Z is where the feet are drawn, metres, with the decaying error
	// of the last correction in it.
	StateX = 2
	StateY = 3
	StateZ = 4
	// StateEye is the height of the eye above the feet, metres; it changes at
	// once on a crouch, so the page smooths it.
	StateEye = 5
	// StateVX, VY, VZ is the velocity, m/s.
	StateVX = 6
	StateVY = 7
	StateVZ = 8
	// StateYaw and StatePitch are the view as it was quantised, radians.
	StateYaw   = 9
	StatePitch = 10
	// StateMode is the movement mode's number: 1 walks, 2 falls, 3 swims, 4 flies,
	// 16 hangs on the hook.
	StateMode = 11
	// StateCrouched is 1 while crouched.
	StateCrouched = 12
	// StateDead is 1 from a death to the respawn.
	StateDead = 13
	// StateHealth is 0 to 100.
	StateHealth = 14
	// StateAmmo is the rounds in the magazine.
	StateAmmo = 15
	// StateMagazine is how many rounds a full magazine holds.
	StateMagazine = 16
	// StateReload is what is left of a reload, seconds; 0 when none is under way.
	StateReload = 17
	// StateRespawn is the time until the respawn, seconds; 0 while alive.
	StateRespawn = 18
	// StateKills and StateDeaths are the server's count.
	StateKills  = 19
	StateDeaths = 20
	// StateSpectating is 1 for a spectator.
	StateSpectating = 21
	// StateBaseTurn is by how much the player's moving base turned in this frame,
	// radians: the page adds it to its view.
	StateBaseTurn = 22
	// StateDashCooldown and StateHookCooldown are the times until the next dash and hook, seconds.
	StateDashCooldown = 23
	StateHookCooldown = 24
	// StateHook is 1 while the hook holds, and StateHookX, Y, Z where, metres.
	StateHook  = 25
	StateHookX = 26
	StateHookY = 27
	StateHookZ = 28
	// StateOnMovingBase is 1 while the player stands on a moving body.
	StateOnMovingBase = 29
)

// State block: the network as the core sees it.
const (
	// StateRTT is the smoothed round trip, seconds.
	StateRTT = 32
	// StateJitter is the spread of arrivals, seconds.
	StateJitter = 33
	// StateLoss is the share of the server's datagrams that were lost, 0 to 1.
	StateLoss = 34
	// StateCorrections counts mispredictions.
	StateCorrections = 35
	// StateCorrection is the size of the largest correction, metres.
	StateCorrection = 36
	// StateBytesUp and StateBytesDown count payload since joining.
	StateBytesUp   = 37
	StateBytesDown = 38
	// StateTick is the newest known server tick.
	StateTick = 39
	// StateViewDelay is how far behind the server remotes are drawn, seconds.
	StateViewDelay = 40
	// StatePending is how many moves are unacknowledged.
	StatePending = 41
	// StateServerTime is the match clock as the core estimates it, seconds.
	StateServerTime = 42
	// StateDrops is how many packets and events did not fit their block.
	StateDrops = 43
	// StateMalformed counts malformed packets.
	StateMalformed = 44
	// StateConfirmed and StateContradicted count the player's shots by whether
	// the server saw what this page showed.
	StateConfirmed    = 45
	StateContradicted = 46
)

// State block: other players, and the level's moving bodies.
const (
	// StateBodies is how many records follow at BodyBase: the level's bodies in the
	// order of their nodes in its file.
	StateBodies = 62
	// StateRemotes is how many records follow at RemoteBase.
	StateRemotes = 63
	// RemoteBase is where the first record starts.
	RemoteBase = 64
	// RemoteStride is the length of a record.
	RemoteStride = 20
	// RemoteID is the player's number.
	RemoteID = 0
	// RemoteX, Y, Z is where the feet are drawn, metres.
	RemoteX = 1
	RemoteY = 2
	RemoteZ = 3
	// RemoteVX, VY, VZ is the velocity, m/s.
	RemoteVX = 4
	RemoteVY = 5
	RemoteVZ = 6
	// RemoteYaw and RemotePitch are where the player looks, radians.
	RemoteYaw   = 7
	RemotePitch = 8
	// RemoteMode is the movement mode's number.
	RemoteMode = 9
	// RemoteCrouched is 1 while crouched.
	RemoteCrouched = 10
	// RemoteDead is 1 while drawn as dead.
	RemoteDead = 11
	// RemoteDistance is how far away the player is, metres.
	RemoteDistance = 12
	// RemoteLife counts respawns, so that a figure is not interpolated between lives.
	RemoteLife = 13
	// RemoteKills and RemoteDeaths are the server's count.
	RemoteKills  = 14
	RemoteDeaths = 15
	// RemoteHook is 1 while the player hangs on a hook, and RemoteHookX, Y, Z its
	// estimated anchor, metres.
	RemoteHook  = 16
	RemoteHookX = 17
	RemoteHookY = 18
	RemoteHookZ = 19
)

// State block: a moving body at the instant of the view.
const (
	// BodyBase is where the first record starts.
	BodyBase = RemoteBase + MaxRemotes*RemoteStride
	// BodyStride is the length of a record.
	BodyStride = 7
	// BodyX, Y, Z is where the body's origin is, metres.
	BodyX = 0
	BodyY = 1
	BodyZ = 2
	// BodyQX, QY, QZ, QW is its rotation relative to the file.
	BodyQX = 3
	BodyQY = 4
	BodyQZ = 5
	BodyQW = 6
)

// Events. A body is its fields one after the other, little-endian; u8 u16 u32
// f32, a vector as three f32, a string as a u8 length and UTF-8.
const (
	// EventJoined: u32 player, u8 bot, u8 team (1 red, 2 blue, 0 none), string name.
	EventJoined = 1
	// EventLeft: u32 player.
	EventLeft = 2
	// EventKill: u32 killer (0: the world), u32 victim, u8 head, u8 weapon (its number from
	// 1, 0 none).
	EventKill = 3
	// EventShot: u32 shooter, u8 weapon (its index), vector from, vector to, u8 hit (1: a
	// player), u8 count, and as many vectors: the ends of the other pellets. Of a
	// projectile, to is the aim point; of an own melee weapon, what it hit.
	EventShot = 4
	// EventHit: u8 verdict, u8 part (1 body, 2 head, 3 arm, 4 leg, 5 shield), u16 damage, u32
	// victim (0: not known), u8 weapon, u32 shot, string why it was refused or did no damage;
	// of an own shot.
	EventHit = 5
	// EventDamage: u16 damage, vector from (where the shot was fired), u32 by (0: the world), u8
	// weapon, u8 part, f32 ago (the time since the shooter's view, seconds).
	EventDamage = 6
	// EventSpawned: the player's own respawn; f32 yaw to look along.
	EventSpawned = 7
	// EventClosed: string reason.
	EventClosed = 8
	// EventResume: string key for reconnecting after a lost connection.
	EventResume = 9
	// EventCorrection: a correction of the player's own moves was applied; u8 cause,
	// u8 known (1: the distance is), f32 distance in metres, u16 replayed moves,
	// u8 count, and as many mispredicted fields: string name, f32 error in the field's
	// own unit, 1 for fields that are only compared.
	EventCorrection = 10
	// EventGoals: the score of the football match; u16 red, u16 blue, u8 team that
	// scored last (1 red, 2 blue, 0 none yet), u32 player that touched the ball last
	// before (0: none).
	EventGoals = 11
	// EventDetonation: a projectile ended; u32 shooter, u8 weapon, vector at, f32 radius of the
	// blast (0: none), u8 again (1: an own projectile that was shown to end elsewhere).
	EventDetonation = 12
	// EventWeapons: the match's weapons; u8 count, and as many times string name, u8 kind
	// (0 hitscan, 1 melee, 2 projectile), u8 magazine (0: it needs none), f32 seconds to reload,
	// f32 seconds to draw.
	EventWeapons = 13
	// EventNotice: a message for the player; string.
	EventNotice = 14
)

// Verdicts of EventHit.
const (
	// HitPredicted: the client's own cast hit; draw it at once.
	HitPredicted = 0
	// HitConfirmed: the server agrees.
	HitConfirmed = 1
	// HitRefused: the server does not; remove the marker.
	HitRefused = 2
)

// Sample block: the device samples since the last frame, in order; written by
// the page before each frame, emptied by it.
const (
	// SampleLength is the length of the sample block, in float64.
	SampleLength = SampleBase + MaxSamples*SampleStride
	// MaxSamples is how many samples one frame can take.
	MaxSamples = 256
	// SampleCount is how many there are.
	SampleCount = 0
	// SampleBase is where the first record starts.
	SampleBase = 1
	// SampleStride is the length of a record.
	SampleStride = 2
	// SampleKey is the key's number, as key_number returns it.
	SampleKey = 0
	// SampleValue is its value: 0 or 1, −1 to 1 for a stick, counts for the mouse.
	SampleValue = 1
)

// State block: the input of this frame, for the page.
const (
	// StateLookYaw and StateLookPitch are the view after the devices have turned it,
	// radians; the page writes them back to InputYaw and InputPitch.
	StateLookYaw   = 30
	StateLookPitch = 31
	// StateActionsPressed is the sum of the Action bits that were pressed in this frame, and
	// StateActionsHeld of those that are held.
	StateActionsPressed = 60
	StateActionsHeld    = 61
)

// Actions: input for the page and not for the character.
const (
	// ActionScores is held for the scoreboard.
	ActionScores = 1
	// ActionNet, ActionLag and ActionBindings each switch a panel.
	ActionNet = 2
	ActionLag = 4
	// ActionSound switches the sound.
	ActionSound = 8
	// ActionSpectate becomes a spectator, or plays again.
	ActionSpectate = 16
	ActionBindings = 32
	// ActionRemoteDebug switches the remote debug layer.
	ActionRemoteDebug = 64
	// ActionShotDebug switches the shot debug layer, ActionShotPrevious and ActionShotNext
	// select another shot in it.
	ActionShotDebug    = 128
	ActionShotPrevious = 256
	ActionShotNext     = 512
)

// State block: more of the network as the core sees it.
const (
	// StateDelayUp and StateDelayDown are the delays of packets in each direction, seconds; their
	// sum is StateRTT. The split is uncertain by StateClockUncertainty: one may be longer by it
	// and the other shorter.
	StateDelayUp          = 47
	StateDelayDown        = 59
	StateClockUncertainty = CauseBase + Causes
	// StateLossUp is the share of the client's datagrams that were lost, 0 to 1.
	StateLossUp = 48
	// StateQuality is the quality of the link, 0 to 4 bars.
	StateQuality = 49
	// StateDrift is by how much the match's clock runs faster than the page's, parts
	// per million.
	StateDrift = 50
	// StateDatagramsUp and StateDatagramsDown count since joining.
	StateDatagramsUp   = 51
	StateDatagramsDown = 52
	// StateMoves counts moves made, and StateCombined the frames that were combined into a
	// waiting move.
	StateMoves    = 53
	StateCombined = 54
	// StateSent counts moves packed for the first time, and StateResent moves packed
	// again.
	StateSent   = 55
	StateResent = 56
	// StateHighPing is the round trip of a high-ping warning, seconds; 0 without a warning.
	StateHighPing = 57
	// StateInputDelay is the requested input delay, seconds.
	StateInputDelay = 58
)

// State block: the number of corrections by cause. The cause is the index
// from CauseBase on.
const (
	// CauseBase is where the counts start.
	CauseBase = BodyBase + MaxBodies*BodyStride
	// Causes is how many causes there are.
	Causes = 5
	// CauseMisprediction: the prediction was wrong.
	CauseMisprediction = 0
	// CauseServerForce: a change by the server that the client could not predict, such as a push.
	CauseServerForce = 1
	// CauseTeleport: the server moved the player.
	CauseTeleport = 2
	// CauseTimeout: the server simulated missing moves.
	CauseTimeout = 3
	// CauseThrottle: the server shortened moves to repay a time discrepancy.
	CauseThrottle = 4
)

// State block: entities other than players and the level's own bodies.
const (
	// StateEntities is how many records follow at EntityBase.
	StateEntities = StateClockUncertainty + 1
	// StateRemoteDebugs is how many follow at RemoteDebugBase; 0 unless debug_remotes enabled them.
	StateRemoteDebugs = StateClockUncertainty + 2
	// EntityBase is where the first record starts.
	EntityBase = StateClockUncertainty + 3
	// EntityStride is the length of a record.
	EntityStride = 15
	// EntityID is its number, 129 to 1023; of the player's own projectiles 1024 and more.
	EntityID = 0
	// EntityKind is one of the kinds.
	EntityKind = 1
	// EntityX, Y, Z is where its middle is drawn, of a pickup its foot, metres.
	EntityX = 2
	EntityY = 3
	EntityZ = 4
	// EntityQX, QY, QZ, QW is its rotation.
	EntityQX = 5
	EntityQY = 6
	EntityQZ = 7
	EntityQW = 8
	// EntityVX, VY, VZ is the velocity, m/s.
	EntityVX = 9
	EntityVY = 10
	EntityVZ = 11
	// EntityAsleep is 1 while it rests.
	EntityAsleep = 12
	// EntityUserData is the game's own: the health that a pack restores.
	EntityUserData = 13
	// EntityPredicted is 1 while it is simulated in the player's own time.
	EntityPredicted = 14
)

// Kinds of entities, and their sizes in metres.
const (
	KindBall     = 1
	KindFootball = 2
	KindCrate    = 3
	KindHealth   = 4
	KindRocket   = 5
	KindGrenade  = 6
	// BallRadius is the radius of both kinds of ball, CrateHalf half a crate's edge.
	BallRadius = 0.25
	CrateHalf  = 0.4
)
