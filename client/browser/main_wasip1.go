package browser

// Main does nothing: a reactor's main never runs. See the native one.
func Main() {}
