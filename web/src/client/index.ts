// @backstep/client: a player's end of a Backstep match in a browser. Call
// connect, then Client.frame once for each picture, and read a SelfView, a
// NetView, a RemoteView, a BodyView and a ThingView of it.
export { connect, Client, type Link, type Options } from "./client";
export { NO_LAG, type Lag } from "./badlink";
export { Devices, Pads, type Keyboard, type Pad } from "./devices";
export {
  CAUSES, PARTS, type Cause, type Correction, type Difference, type GameEvent, type Part, type Point, type Team, type Verdict, type Weapon,
} from "./events";
export { fetchBytes, invite } from "./join";
export type { Invitation, Wish } from "./join";
export type { RoadName } from "./roads";
export { CoreExit } from "./wasi";
export { compileCore, loadCore, type Core } from "./core";
export { LineView, ProofView, VolumeView, type Hurt, type Judgement, type Met, type Place } from "./proof";
export { BodyView, FigureView, HandsView, NetView, RemoteView, SelfView, ThingView, TraceView, type Fit, type HasState, type Mode } from "./views";
export * as Layout from "./layout";
