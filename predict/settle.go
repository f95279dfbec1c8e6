package predict

// Settle applies a correction that waits, as the next Advance would: so that State
// is what the next move starts from, for a shot that leaves before it.
func (o *Owner[S, C]) Settle() { o.settle() }
