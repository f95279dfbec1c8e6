// Package rewind implements lag compensation: it rebuilds the scene a shooter saw and traces
// shots through it. It never moves live objects [REW-02, REW-03], so any number of
// shots may be judged concurrently. Start at [History.Record] on a server and at [Scene.Set] on
// a client; from Scene on both run the same code.
//
// Read history.go, scene.go, rebuild.go, broadphase.go and cast.go, then arc.go and blast.go; ray.go and
// distance.go are the geometry.
package rewind
