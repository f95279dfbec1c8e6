#include "backstep_player.h"

#include <gdextension_interface.h>
#include <godot_cpp/core/defs.hpp>
#include <godot_cpp/godot.hpp>

using namespace godot;

static void initialize(ModuleInitializationLevel level) {
	if (level == MODULE_INITIALIZATION_LEVEL_SCENE)
		GDREGISTER_CLASS(BackstepPlayer);
}

static void terminate(ModuleInitializationLevel) {}

extern "C" GDExtensionBool GDE_EXPORT backstep_init(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library, GDExtensionInitialization *init) {
	GDExtensionBinding::InitObject object(get, library, init);
	object.register_initializer(initialize);
	object.register_terminator(terminate);
	object.set_minimum_library_initialization_level(MODULE_INITIALIZATION_LEVEL_SCENE);
	return object.init();
}
