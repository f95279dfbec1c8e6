package arena

import (
	"github.com/backstep-net/backstep/clock"
	"github.com/backstep-net/backstep/rewind"
	"github.com/backstep-net/backstep/rig"
	"github.com/backstep-net/backstep/shot"
)

// Weapons returns the arena's own weapons: what weapons.yaml says in words. A match may have
// others (MatchConfig.Weapons), and tells its players so.
func Weapons() shot.Table {
	rifle := shot.Rifle()
	rifle.Draw = 250 * clock.Millisecond
	return shot.Table{rifle, shotgun(), rocketLauncher(), grenade(), sword()}
}

// shotgun fires eight pellets in a fixed pattern: one in the middle and seven around it.
func shotgun() shot.Weapon {
	return shot.Weapon{
		Name: "shotgun", Kind: shot.Rays, Reach: 40, Pellets: 8,
		Cooldown: 800 * clock.Millisecond, Reload: 2400 * clock.Millisecond, Draw: 350 * clock.Millisecond, Magazine: 6,
		Damage:  [rig.Tags]uint16{rig.Body: 10, rig.Head: 15, rig.Arm: 8, rig.Leg: 8},
		Falloff: shot.Falloff{From: 6, To: 25, Least: 0.2},
		Spread: shot.Spread{Cone: 0.06, Pattern: [][2]float64{
			{0, 0}, {0.5, 0}, {0.25, 0.45}, {-0.25, 0.45}, {-0.5, 0}, {-0.25, -0.45}, {0.25, -0.45}, {0, 0.95},
		}},
		Policy: rewind.HeadFirst,
	}
}

func rocketLauncher() shot.Weapon {
	return shot.Weapon{
		Name: "rocket", Kind: shot.Projectile,
		Cooldown: clock.Second, Reload: 2500 * clock.Millisecond, Draw: 500 * clock.Millisecond, Magazine: 4,
		Damage: [rig.Tags]uint16{rig.Body: 70, rig.Head: 70, rig.Arm: 70, rig.Leg: 70},
		Flight: shot.Ballistics{Speed: 25, Radius: 0.1, Fuse: 4 * clock.Second, Looks: KindRocket},
		Blast:  shot.Blast{Radius: 3, Inner: 0.5, Damage: 70, Least: 0.2, Self: 0.5, Push: 9},
	}
}

func grenade() shot.Weapon {
	return shot.Weapon{
		Name: "grenade", Kind: shot.Projectile,
		Cooldown: 900 * clock.Millisecond, Reload: 3 * clock.Second, Draw: 300 * clock.Millisecond, Magazine: 3,
		Damage: [rig.Tags]uint16{rig.Body: 10, rig.Head: 20, rig.Arm: 10, rig.Leg: 10},
		Flight: shot.Ballistics{Speed: 16, Gravity: 9.81, Radius: 0.12, Bounce: 0.45, Fuse: 2 * clock.Second, Looks: KindGrenade},
		Blast:  shot.Blast{Radius: 4, Inner: 1, Damage: 90, Least: 0.2, Self: 0.7, Push: 8},
	}
}

func sword() shot.Weapon {
	return shot.Weapon{
		Name: "sword", Kind: shot.Melee, Reach: 2.2,
		Cooldown: 600 * clock.Millisecond, Draw: 250 * clock.Millisecond,
		Damage: [rig.Tags]uint16{rig.Body: 50, rig.Head: 80, rig.Arm: 40, rig.Leg: 40},
		Swing:  shot.Swing{Arc: 1.9, Tilt: 0.35, Begins: 120 * clock.Millisecond, Lasts: 180 * clock.Millisecond, Radius: 0.06},
		Policy: rewind.HeadFirst,
	}
}
