// @backstep/three shows any Backstep game with three.js. Make a Stage of a session and Controls of its
// canvas, then in each frame: if (session.frame({ ...controls.move })) stage.draw().
export type { View } from "./aim.js";
export type { CameraMode, CameraOptions, PlaceCamera } from "./camera.js";
export { Controls, type ControlsOptions, type Move } from "./controls.js";
export { DefaultFigure, playerColour, type Figure, type Pose } from "./figure.js";
export { paintBySlope, paintMoving, type LevelFace, type Paint } from "./level.js";
export type { Player } from "./players.js";
export type { DrawableRoots, DrawnBody, DrawnEntity } from "./session.js";
export { Stage, type StageOptions } from "./stage.js";
export type { TouchButtons } from "./touch.js";
