#include "backstep_player.h"

#include <algorithm>
#include <vector>

using namespace godot;

static Vector3 vector(const bs_vec3 &v) { return Vector3(real_t(v.x), real_t(v.y), real_t(v.z)); }

static Transform3D transform(const bs_vec3 &at, const bs_quat &q) {
	return Transform3D(Basis(Quaternion(real_t(q.x), real_t(q.y), real_t(q.z), real_t(q.w))), vector(at));
}

BackstepPlayer::~BackstepPlayer() { bs_close(client); }

void BackstepPlayer::join(const String &address, const String &name) {
	bs_close(client);
	CharString to = address.utf8(), called = name.utf8();
	bs_config config = {};
	config.name = called.get_data();
	client = bs_connect(to.get_data(), &config);
}

void BackstepPlayer::move(double forward, double right, double yaw, double pitch, bool jump, bool fire) {
	input = game_input{};
	input.forward = forward;
	input.right = right;
	input.yaw = yaw;
	input.pitch = pitch;
	input.jump = jump;
	input.claim.fire = fire; // of a game that shoots
}

void BackstepPlayer::_process(double) {
	if (client == 0)
		return;
	phase = bs_frame(client, &input, &self, &view);
	for (bs_event e; bs_next_event(client, &e);)
		emit_signal("happened", int(e.kind), int(e.player), vector(e.to));
	if (phase == BS_ENDED) {
		char reason[512];
		bs_error(client, reason, sizeof reason);
		bs_close(client);
		client = 0;
		emit_signal("ended", String::utf8(reason));
		return;
	}
	set_position(vector(view.position));
}

Vector3 BackstepPlayer::get_eye() const { return vector(view.eye); }

// list returns entities as a script reads them.
static Array list(const std::vector<bs_entity> &all) {
	Array out;
	for (const bs_entity &e : all) {
		Dictionary d;
		d["id"] = int(e.id);
		d["kind"] = int(e.kind);
		d["transform"] = e.kind == 0 ? Transform3D(Basis(Vector3(0, 1, 0), real_t(e.yaw)), vector(e.position)) : transform(e.position, e.rotation);
		d["mode"] = int(e.mode);
		d["dead"] = e.dead != 0;
		out.push_back(d);
	}
	return out;
}

// all calls one of the functions that fill an array, with room for what there is.
template <typename T> static std::vector<T> all(bs_client client, int32_t (*fill)(bs_client, T *, int32_t)) {
	std::vector<T> found(size_t(std::max(fill(client, nullptr, 0), 0)));
	fill(client, found.data(), int32_t(found.size()));
	return found;
}

Array BackstepPlayer::get_remotes() { return list(all<bs_entity>(client, bs_remotes)); }

Array BackstepPlayer::get_entities() { return list(all<bs_entity>(client, bs_entities)); }

Array BackstepPlayer::get_movers() {
	Array out;
	for (const bs_transform &t : all<bs_transform>(client, bs_movers))
		out.push_back(transform(t.position, t.rotation));
	return out;
}

int64_t BackstepPlayer::get_number(int id, const String &field) const {
	return bs_number(client, uint32_t(id), bs_field(client, field.utf8().get_data()));
}

String BackstepPlayer::get_text(int id, const String &field) const {
	char text[256];
	bs_text(client, uint32_t(id), bs_field(client, field.utf8().get_data()), text, sizeof text);
	return String::utf8(text);
}

void BackstepPlayer::_bind_methods() {
	ClassDB::bind_method(D_METHOD("join", "address", "name"), &BackstepPlayer::join);
	ClassDB::bind_method(D_METHOD("move", "forward", "right", "yaw", "pitch", "jump", "fire"), &BackstepPlayer::move);
	ClassDB::bind_method(D_METHOD("is_playing"), &BackstepPlayer::is_playing);
	ClassDB::bind_method(D_METHOD("get_id"), &BackstepPlayer::get_id);
	ClassDB::bind_method(D_METHOD("get_eye"), &BackstepPlayer::get_eye);
	ClassDB::bind_method(D_METHOD("get_remotes"), &BackstepPlayer::get_remotes);
	ClassDB::bind_method(D_METHOD("get_entities"), &BackstepPlayer::get_entities);
	ClassDB::bind_method(D_METHOD("get_movers"), &BackstepPlayer::get_movers);
	ClassDB::bind_method(D_METHOD("get_number", "id", "field"), &BackstepPlayer::get_number);
	ClassDB::bind_method(D_METHOD("get_text", "id", "field"), &BackstepPlayer::get_text);
	ADD_SIGNAL(MethodInfo("happened", PropertyInfo(Variant::INT, "kind"), PropertyInfo(Variant::INT, "player"), PropertyInfo(Variant::VECTOR3, "at")));
	ADD_SIGNAL(MethodInfo("ended", PropertyInfo(Variant::STRING, "reason")));
}
