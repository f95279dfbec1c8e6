// Package humanoid generates the character of all players: a model of 19 bones, 19 hit
// volumes and a shield, and its animations on the ground, in the air and in the water.
// Start at Build; level.ReadRig reads its output, and docs/rig.md describes the file.
//
// In the file it is 1.80 m tall, feet at the origin, facing −Z, arms hanging; all bones
// have the figure's own axes. Legs and arms use inverse kinematics: a clip defines feet and
// hands, and knees and elbows follow.
package humanoid
