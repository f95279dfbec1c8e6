// @backstep/client: a player's end of a Backstep match in a browser. Call
// connect, then Client.frame once for each picture, and read a SelfView, a
// NetView, a RemoteView, a BodyView and a ThingView of it.
export { connect, Client, type Link, type ConnectOptions as Options } from "./client";
export { NO_LAG, type Lag } from "./badlink";
export { Devices, Gamepads as Pads, type InputCore as Keyboard, type GamepadState as Pad } from "./devices";
export {
  CAUSES, PARTS, type Cause, type Correction, type Difference, type GameEvent, type Part, type Point, type Team, type Verdict, type Weapon,
} from "./events";
export { fetchBytes, fetchJoinInfo as invite } from "./join";
export type { JoinInfo as Invitation, JoinOptions as Wish } from "./join";
export type { TransportName as RoadName } from "./roads";
export { CoreExit } from "./wasi";
export { compileCore, loadCore, type Core } from "./core";
export { SegmentView as LineView, ShotDebugView as ProofView, HitboxView as VolumeView, type DamageEntry as Hurt, type ShotVerdict as Judgement, type HitKind as Met, type Vector as Place } from "./proof";
export { BodyView, SkeletonView as FigureView, InputView as HandsView, NetView, RemoteView, SelfView, EntityView as ThingView, RemoteDebugView as TraceView, type SampleSource as Fit, type StateSource as HasState, type SmoothingMode as Mode } from "./views";
export * as Layout from "./layout";
