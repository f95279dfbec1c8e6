// As much of godot-cpp as the skeleton needs to be compiled without the engine: its names and types,
// without what they do.
#pragma once
#include <cstdint>
#include <string>

using real_t = float;

namespace godot {
struct Vector3 { Vector3(real_t = 0, real_t = 0, real_t = 0) {} };
struct Quaternion { Quaternion(real_t, real_t, real_t, real_t) {} };
struct Basis { Basis(const Quaternion &) {} Basis(const Vector3 &, real_t) {} };
struct Transform3D { Transform3D(const Basis &, const Vector3 &) {} };
struct CharString { std::string text; const char *get_data() const { return text.c_str(); } };
struct String {
	String(const char * = "") {}
	CharString utf8() const { return {}; }
	static String utf8(const char *, int64_t = -1) { return {}; }
};
struct Variant {
	enum Type { BOOL, INT, FLOAT, STRING, VECTOR3 };
	template <typename T> Variant(const T &) {}
	Variant() = default;
};
struct Array { void push_back(const Variant &) {} template <typename T> void push_back(const T &) {} };
struct Dictionary { Variant &operator[](const char *) { static Variant v; return v; } };
struct Node3D {
	virtual ~Node3D() = default;
	virtual void _process(double) {}
	void set_position(const Vector3 &) {}
	template <typename... Args> void emit_signal(const char *, const Args &...) {}
};
} // namespace godot

#define GDCLASS(type, base)
