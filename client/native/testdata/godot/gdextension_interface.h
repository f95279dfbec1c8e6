#pragma once
#include <stdint.h>
typedef uint8_t GDExtensionBool;
typedef void (*GDExtensionInterfaceFunctionPtr)(void);
typedef GDExtensionInterfaceFunctionPtr (*GDExtensionInterfaceGetProcAddress)(const char *name);
typedef void *GDExtensionClassLibraryPtr;
typedef struct GDExtensionInitialization GDExtensionInitialization;
