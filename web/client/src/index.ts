// @backstep/client runs the client end of a Backstep match in a browser. Call connect, then
// Session.frame once per drawn frame, and read what to draw: self, remotes, entities, movers, events.
export { copy } from "./accessors.js";
export { connect, type ConnectOptions } from "./connect.js";
export { compileCore, Core, loadCore, TRIANGLE_SIZE, type LevelVolume, type Point } from "./core.js";
export { errorText, VersionError } from "./errors.js";
export { animate } from "./frames.js";
export { fetchBytes, fetchJoinInfo, type JoinInfo, type Waiting } from "./join.js";
export { LAYOUT_VERSION } from "./layout.js";
export { prepare, Prepared, type PrepareOptions } from "./prepare.js";
export type { AnyRoots } from "./roots.js";
export { Session, type Input, type Link } from "./session.js";
export { NO_LAG, type Lag } from "./simulatedlink.js";
export type { TransportName } from "./transports.js";
export { CoreExit } from "./wasi.js";
