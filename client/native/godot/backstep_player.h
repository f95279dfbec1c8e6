// A skeleton of a Godot client as a GDExtension in C++ (godot-cpp 4.x): a node that joins a match, moves
// the player by its input, and gives a script what to draw. Backstep moves everything; Godot only draws.
// Both are right-handed with +Y up and -Z ahead, so nothing has to be converted.
#pragma once

#include <godot_cpp/classes/node3d.hpp>
#include <godot_cpp/core/class_db.hpp>

#include "game.h"

class BackstepPlayer : public godot::Node3D {
	GDCLASS(BackstepPlayer, godot::Node3D)

public:
	BackstepPlayer() = default;
	~BackstepPlayer() override;

	// join begins to join a match; the node emits "ended" with the reason when that or the match is over.
	void join(const godot::String &address, const godot::String &name);
	// move sets the player's input, until the next: ahead and to the right -1 ... 1, the view in radians.
	void move(double forward, double right, double yaw, double pitch, bool jump, bool fire);
	void _process(double delta) override;

	// What the last frame shows. Each other player and entity is a Dictionary: id, kind, transform, mode, dead.
	bool is_playing() const { return phase == BS_PLAYING && view.placed; }
	int get_id() const { return int(view.id); }
	godot::Vector3 get_eye() const;
	godot::Array get_remotes();
	godot::Array get_entities();
	godot::Array get_movers(); // transforms of the level's movers
	int64_t get_number(int id, const godot::String &field) const;
	godot::String get_text(int id, const godot::String &field) const;

protected:
	static void _bind_methods();

private:
	bs_client client = 0;
	bs_phase phase = BS_CONNECTING;
	game_input input = {};
	game_self self = {};
	bs_view view = {};
};
