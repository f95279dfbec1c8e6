package track

// Fit is a fault here, and Fitting is none.
type Fit uint8

func Fitting() {}
