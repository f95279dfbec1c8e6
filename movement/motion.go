package movement

// cleanMotion takes away root motion that is over, before forces and launch
// (RMS-03, RMS-18).
func (f *Frame) cleanMotion() {}

// prepareMotion works out what root motion does to this move (RMS-03, RMS-17).
func (f *Frame) prepareMotion() {}

// turnMotion turns the body by root motion, after the move (RMS-05).
func (f *Frame) turnMotion() {}
