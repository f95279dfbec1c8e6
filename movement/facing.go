package movement

// Policy says what the body faces (BAS-04).
type Policy int

// The policies.
const (
	// FaceView turns the body to the view at once.
	FaceView Policy = iota
	// TurnToView turns it there at Model.TurnRate.
	TurnToView
	// TurnToMotion turns it at Model.TurnRate to where the input pushes.
	TurnToMotion
)

// face turns the body as the Model's policy says, after the move.
func (f *Frame) face() {}
