package main

// State block: from which data each remote player is drawn, filled while debug_remotes is
// on.
const (
	// RemoteDebugBase is where the first record starts.
	RemoteDebugBase = EntityBase + MaxEntities*EntityStride
	// RemoteDebugStride is the length of a record.
	RemoteDebugStride = RemoteDebugStates + 1 + MaxRemoteDebugStates*RemoteDebugStateStride
	// RemoteDebugID is the player's number.
	RemoteDebugID = 0
	// RemoteDebugMode is how the player is drawn: 0 interpolates, 1 linear, 2 exponential, 3
	// newest.
	RemoteDebugMode = 1
	// RemoteDebugSource is the source of the pose: 0 missing, 1 exact, 2 interpolated, 3 held, 4
	// extrapolated, 5 stale.
	RemoteDebugSource = 2
	// RemoteDebugX, Y, Z is where the feet are drawn, metres.
	RemoteDebugX = 3
	RemoteDebugY = 4
	RemoteDebugZ = 5
	// RemoteDebugVX, VY, VZ is the velocity there, m/s.
	RemoteDebugVX = 6
	RemoteDebugVY = 7
	RemoteDebugVZ = 8
	// RemoteDebugExtrapolatedX, Y, Z is the newest received state, extrapolated to now: the
	// player's probable place on the server.
	RemoteDebugExtrapolatedX = 9
	RemoteDebugExtrapolatedY = 10
	RemoteDebugExtrapolatedZ = 11
	// RemoteDebugViewDelay is how far behind the match the player is drawn, seconds.
	RemoteDebugViewDelay = 12
	// RemoteDebugAge is how old the newest state is, seconds, and RemoteDebugServer, RemoteDebugNetwork and
	// RemoteDebugClient are its parts: from the owner to the tick that sent it, from there
	// to the client, and since then.
	RemoteDebugAge     = 13
	RemoteDebugServer  = 14
	RemoteDebugNetwork = 15
	RemoteDebugClient  = 16
	// RemoteDebugBlending is the remaining share of a blend, 1 to 0.
	RemoteDebugBlending = 17
	// RemoteDebugOffset is the distance between the drawn figure and the collision body, metres.
	RemoteDebugOffset = 18
	// RemoteDebugCrouched is 1 while drawn as crouched.
	RemoteDebugCrouched = 19
	// RemoteDebugStates is how many received states follow, the newest first.
	RemoteDebugStates = 20
	// RemoteDebugStateStride is the length of each.
	RemoteDebugStateStride = 5
	// RemoteDebugStateX, Y, Z is where the feet were, metres; of a rider, on its base as it is
	// now.
	RemoteDebugStateX = 0
	RemoteDebugStateY = 1
	RemoteDebugStateZ = 2
	// RemoteDebugStateAge is how long ago that was, seconds.
	RemoteDebugStateAge = 3
	// RemoteDebugStateKeyframe is 1 for a keyframe between two states.
	RemoteDebugStateKeyframe = 4
)

// State block: the figures of other players, in the very pose that shots are tested
// against.
const (
	// StateFigures is how many records follow at FigureBase.
	StateFigures = FigureBase
	// StateBones is how many bones each has: those of the rig, in its order.
	StateBones = FigureBase + 1
	// FigureBase is where the counts stand; the first record is at FigureFirst.
	FigureBase = RemoteDebugBase + MaxRemoteDebugs*RemoteDebugStride
	// FigureFirst is where the first record starts.
	FigureFirst = FigureBase + 2
	// FigureStride is the length of a record.
	FigureStride = FigureBones + MaxBones*BoneStride
	// FigureID is the player's number.
	FigureID = 0
	// FigureHeldState is what the player holds: the weapon's index, plus 8 with the
	// shield up, plus 16 with the sights down.
	FigureHeldState = 1
	// FigureBones is where the first bone is.
	FigureBones = 2
	// BoneStride is the length of a bone.
	BoneStride = 7
	// BoneX, Y, Z is where its joint is drawn, metres.
	BoneX = 0
	BoneY = 1
	BoneZ = 2
	// BoneQX, QY, QZ, QW is its rotation.
	BoneQX = 3
	BoneQY = 4
	BoneQZ = 5
	BoneQW = 6
)

// State block: the player's loadout.
const (
	// StateWeapon is the index of the held weapon.
	StateWeapon = FigureFirst + MaxFigures*FigureStride
	// StateDraw is the time until it is ready, StateCooldown until it fires again and
	// StateSwing the rest of a swing, seconds.
	StateDraw     = StateWeapon + 1
	StateCooldown = StateWeapon + 2
	StateSwing    = StateWeapon + 3
	// StateShielded is 1 while the shield is up, StateAiming while the sights are down.
	StateShielded = StateWeapon + 4
	StateAiming   = StateWeapon + 5
	// StateArmour is 0 to 100.
	StateArmour = StateWeapon + 6
	// RoundsBase is where the rounds in the magazine of each weapon are.
	RoundsBase = StateWeapon + 7
	// MaxWeapons is the most weapons that a match has.
	MaxWeapons = 8
)

// Pose block: recorded samples of players, for a page that shows a recording; pose makes
// figures of them.
const (
	// PoseStride is the length of a record.
	PoseStride = 21
	// PoseID is the player's number, PoseUserData what it holds.
	PoseID       = 0
	PoseUserData = 1
	// PoseX, Y, Z is where the feet are, metres, and PoseVX, VY, VZ the velocity, m/s,
	// relative to what carries the player.
	PoseX  = 2
	PoseY  = 3
	PoseZ  = 4
	PoseVX = 5
	PoseVY = 6
	PoseVZ = 7
	// PoseYaw and PosePitch are where the player looks, radians.
	PoseYaw   = 8
	PosePitch = 9
	// PoseUX, UY, UZ is up; all zero is +Y.
	PoseUX = 10
	PoseUY = 11
	PoseUZ = 12
	// PoseStrideDistance is the stride distance, metres.
	PoseStrideDistance = 13
	// PoseCrouch, PoseAir and PoseSwim are the stance, 0 to 1.
	PoseCrouch = 14
	PoseAir    = 15
	PoseSwim   = 16
	// PoseClip is the motion that plays, PosePlayed since when, seconds.
	PoseClip   = 17
	PosePlayed = 18
	// PoseDead is 1 if dead, and PoseDeadTime the time since the death, seconds.
	PoseDead     = 19
	PoseDeadTime = 20
)

// State block: one of the player's last shots, as the page showed it and as the server
// judged it; filled while debug_shots is on.
const (
	// ShotDebugBase is where the values of the shot are.
	ShotDebugBase = RoundsBase + MaxWeapons
	// ShotDebugCount is how many shots are stored, ShotDebugSelected which this one is: 0 is
	// the newest.
	ShotDebugCount    = ShotDebugBase
	ShotDebugSelected = ShotDebugBase + 1
	// ShotDebugNumber is its number, ShotDebugWeapon the weapon's index.
	ShotDebugNumber = ShotDebugBase + 2
	ShotDebugWeapon = ShotDebugBase + 3
	// ShotDebugVerdict is −1 before there is one, 0 refused, 1 missed, 2 hit, 3 on its way.
	ShotDebugVerdict = ShotDebugBase + 4
	// ShotDebugReason is why it was refused or did no damage: reason_text returns the text.
	ShotDebugReason = ShotDebugBase + 5
	// ShotDebugFired is when it was fired, of a projectile that has ended when it did, by the
	// match's clock; ShotDebugViewRequested the time of the view it was aimed at, or in which it hit, and
	// ShotDebugViewGranted the time by which it was judged, seconds; 0 is none.
	ShotDebugFired         = ShotDebugBase + 6
	ShotDebugViewRequested = ShotDebugBase + 7
	ShotDebugViewGranted   = ShotDebugBase + 8
	// ShotDebugPoses is how many poses it was tested against.
	ShotDebugPoses = ShotDebugBase + 9
	// ShotDebugAgrees is 1 if the verdict is what the page showed.
	ShotDebugAgrees = ShotDebugBase + 10
	// ShotDebugHit is what it hit on the server: 0 nothing, 1 the world, 2 a player: ShotDebugTarget,
	// at ShotDebugPart, ShotDebugDistance metres away.
	ShotDebugHit      = ShotDebugBase + 11
	ShotDebugTarget   = ShotDebugBase + 12
	ShotDebugPart     = ShotDebugBase + 13
	ShotDebugDistance = ShotDebugBase + 14
	// ShotDebugDamage is the total damage.
	ShotDebugDamage = ShotDebugBase + 15
	// ShotDebugSeenHit is what it hit on the page, and ShotDebugSeenTarget the player.
	ShotDebugSeenHit    = ShotDebugBase + 16
	ShotDebugSeenTarget = ShotDebugBase + 17
	// ShotDebugKnown is 0 until the server has sent its debug data, then 1, or 2 if the server
	// has none any more.
	ShotDebugKnown = ShotDebugBase + 18
	// ShotDebugVolumeError is the largest distance between a volume on the page and the same
	// volume as the server rebuilt it, metres; −1 if there is none.
	ShotDebugVolumeError = ShotDebugBase + 19
	// ShotDebugEvents is how many players the shot hurt, and ShotDebugEventBase where the first of them is:
	// player, part, damage, and the reason if there was none.
	ShotDebugEvents      = ShotDebugBase + 20
	ShotDebugEventBase   = ShotDebugBase + 21
	MaxShotDebugEvents   = 8
	ShotDebugEventStride = 4
	// ShotDebugVolumes is how many records follow at ShotDebugVolumeBase, ShotDebugLines how many at
	// ShotDebugLineBase.
	ShotDebugVolumes = ShotDebugEventBase + MaxShotDebugEvents*ShotDebugEventStride
	ShotDebugLines   = ShotDebugVolumes + 1
	// ShotDebugVolumeBase is where the first volume is.
	ShotDebugVolumeBase = ShotDebugVolumes + 2
	// MaxShotDebugVolumes is how many there may be.
	MaxShotDebugVolumes = 336
	// ShotDebugVolumeStride is the length of each.
	ShotDebugVolumeStride = 16
	// VolumeShape is 0 a ball at A, 1 a capsule from A to B, 2 a box around A.
	VolumeShape = 0
	// VolumeJudged is 1 as the server rebuilt it, 0 as the page had it.
	VolumeJudged = 1
	// VolumeAX … BZ are places, metres.
	VolumeAX = 2
	VolumeAY = 3
	VolumeAZ = 4
	VolumeBX = 5
	VolumeBY = 6
	VolumeBZ = 7
	// VolumeRadius is of a ball and a capsule, VolumeHX, HY, HZ half a box's size, metres.
	VolumeRadius = 8
	VolumeHX     = 9
	VolumeHY     = 10
	VolumeHZ     = 11
	// VolumeQX, QY, QZ, QW is a box's rotation.
	VolumeQX = 12
	VolumeQY = 13
	VolumeQZ = 14
	VolumeQW = 15
	// ShotDebugLineBase is where the first line is: of a ray, a blade or a flight.
	ShotDebugLineBase = ShotDebugVolumeBase + MaxShotDebugVolumes*ShotDebugVolumeStride
	// MaxShotDebugLines is how many there may be.
	MaxShotDebugLines = 256
	// ShotDebugLineStride is the length of each.
	ShotDebugLineStride = 7
	// LineJudged is 1 by the server, 0 as the page had it; LineAX … BZ are its ends.
	LineJudged = 0
	LineAX     = 1
	LineAY     = 2
	LineAZ     = 3
	LineBX     = 4
	LineBY     = 5
	LineBZ     = 6
)
