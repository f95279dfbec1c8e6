// Package geom is deterministic geometry: vectors,
// quaternions, shapes, and trigonometry that gives the same bits on every
// processor. Start at [Vec3].
//
// Units are metres and radians; right-handed, Y up, −Z forward, as glTF. Yaw
// turns about +Y: yaw 0 looks along −Z, yaw π/2 along −X.
//
// Go may fuse a*b+c into one rounding on some processors (arm64, amd64 v3) and
// not on others (amd64 v1, WebAssembly). An explicit conversion forbids it, so
// every product in the core is written float64(a*b) before it is added, and a
// gate in internal/fma lets the compiler print each fused sum of the core.
package geom
