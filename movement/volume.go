package movement

// immerse asks which volume the body is in, and takes what follows from it
// (VOL-01): its fluid and terminal speed for the move, swimming and leaving the
// water, a jump pad's launch.
func (f *Frame) immerse() {}
