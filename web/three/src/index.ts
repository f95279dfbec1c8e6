// @backstep/three shows any Backstep game with three.js. Make a Stage of a session and Controls of its
// canvas, then in each frame: if (session.frame({ ...controls.move })) stage.draw().
export { bakedMaterial, toneMap } from "./baked.js";
export { EyeHeight, type CameraMode, type CameraOptions } from "./camera.js";
export { CanvasSprite, font, paintTexture } from "./canvas.js";
export { Controls, type ControlsOptions, type Move } from "./controls.js";
export { Instances, striped } from "./entities.js";
export { DefaultFigure, playerColour, type Figure, type Pose } from "./figure.js";
export { levelObject, paintBySlope, paintMoving, type LevelFace, type Paint } from "./level.js";
export { Lines, overlay } from "./lines.js";
export { clamp, ease, wrapAngle } from "./math.js";
export { NameTag } from "./nametag.js";
export type { Player } from "./players.js";
export { chooseQuality, FrameRateMonitor, type Quality } from "./quality.js";
export { Scenery } from "./scenery.js";
export type { DrawableRoots, DrawnBody, OtherEntity, Remote } from "./session.js";
export { EXPOSURE, FOG_FAR, FOG_NEAR, glowTexture, HORIZON, lightOn, SUN_DIRECTION } from "./sky.js";
export { Stage, type StageOptions } from "./stage.js";
