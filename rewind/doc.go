// Package rewind implements lag compensation: it rebuilds the scene a shooter saw and traces
// shots through it. It moves nothing, so there is nothing to put back [REW-02, REW-03], and any
// number of shots may be judged at once. Start at [History.Record] on a server and at [Scene.Set] on
// a client; from Scene on both run the same code.
package rewind
