/* backstep.h is the C side of a game's client library. The library is the game's own Go code,
 * built as a C library (package client/native of Backstep); this header is the same for every
 * game, and the game's header, which the game prints itself, adds its input and its own state.
 *
 * A client belongs to one thread at a time. No function but bs_close waits for the network, and
 * none allocates memory that the caller has to free. Times are in microseconds, lengths in metres,
 * angles in radians; +Y is up and -Z ahead. Text is UTF-8 and ends with a zero byte. A client
 * that is 0 or closed counts as one that has ended.
 */
#ifndef BACKSTEP_H
#define BACKSTEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* BS_VERSION is the version of this header. It rises when a struct or a function changes;
 * bs_version returns that of the library. */
#define BS_VERSION 2

/* bs_client is a player's end of a match; 0 is none. */
typedef uint32_t bs_client;

typedef struct bs_vec3 { double x, y, z; } bs_vec3;
typedef struct bs_quat { double x, y, z, w; } bs_quat; /* a rotation */

/* bs_phase is how far a client has got in joining. */
typedef enum bs_phase {
	BS_CONNECTING = 0, /* not in the match yet, or its connection was lost and it comes back */
	BS_PLAYING    = 1,
	BS_ENDED      = 2  /* for good: bs_error says why */
} bs_phase;

/* bs_config is how a client joins. Zero it, then set what you need: 0 means a default. */
typedef struct bs_config {
	const char *name;          /* the player's name, required */
	const char *match;         /* which of the server's matches; NULL leaves it to the server */
	const char *key;           /* bs_key of an earlier client, to take up its seat; NULL for none */
	const char *token;         /* a connect token of the game's backend (docs/howto/tokens.md); NULL for none */
	const char *options;       /* the game's: what the player chooses as it joins, at most 256 bytes; NULL for none */
	int64_t     input_delay;   /* for how long the server buffers the player's moves, 0 ... 250,000 */
	int64_t     reconnect;     /* for how long a lost connection is tried again; 0 means 30 s, below 0 never */
} bs_config;

/* bs_view is what a frame shows of the player itself. */
typedef struct bs_view {
	int64_t  now;      /* the match time */
	uint32_t id;       /* the player's number, 0 before joining */
	uint8_t  placed;   /* 1 once the server has placed the player; else nothing below means anything */
	uint8_t  reserved[3];
	bs_vec3  position; /* where its character is drawn: its feet */
	bs_vec3  eye;      /* where its player looks from */
	bs_vec3  offset;   /* how much of both is the rest of a correction, fading */
} bs_view;

/* bs_entity is another player, or an entity that the game has spawned. */
typedef struct bs_entity {
	uint32_t id;
	uint16_t kind;     /* 0 is a character, else a number of the game's */
	uint16_t user;     /* the game's own */
	bs_vec3  position; /* the feet of a character, the centre of a rigid body */
	bs_vec3  velocity;
	bs_vec3  up;       /* the unit vector against gravity */
	bs_quat  rotation; /* of a rigid body */
	double   yaw, pitch;
	double   stride;   /* distance walked over the ground, of a gait */
	double   crouched, airborne, swimming; /* how far it is into each, 0 ... 1 */
	uint8_t  mode;     /* the number of the movement mode */
	uint8_t  dead;     /* drawn as dead */
	uint8_t  life;     /* counts respawns */
	uint8_t  teleport; /* counts teleports */
	uint8_t  clip;     /* the motion that plays, 0 for none */
	uint8_t  reserved[3];
	int64_t  clip_at;  /* the match time at which it began */
} bs_entity;

/* bs_transform is the pose of one of the level's movers. */
typedef struct bs_transform { bs_vec3 position; bs_quat rotation; } bs_transform;

/* bs_event_kind is the kind of an event. */
typedef enum bs_event_kind {
	BS_MESSAGE = 1,   /* of the game on the server: data */
	BS_WELCOMED,      /* the player has a seat: player; data is session.ServerConfig.MatchInfo */
	BS_TELEPORTED,    /* the server has set the player's state: a spawn, a respawn, a teleport */
	BS_FIRED,         /* the player fired: weapon, from, to, target, as its own screen shows it */
	BS_SHOT_JUDGED,   /* the server's verdict on a shot of the player's own: verdict, weapon, target, damage, to */
	BS_SHOT_SEEN,     /* another player fired: player, weapon, from, to */
	BS_DETONATED,     /* a projectile has ended: player, weapon, to */
	BS_DAMAGED,       /* the player was hit: player, weapon, damage, from */
	BS_CLOCK_DRIFT    /* this machine's clock is too fast or too slow: text is a sentence for the player */
} bs_event_kind;

/* bs_verdict is the server's verdict on a shot. */
typedef enum bs_verdict { BS_REFUSED = 0, BS_MISS, BS_HIT, BS_LAUNCHED } bs_verdict;

/* bs_event is something that has happened. What its kind does not name is 0. */
typedef struct bs_event {
	int32_t     kind; /* bs_event_kind */
	int32_t     verdict;
	uint32_t    player, target;
	uint32_t    weapon, damage;
	bs_vec3     from, to;
	const char *text;   /* valid until the next call with this client, as data is */
	const void *data;
	size_t      length; /* of data, in bytes */
} bs_event;

/* bs_stats are the figures of the network. */
typedef struct bs_stats {
	int64_t  rtt, jitter; /* the smoothed round trip, 0 before the first sample, and its variation */
	int64_t  view_delay;  /* how far in the past others are drawn */
	double   loss_up, loss_down; /* shares of the last datagrams that were lost, 0 ... 1 */
	uint64_t corrections; /* of mispredictions */
	uint64_t sent, received; /* bytes of datagrams */
	uint64_t agreed, disagreed; /* shots judged as this client showed them, and otherwise */
	int32_t  quality;     /* the link in 0 ... 4 bars */
	int32_t  reserved;
} bs_stats;

#ifndef BS_TYPES_ONLY /* which the library itself defines */

/* bs_version returns BS_VERSION of the library: compare it with that of this header. */
int32_t bs_version(void);

/* bs_input_size and bs_self_size return the sizes of the game's input and own state, in bytes:
 * compare them with sizeof of those in the game's header. */
size_t bs_input_size(void);
size_t bs_self_size(void);

/* bs_connect joins a match of the server at an address, "http://host:port". It returns at once;
 * bs_frame says how far the client has got. bs_close gives it back, also after its end. */
bs_client bs_connect(const char *address, const bs_config *config);

/* bs_frame is one drawn frame: it takes what has arrived, moves the player by its input, and fills
 * self and view. Input and self are the game's; self and view may be NULL. */
bs_phase bs_frame(bs_client client, const void *input, void *self, bs_view *view);

/* bs_remotes, bs_entities and bs_movers write the other players, the other entities and the level's
 * movers as this frame shows them, up to that many. They return how many there are. */
int32_t bs_remotes(bs_client client, bs_entity *into, int32_t capacity);
int32_t bs_entities(bs_client client, bs_entity *into, int32_t capacity);
int32_t bs_movers(bs_client client, bs_transform *into, int32_t capacity);

/* bs_field returns the index of a field that the game declares, -1 if there is none of that name. */
int32_t bs_field(bs_client client, const char *name);

/* BS_MATCH stands for the match where bs_number and bs_text ask for a player or an entity. */
#define BS_MATCH 0u

/* bs_number returns a number that the game declares: of a player, an entity or the match. 0 is also
 * what this client was not sent, and what a field that is a text has. */
int64_t bs_number(bs_client client, uint32_t id, int32_t field);

/* bs_text writes a text that the game declares, cut to capacity - 1 bytes, and returns its length. */
size_t bs_text(bs_client client, uint32_t id, int32_t field, char *into, size_t capacity);

/* bs_next_event takes the next of what has happened since the frame before, oldest first, and
 * returns 1; 0 if that was all. What is not taken before the next bs_frame is lost. */
int32_t bs_next_event(bs_client client, bs_event *event);

/* bs_send sends a message to the game on the server, of at most 4096 bytes. It returns 1, and 0 if
 * the message is too long or the player has no seat. It has one from BS_WELCOMED on, before the server
 * places it. */
int32_t bs_send(bs_client client, const void *data, size_t length);

/* bs_sweep moves a ball through the level as this frame has it, and returns the share of the way to
 * the first touch, 0 ... 1: for cameras that do not pass walls. */
double bs_sweep(bs_client client, bs_vec3 from, bs_vec3 delta, double radius);

/* bs_get_stats fills stats. */
void bs_get_stats(bs_client client, bs_stats *stats);

/* bs_key writes the secret by which the player comes back to its seat after the program was
 * restarted, 32 hex digits, and returns its length; 0 before joining. */
size_t bs_key(bs_client client, char *into, size_t capacity);

/* bs_error writes why the client has ended, a sentence, and returns its length; 0 before. */
size_t bs_error(bs_client client, char *into, size_t capacity);

/* bs_close leaves the match. It waits until the server has closed the connection, at most a second. */
void bs_close(bs_client client);

#endif

#ifdef __cplusplus
}
#endif

#endif
