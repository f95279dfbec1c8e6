#pragma once
#include "../classes/node3d.hpp"

namespace godot {
struct PropertyInfo { PropertyInfo(Variant::Type, const char *) {} };
struct MethodInfo { template <typename... Args> MethodInfo(const char *, const Args &...) {} };
struct MethodDefinition {};
template <typename... Args> MethodDefinition D_METHOD(const char *, const Args &...) { return {}; }
struct ClassDB { template <typename M> static void bind_method(MethodDefinition, M) {} };
} // namespace godot

#define ADD_SIGNAL(info) (void)(info)
#define GDREGISTER_CLASS(type) (void)sizeof(type)
