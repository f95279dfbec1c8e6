// @backstep/client runs the client end of a Backstep match in a browser. Call connect, then
// Client.frame once per drawn frame, and read the views: SelfView, NetView, RemoteView,
// SkeletonView, BodyView and EntityView.
export { Client, connect, type ConnectOptions, type Link } from "./client";
export { NO_LAG, type Lag } from "./simulatedlink";
export { Devices, Gamepads, type GamepadState, type InputCore } from "./devices";
export {
  CAUSES, PARTS, type Cause, type Correction, type Difference, type GameEvent, type Part, type Point, type Team, type Verdict, type Weapon,
} from "./events";
export { errorText } from "./errors";
export { fetchBytes, fetchJoinInfo, type JoinInfo, type JoinOptions } from "./join";
export type { TransportName } from "./transports";
export { CoreExit } from "./wasi";
export { compileCore, loadCore, type Core } from "./core";
export { HitboxView, SegmentView, ShotDebugView, type DamageEntry, type HitKind, type PoseStatus, type ShotVerdict } from "./shotdebug";
export {
  BodyView, EntityView, InputView, NetView, RemoteDebugView, RemoteView, SelfView, SkeletonView,
  type SampleSource, type SmoothingMode, type StateSource,
} from "./views";
export * as Layout from "./layout";
