#pragma once
#include <gdextension_interface.h>

namespace godot {
enum ModuleInitializationLevel { MODULE_INITIALIZATION_LEVEL_SCENE = 2 };
struct GDExtensionBinding {
	struct InitObject {
		InitObject(GDExtensionInterfaceGetProcAddress, GDExtensionClassLibraryPtr, GDExtensionInitialization *) {}
		void register_initializer(void (*)(ModuleInitializationLevel)) {}
		void register_terminator(void (*)(ModuleInitializationLevel)) {}
		void set_minimum_library_initialization_level(ModuleInitializationLevel) {}
		GDExtensionBool init() { return 1; }
	};
};
} // namespace godot
