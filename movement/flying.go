package movement

// fly integrates slices of flight (VOL-03).
func (f *Frame) fly() { f.Left = 0 }
