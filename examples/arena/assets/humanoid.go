package assets

import _ "embed"

//go:generate go test ../humanoid -run TestTheCommittedFiles -update

// Humanoid is everybody's figure in the arena as rig.Unpack reads it, made from
// humanoid.glb, which the page draws.
//
//go:embed humanoid.rig
var Humanoid []byte
