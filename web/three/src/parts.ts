// @backstep/three/parts are the parts that a Stage is made of, for pages that put together one of their
// own, as the arena's does.
export { bakedMaterial, toneMap } from "./baked.js";
export { EyeHeight, PlayerCamera, type CameraMode, type CameraOptions, type EyeState, type Sweep } from "./camera.js";
export { CanvasSprite, font, paintTexture } from "./canvas.js";
export { CorrectionLog, type TimedCorrection } from "./corrections.js";
export { DebugLayer, legend } from "./debuglayer.js";
export { disposeObjects } from "./dispose.js";
export { make, setText } from "./dom.js";
export { Bodies, Entities, Instances, striped } from "./entities.js";
export { drawHitbox } from "./hitboxes.js";
export { extrasOf, separateMovers, type LevelExtras } from "./levels.js";
export { levelObject, paintBySlope, paintMoving, type LevelFace, type Paint } from "./level.js";
export { Lines, overlay } from "./lines.js";
export { clamp, ease, wrapAngle } from "./math.js";
export { NameTag } from "./nametag.js";
export { NetPanel, type FrameStats } from "./netpanel.js";
export { chooseQuality, FrameRateMonitor, type Quality } from "./quality.js";
export { RemoteDebugLayer } from "./remotedebug.js";
export { Scenery } from "./scenery.js";
export type { Correction, Hitbox, NetStats, RemoteDebug } from "./session.js";
export { EXPOSURE, FOG_FAR, FOG_NEAR, glowTexture, HORIZON, lightOn, SUN_DIRECTION } from "./sky.js";
