/* play joins a match of the hockey game and skates after the puck, in C:
 *
 *	play http://localhost:8080 Ada 10
 *
 * A game in an engine does the same once a drawn frame, with its own keys and its own models. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "game.h"

enum { ROOM = 64 }; /* for others and entities: more than a match has */

/* steer turns to a place and skates there. */
static void steer(game_input *input, bs_vec3 from, bs_vec3 to) {
	input->yaw = atan2(-(to.x - from.x), -(to.z - from.z));
	input->forward = 1;
	input->sprint = 1;
}

int main(int count, char **args) {
	if (count != 4 || bs_version() != BS_VERSION || bs_input_size() != sizeof(game_input) || bs_self_size() != sizeof(game_self)) {
		fprintf(stderr, "usage: play ADDRESS NAME SECONDS, with the library and the headers of one build\n");
		return 2;
	}
	bs_config config = {.name = args[2]};
	bs_client client = bs_connect(args[1], &config);
	game_input input = {0};
	game_self self = {0};
	bs_view view = {0};
	bs_entity others[ROOM], entities[ROOM];
	bs_phase phase;
	int frames = 0, hits = 0, told = 0, seen = 0;
	double skated = 0;
	bs_vec3 before = {0};

	while ((phase = bs_frame(client, &input, &self, &view)) != BS_ENDED && frames < 60 * atoi(args[3])) {
		if (phase == BS_PLAYING && view.placed) {
			if (frames++ > 0)
				skated += hypot(view.position.x - before.x, view.position.z - before.z);
			before = view.position;
			int n = bs_entities(client, entities, ROOM);
			input = (game_input){0};
			if (n > 0)
				steer(&input, view.position, entities[0].position);
			seen = bs_remotes(client, others, ROOM);
			input.claim.fire = seen > 0 && frames % 40 == 0; /* the game aims it by the input's yaw and pitch */
		}
		for (bs_event e; bs_next_event(client, &e); told++)
			hits += e.kind == BS_SHOT_JUDGED && e.verdict == BS_HIT;
		nanosleep(&(struct timespec){.tv_nsec = 16666667}, NULL);
	}
	char text[200];
	if (phase == BS_ENDED) {
		bs_error(client, text, sizeof text);
		fprintf(stderr, "%s\n", text);
		return 1;
	}
	bs_stats stats;
	bs_get_stats(client, &stats);
	bs_text(client, view.id, bs_field(client, "name"), text, sizeof text);
	printf("%s is player %u: %d frames, %.1f m, %.1f s of stamina, score %lld\n", text, view.id, frames, skated,
		self.stamina / 1e6, (long long)bs_number(client, view.id, bs_field(client, "score")));
	printf("%d others, %d events, %d hits, round trip %.1f ms, %llu corrections\n", seen, told, hits,
		stats.rtt / 1e3, (unsigned long long)stats.corrections);
	bs_close(client);
	return 0;
}
