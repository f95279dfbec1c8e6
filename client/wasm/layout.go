package main

// Layout of the memory that the page and the core share. Every constant of this file and
// of layout_more.go, with its comment, becomes one of web/src/client/layout.ts:
//
//	go generate ./client/wasm
//
// A test holds the two together. Blocks are allocated once, when the instance
// starts, and never move inside the linear memory; only the memory itself may
// grow, and then the page must make its views anew.
//
//go:generate go run ./layoutgen -in layout.go,layout_more.go -out ../../web/src/client/layout.ts

// Version of the agreement between page and core. The page refuses a core that
// has another.
const ABIVersion = 6

// Sizes of the blocks, in bytes unless they say otherwise.
const (
	// InboxBytes is the longest message or request that the page may hand in.
	InboxBytes = 1 << 17
	// OutboxBytes bounds what one frame sends.
	OutboxBytes = 1 << 16
	// EventBytes bounds the events of one frame; more are dropped.
	EventBytes = 1 << 16
	// InputLength is the length of the input block, in float64.
	InputLength = 8
	// StateLength is the length of the state block, in float64.
	StateLength = ProofLineBase + MaxProofLines*ProofLineStride
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
	// MaxThings is how many of what there is beside players one frame can show.
	MaxThings = 128
	// MaxTraces is how many other players the debug layer tells of, the nearest, and
	// MaxTraceStates how many received states of each, the newest.
	MaxTraces      = 16
	MaxTraceStates = 32
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

// Input block: where the player looks, and what a script plays besides the devices;
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
	// InputScripted is 1 where the devices do not play: only they still turn the
	// view and ask things of the page.
	InputScripted = 5
	// InputWeapon is the number of the weapon to take in hand, from 1; 0 for none.
	InputWeapon = 6
)

// Buttons.
const (
	ButtonJump   = 1
	ButtonCrouch = 2
	ButtonFire   = 4
	ButtonReload = 8
	// ButtonDash dashes once a frame that has it, ButtonHook holds the hook.
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
	// PhaseIdle: nothing asked yet.
	PhaseIdle = 0
	// PhaseJoining: hello is on its way.
	PhaseJoining = 1
	// PhasePlaying: the server has let us in.
	PhasePlaying = 2
	// PhaseEnded: refused, thrown out, or left; an EventClosed says why.
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
	// StateWatching is 1 for a spectator, whom nobody sees.
	StateWatching = 21
	// StateTurned is by how much what the player rides on turned in this frame,
	// radians: the page adds it to its view.
	StateTurned = 22
	// StateDashRest and StateHookRest are until the next dash and hook, seconds.
	StateDashRest = 23
	StateHookRest = 24
	// StateHook is 1 while the hook holds, and StateHookX, Y, Z where, metres.
	StateHook  = 25
	StateHookX = 26
	StateHookY = 27
	StateHookZ = 28
	// StateRides is 1 while the player stands on a moving body.
	StateRides = 29
)

// State block: the network as the core sees it.
const (
	// StateRTT is the smoothed round trip, seconds.
	StateRTT = 32
	// StateJitter is the spread of arrivals, seconds.
	StateJitter = 33
	// StateLoss is the share of the server's datagrams that never came, 0 to 1.
	StateLoss = 34
	// StateCorrections counts how often our prediction was wrong.
	StateCorrections = 35
	// StateCorrection is the size of the largest correction, metres.
	StateCorrection = 36
	// StateBytesUp and StateBytesDown count payload since joining.
	StateBytesUp   = 37
	StateBytesDown = 38
	// StateTick is the newest server tick heard of.
	StateTick = 39
	// StateViewDelay is how far behind the server others are drawn, seconds.
	StateViewDelay = 40
	// StatePending is how many moves the server has not answered.
	StatePending = 41
	// StateServerTime is the match clock as the core estimates it, seconds.
	StateServerTime = 42
	// StateDrops is how many packets and events did not fit their block.
	StateDrops = 43
	// StateBad counts packets that made no sense.
	StateBad = 44
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
	// RemoteLife counts respawns: a figure does not glide from death to birth.
	RemoteLife = 13
	// RemoteKills and RemoteDeaths are the server's count.
	RemoteKills  = 14
	RemoteDeaths = 15
	// RemoteHook is 1 while the player hangs on a hook, and RemoteHookX, Y, Z where
	// that seems to hold, metres.
	RemoteHook  = 16
	RemoteHookX = 17
	RemoteHookY = 18
	RemoteHookZ = 19
)

// State block: a moving body, as it is at the instant of the picture.
const (
	// BodyBase is where the first record starts.
	BodyBase = RemoteBase + MaxRemotes*RemoteStride
	// BodyStride is the length of a record.
	BodyStride = 7
	// BodyX, Y, Z is where the body's origin is, metres.
	BodyX = 0
	BodyY = 1
	BodyZ = 2
	// BodyQX, QY, QZ, QW is the quaternion it is turned by from how it lies in the
	// file.
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
	// EventShot: u32 shooter, u8 weapon (its index), vector from, vector to, u8 hit (1:
	// somebody), u8 count, and as many vectors: where the other pellets went. Of a
	// projectile, to is where it was aimed; of a blade, of one's own, what it met.
	EventShot = 4
	// EventHit: u8 verdict, u8 part (1 body, 2 head, 3 arm, 4 leg, 5 shield), u16 damage, u32
	// victim (0: not known), u8 weapon, u32 shot, string why it was refused or did no damage;
	// of a shot of one's own.
	EventHit = 5
	// EventHurt: u16 damage, vector from (where the shot was fired), u32 by (0: the world), u8
	// weapon, u8 part, f32 ago (for how long the shooter had seen that picture, seconds).
	EventHurt = 6
	// EventSpawned: the player's own respawn; f32 yaw to look along.
	EventSpawned = 7
	// EventClosed: string reason.
	EventClosed = 8
	// EventResume: string key to come back with after a broken connection.
	EventResume = 9
	// EventCorrection: a correction of the player's own moves was applied; u8 cause,
	// u8 known (1: the distance is), f32 distance in metres, u16 moves simulated again,
	// u8 count, and as many fields that were not as predicted: string name, f32 by how
	// much in the field's own unit, 1 for what is only equal or not.
	EventCorrection = 10
	// EventGoals: how the football match stands by now; u16 red, u16 blue, u8 team that
	// scored last (1 red, 2 blue, 0 nobody yet), u32 player who touched the ball last
	// before (0: nobody).
	EventGoals = 11
	// EventBurst: a projectile ended; u32 shooter, u8 weapon, vector at, f32 radius of the
	// blast (0: none), u8 again (1: of one's own, which was shown to end elsewhere).
	EventBurst = 12
	// EventWeapons: the match's weapons; u8 count, and as many times string name, u8 kind
	// (0 rays, 1 blade, 2 projectile), u8 magazine (0: it needs none), f32 seconds to reload,
	// f32 seconds to draw.
	EventWeapons = 13
	// EventNotice: something that the player should know; string a sentence.
	EventNotice = 14
)

// Verdicts of EventHit.
const (
	// HitPredicted: the client's own cast hit; draw it at once.
	HitPredicted = 0
	// HitConfirmed: the server agrees.
	HitConfirmed = 1
	// HitRefused: the server does not; take the marker back.
	HitRefused = 2
)

// Sample block: what the devices said since the last frame, in order; written by
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
	// SampleKey is the key's number, as key_number tells it.
	SampleKey = 0
	// SampleValue is its value: 0 or 1, −1 to 1 for a stick, counts for the mouse.
	SampleValue = 1
)

// State block: what the hands asked for in this frame.
const (
	// StateLookYaw and StateLookPitch is where the player looks once the devices
	// have turned the view, radians: the page keeps it as its own.
	StateLookYaw   = 30
	StateLookPitch = 31
	// StateWished is the sum of the Wish bits that were pressed in this frame, and
	// StateWishes of those that are held.
	StateWished = 60
	StateWishes = 61
)

// Wishes: what hands want of the page and not of the hero.
const (
	// WishScores is held for the scoreboard.
	WishScores = 1
	// WishNet, WishLag and WishBindings each switch a panel.
	WishNet = 2
	WishLag = 4
	// WishSound switches the sound.
	WishSound = 8
	// WishWatch flies about as a spectator, or plays again.
	WishWatch    = 16
	WishBindings = 32
	// WishDebug switches the debug layer.
	WishDebug = 64
	// WishShots switches the shots' layer, WishShotBack and WishShotOn choose another
	// shot in it.
	WishShots    = 128
	WishShotBack = 256
	WishShotOn   = 512
)

// State block: more of the network as the core sees it.
const (
	// StateWayUp and StateWayDown are how long packets take each way, seconds: StateRTT
	// in two. How that splits is known but for StateDoubt, by which the one may be longer
	// and the other shorter.
	StateWayUp   = 47
	StateWayDown = 59
	StateDoubt   = CauseBase + Causes
	// StateLossUp is the share of the client's datagrams that never came, 0 to 1.
	StateLossUp = 48
	// StateQuality is how fit the line is for play, 0 to 4 bars.
	StateQuality = 49
	// StateDrift is by how much the match's clock runs faster than the page's, parts
	// per million.
	StateDrift = 50
	// StateDatagramsUp and StateDatagramsDown count since joining.
	StateDatagramsUp   = 51
	StateDatagramsDown = 52
	// StateMade counts moves made, and StateCombined the frames that lengthened a move
	// that waited instead of making one.
	StateMade     = 53
	StateCombined = 54
	// StateSent counts moves packed for the first time, and StateResent moves packed
	// again.
	StateSent   = 55
	StateResent = 56
	// StateHighPing is the round trip to warn of, seconds; 0 while there is no warning.
	StateHighPing = 57
	// StateInputDelay is for how long the server is asked to hold moves back, seconds.
	StateInputDelay = 58
)

// State block: how often each cause of corrections was met. The cause is the index
// from CauseBase on.
const (
	// CauseBase is where the counts start.
	CauseBase = BodyBase + MaxBodies*BodyStride
	// Causes is how many causes there are.
	Causes = 5
	// CauseMistaken: the prediction was wrong.
	CauseMistaken = 0
	// CauseAltered: by what no player could foresee, such as a push.
	CauseAltered = 1
	// CausePlaced: the server put the player there.
	CausePlaced = 2
	// CauseOvertaken: the server went on without a player that was silent.
	CauseOvertaken = 3
	// CauseSlowed: the player's time ran ahead.
	CauseSlowed = 4
)

// State block: what there is beside players and the level's own bodies.
const (
	// StateThings is how many records follow at ThingBase.
	StateThings = StateDoubt + 1
	// StateTraces is how many follow at TraceBase; 0 unless trace was switched on.
	StateTraces = StateDoubt + 2
	// ThingBase is where the first record starts.
	ThingBase = StateDoubt + 3
	// ThingStride is the length of a record.
	ThingStride = 15
	// ThingID is its number, 129 to 1023; of the player's own projectiles 1024 and more.
	ThingID = 0
	// ThingKind is one of the kinds.
	ThingKind = 1
	// ThingX, Y, Z is where its middle is drawn, of a pickup its foot, metres.
	ThingX = 2
	ThingY = 3
	ThingZ = 4
	// ThingQX, QY, QZ, QW is the quaternion it is turned by.
	ThingQX = 5
	ThingQY = 6
	ThingQZ = 7
	ThingQW = 8
	// ThingVX, VY, VZ is the velocity, m/s.
	ThingVX = 9
	ThingVY = 10
	ThingVZ = 11
	// ThingAsleep is 1 while it rests.
	ThingAsleep = 12
	// ThingExtra is the game's own: how much a health pack heals.
	ThingExtra = 13
	// ThingOwn is 1 while it is simulated in the player's own time.
	ThingOwn = 14
)

// Kinds of things, and their sizes in metres.
const (
	KindBall     = 1
	KindFootball = 2
	KindCrate    = 3
	KindHealth   = 4
	KindRocket   = 5
	KindGrenade  = 6
	// BallRadius is of both sorts of ball, CrateHalf half a crate's edge.
	BallRadius = 0.25
	CrateHalf  = 0.4
)
