package movement

// Differ appends to into the fields in which truth differs from predicted, and by how much: it
// explains why a character was corrected [ACK-14]. Mode and base come first, since they
// explain the rest. Two states that differ at all differ in one of these fields. D is
// predict.Difference, or another type of the game with the same fields: the name of the field
// and the amount, in metres, m/s, radians, seconds or jumps; 1 for a field that is only equal
// or not. Places are in the world, also of riders.
func Differ[D ~struct {
	Field string
	By    float64
}](predicted, truth *State, into []D) []D {
	var found differences
	predicted.fields(&visitor{found: &found}, truth)
	for _, first := range [...]bool{true, false} {
		for _, d := range found.list[:found.count] {
			if first == (d.name == "mode" || d.name == "base") {
				into = append(into, D{Field: d.name, By: d.by})
			}
		}
	}
	return into
}
