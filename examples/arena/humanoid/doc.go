// Package humanoid is the figure that everybody in the arena is, as a small program that
// models and animates it: 19 bones, 19 volumes and a shield, and what it does on its legs,
// in the air and in the water. Start at Build; level.ReadRig reads what it writes, and
// docs/rig.md says what the file holds.
//
// It stands 1.80 m tall in the file, feet in the origin, facing −Z, arms hanging; all its
// bones have the figure's own axes there. Legs and arms are solved: a clip says where feet
// and hands are, and the knees and elbows follow.
package humanoid
