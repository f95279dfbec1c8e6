package main

// State block: how another player came to be drawn as they are; filled while trace is
// switched on.
const (
	// TraceBase is where the first record starts.
	TraceBase = ThingBase + MaxThings*ThingStride
	// TraceStride is the length of a record.
	TraceStride = TraceStates + 1 + MaxTraceStates*TraceStateStride
	// TraceID is the player's number.
	TraceID = 0
	// TraceMode is how the player is drawn: 0 interpolates, 1 linear, 2 exponential, 3
	// as it came.
	TraceMode = 1
	// TraceFit is how the pose was found: 0 missing, 1 exact, 2 interpolated, 3 held, 4
	// extrapolated, 5 stale.
	TraceFit = 2
	// TraceX, Y, Z is where the feet are drawn, metres.
	TraceX = 3
	TraceY = 4
	TraceZ = 5
	// TraceVX, VY, VZ is the velocity there, m/s.
	TraceVX = 6
	TraceVY = 7
	TraceVZ = 8
	// TraceGhostX, Y, Z is the newest received state carried on to now: where the
	// server probably has the player.
	TraceGhostX = 9
	TraceGhostY = 10
	TraceGhostZ = 11
	// TraceBehind is how far behind the match the player is drawn, seconds.
	TraceBehind = 12
	// TraceAge is how old the newest state is, seconds, and TraceServer, TraceWay and
	// TraceHere are its parts: from the owner to the tick that told of it, from there
	// to here, and since then.
	TraceAge    = 13
	TraceServer = 14
	TraceWay    = 15
	TraceHere   = 16
	// TraceHealing is how much of a recovery is still to come, 1 to 0.
	TraceHealing = 17
	// TraceOffset is how far smoothing draws the player from the body, metres.
	TraceOffset = 18
	// TraceCrouched is 1 while drawn as crouched.
	TraceCrouched = 19
	// TraceStates is how many received states follow, the newest first.
	TraceStates = 20
	// TraceStateStride is the length of each.
	TraceStateStride = 5
	// TraceStateX, Y, Z is where the feet were, metres; of a rider, on its base as it is
	// now.
	TraceStateX = 0
	TraceStateY = 1
	TraceStateZ = 2
	// TraceStateAge is how long ago that was, seconds.
	TraceStateAge = 3
	// TraceStateKink is 1 for a bend of the path between two states.
	TraceStateKink = 4
)

// State block: the figures of other players, in the very pose that shots are tested
// against.
const (
	// StateFigures is how many records follow at FigureBase.
	StateFigures = FigureBase
	// StateBones is how many bones each has: those of the rig, in its order.
	StateBones = FigureBase + 1
	// FigureBase is where the counts stand; the first record is at FigureFirst.
	FigureBase = TraceBase + MaxTraces*TraceStride
	// FigureFirst is where the first record starts.
	FigureFirst = FigureBase + 2
	// FigureStride is the length of a record.
	FigureStride = FigureBones + MaxBones*BoneStride
	// FigureID is the player's number.
	FigureID = 0
	// FigureHolds is what the player has in hand: the weapon's index, plus 8 with the
	// shield up, plus 16 with the sights down.
	FigureHolds = 1
	// FigureBones is where the first bone is.
	FigureBones = 2
	// BoneStride is the length of a bone.
	BoneStride = 7
	// BoneX, Y, Z is where its joint is drawn, metres.
	BoneX = 0
	BoneY = 1
	BoneZ = 2
	// BoneQX, QY, QZ, QW is the quaternion it is turned by.
	BoneQX = 3
	BoneQY = 4
	BoneQZ = 5
	BoneQW = 6
)

// State block: what the player has in hand.
const (
	// StateWeapon is the index of the weapon in hand.
	StateWeapon = FigureFirst + MaxFigures*FigureStride
	// StateDraw is the time until it is ready, StateCooldown until it fires again and
	// StateSwing what is left of a blade's swing, seconds.
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
	// PoseID is the player's number, PoseExtra what it holds.
	PoseID    = 0
	PoseExtra = 1
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
	// PoseWalked is the way over the ground, metres.
	PoseWalked = 13
	// PoseLow, PoseAir and PoseSwim are the stance, 0 to 1.
	PoseLow  = 14
	PoseAir  = 15
	PoseSwim = 16
	// PoseClip is the motion that plays, PosePlayed for how long it has, seconds.
	PoseClip   = 17
	PosePlayed = 18
	// PoseDead is 1 of the dead, and PoseLies for how long they have been, seconds.
	PoseDead = 19
	PoseLies = 20
)

// State block: one of the player's own last shots as the page showed it and as the server
// judged it; filled while shots is switched on.
const (
	// ProofBase is where the figures of the shot are.
	ProofBase = RoundsBase + MaxWeapons
	// ProofShots is how many shots there are to look at, ProofChosen which this one is: 0 is
	// the newest.
	ProofShots  = ProofBase
	ProofChosen = ProofBase + 1
	// ProofShot is its number, ProofWeapon the weapon's index.
	ProofShot   = ProofBase + 2
	ProofWeapon = ProofBase + 3
	// ProofVerdict is −1 before there is one, 0 refused, 1 missed, 2 hit, 3 on its way.
	ProofVerdict = ProofBase + 4
	// ProofReason is why it was refused or did no damage: reason has it in words.
	ProofReason = ProofBase + 5
	// ProofFired is when it was fired, of a projectile that has ended when it did, by the
	// match's clock; ProofAsked which picture it was aimed at, or met in the end, and
	// ProofGranted by which it was judged, seconds; 0 is none.
	ProofFired   = ProofBase + 6
	ProofAsked   = ProofBase + 7
	ProofGranted = ProofBase + 8
	// ProofTested is how many poses it was tested against.
	ProofTested = ProofBase + 9
	// ProofAgrees is 1 where the server saw what the page showed.
	ProofAgrees = ProofBase + 10
	// ProofMet is what it met by the server: 0 nothing, 1 the world, 2 somebody: ProofTarget,
	// at ProofPart, ProofDistance metres away.
	ProofMet      = ProofBase + 11
	ProofTarget   = ProofBase + 12
	ProofPart     = ProofBase + 13
	ProofDistance = ProofBase + 14
	// ProofDamage is the damage to all.
	ProofDamage = ProofBase + 15
	// ProofSaw is what it met on the page, and ProofSawTarget whom.
	ProofSaw       = ProofBase + 16
	ProofSawTarget = ProofBase + 17
	// ProofKnown is 0 while the server has not said by what it judged, 1 where it has, 2
	// where it remembers no more.
	ProofKnown = ProofBase + 18
	// ProofApart is the largest distance between a volume as the page had it and as the
	// server rebuilt it, metres; −1 where there is none to compare.
	ProofApart = ProofBase + 19
	// ProofHurts is how many the shot hurt, and ProofHurtBase where the first of them is:
	// who, at which part, the damage, and the reason where there was none.
	ProofHurts      = ProofBase + 20
	ProofHurtBase   = ProofBase + 21
	MaxProofHurts   = 8
	ProofHurtStride = 4
	// ProofVolumes is how many records follow at ProofVolumeBase, ProofLines how many at
	// ProofLineBase.
	ProofVolumes = ProofHurtBase + MaxProofHurts*ProofHurtStride
	ProofLines   = ProofVolumes + 1
	// ProofVolumeBase is where the first volume is.
	ProofVolumeBase = ProofVolumes + 2
	// MaxProofVolumes is how many there may be.
	MaxProofVolumes = 336
	// ProofVolumeStride is the length of each.
	ProofVolumeStride = 16
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
	// VolumeQX, QY, QZ, QW is the quaternion that a box is turned by.
	VolumeQX = 12
	VolumeQY = 13
	VolumeQZ = 14
	VolumeQW = 15
	// ProofLineBase is where the first line is: of a ray, a blade or a flight.
	ProofLineBase = ProofVolumeBase + MaxProofVolumes*ProofVolumeStride
	// MaxProofLines is how many there may be.
	MaxProofLines = 256
	// ProofLineStride is the length of each.
	ProofLineStride = 7
	// LineJudged is 1 by the server, 0 as the page had it; LineAX … BZ are its ends.
	LineJudged = 0
	LineAX     = 1
	LineAY     = 2
	LineAZ     = 3
	LineBX     = 4
	LineBY     = 5
	LineBZ     = 6
)
