// The functions of backstep.h for C#. Copy this file into Assets, with the structs that the game prints
// (go run ./game/clib -csharp > Assets/Game.cs) and the library (Assets/Plugins/libgame.so, game.dll
// or libgame.dylib).
using System;
using System.Runtime.InteropServices;
using System.Text;

[StructLayout(LayoutKind.Sequential)] public struct bs_vec3 { public double x, y, z; }
[StructLayout(LayoutKind.Sequential)] public struct bs_quat { public double x, y, z, w; }
[StructLayout(LayoutKind.Sequential)] public struct bs_transform { public bs_vec3 position; public bs_quat rotation; }

public enum bs_phase { Connecting, Playing, Ended }

public enum bs_event_kind { Message = 1, Welcomed, Teleported, Fired, ShotJudged, ShotSeen, Detonated, Damaged, ClockDrift }

public enum bs_verdict { Refused, Miss, Hit, Launched }

[StructLayout(LayoutKind.Sequential)]
public struct bs_config
{
	public IntPtr name, match, key, token, options; // UTF-8, zero for none
	public long input_delay, reconnect;
}

[StructLayout(LayoutKind.Sequential)]
public struct bs_view
{
	public long now;
	public uint id;
	public byte placed, reserved_0, reserved_1, reserved_2;
	public bs_vec3 position, eye, offset;
}

[StructLayout(LayoutKind.Sequential)]
public struct bs_entity
{
	public uint id;
	public ushort kind, user;
	public bs_vec3 position, velocity, up;
	public bs_quat rotation;
	public double yaw, pitch, stride, crouched, airborne, swimming;
	public byte mode, dead, life, teleport, clip, reserved_0, reserved_1, reserved_2;
	public long clip_at;
}

[StructLayout(LayoutKind.Sequential)]
public struct bs_event
{
	public int kind, verdict;
	public uint player, target, weapon, damage;
	public bs_vec3 from, to;
	public IntPtr text, data;
	public UIntPtr length;
}

[StructLayout(LayoutKind.Sequential)]
public struct bs_stats
{
	public long rtt, jitter, view_delay;
	public double loss_up, loss_down;
	public ulong corrections, sent, received, agreed, disagreed;
	public int quality, reserved;
}

/// A player's end of a match, as backstep.h describes it. It belongs to one thread at a time.
public sealed class Backstep : IDisposable
{
	const string library = "game"; // libgame.so, game.dll, libgame.dylib
	const int version = 2;         // BS_VERSION

	[DllImport(library)] static extern int bs_version();
	[DllImport(library)] static extern UIntPtr bs_input_size();
	[DllImport(library)] static extern UIntPtr bs_self_size();
	[DllImport(library)] static extern uint bs_connect(byte[] address, ref bs_config config);
	[DllImport(library)] static extern bs_phase bs_frame(uint client, ref game_input input, out game_self self, out bs_view view);
	[DllImport(library)] static extern int bs_remotes(uint client, [Out] bs_entity[] into, int capacity);
	[DllImport(library)] static extern int bs_entities(uint client, [Out] bs_entity[] into, int capacity);
	[DllImport(library)] static extern int bs_movers(uint client, [Out] bs_transform[] into, int capacity);
	[DllImport(library)] static extern int bs_field(uint client, byte[] name);
	[DllImport(library)] static extern long bs_number(uint client, uint id, int field);
	[DllImport(library)] static extern UIntPtr bs_text(uint client, uint id, int field, [Out] byte[] into, UIntPtr capacity);
	[DllImport(library)] static extern int bs_next_event(uint client, out bs_event told);
	[DllImport(library)] static extern int bs_send(uint client, byte[] data, UIntPtr length);
	[DllImport(library)] static extern double bs_sweep(uint client, bs_vec3 from, bs_vec3 delta, double radius);
	[DllImport(library)] static extern void bs_get_stats(uint client, out bs_stats stats);
	[DllImport(library)] static extern UIntPtr bs_key(uint client, [Out] byte[] into, UIntPtr capacity);
	[DllImport(library)] static extern UIntPtr bs_error(uint client, [Out] byte[] into, UIntPtr capacity);
	[DllImport(library)] static extern void bs_close(uint client);

	readonly uint client;
	readonly byte[] text = new byte[512];

	/// What the last frame shows: the player's own state, where it is drawn, and all others.
	public game_self Self;
	public bs_view View;
	public bs_entity[] Remotes = new bs_entity[128], Entities = new bs_entity[256];
	public bs_transform[] Movers = new bs_transform[256];
	public int RemoteCount, EntityCount, MoverCount;

	/// Joins a match of the server at an address. It returns at once: Frame says how far it has got.
	public Backstep(string address, string name, string match = null, string key = null, string token = null, string options = null)
	{
		if (bs_version() != version || (int)bs_input_size() != Marshal.SizeOf(typeof(game_input)) || (int)bs_self_size() != Marshal.SizeOf(typeof(game_self)))
			throw new InvalidOperationException("the library, Backstep.cs and Game.cs are of different builds: build them anew");
		var config = new bs_config { name = Pointer(name), match = Pointer(match), key = Pointer(key), token = Pointer(token), options = Pointer(options) };
		client = bs_connect(Utf8(address), ref config);
		Marshal.FreeHGlobal(config.name);
		Marshal.FreeHGlobal(config.match);
		Marshal.FreeHGlobal(config.key);
		Marshal.FreeHGlobal(config.token);
		Marshal.FreeHGlobal(config.options);
	}

	/// One drawn frame: moves the player by its input, and fills what there is to draw.
	public bs_phase Frame(ref game_input input)
	{
		var phase = bs_frame(client, ref input, out Self, out View);
		RemoteCount = Math.Min(bs_remotes(client, Remotes, Remotes.Length), Remotes.Length);
		EntityCount = Math.Min(bs_entities(client, Entities, Entities.Length), Entities.Length);
		MoverCount = Math.Min(bs_movers(client, Movers, Movers.Length), Movers.Length);
		return phase;
	}

	/// The next of what has happened since the frame before; false after the last.
	public bool NextEvent(out bs_event told) { return bs_next_event(client, out told) == 1; }

	/// A number or a text that the game declares, of a player, an entity, or with id 0 of the match.
	public long Number(uint id, string field) { return bs_number(client, id, bs_field(client, Utf8(field))); }
	public string Text(uint id, string field) { return Read(bs_text(client, id, bs_field(client, Utf8(field)), text, (UIntPtr)text.Length)); }

	/// Sends a message to the game on the server; false if it does not play, or the message is too long.
	public bool Send(byte[] message) { return bs_send(client, message, (UIntPtr)message.Length) == 1; }

	/// The share of the way that a ball gets through the level: for cameras.
	public double Sweep(bs_vec3 from, bs_vec3 delta, double radius) { return bs_sweep(client, from, delta, radius); }

	public bs_stats Stats { get { bs_stats s; bs_get_stats(client, out s); return s; } }
	public string Key { get { return Read(bs_key(client, text, (UIntPtr)text.Length)); } }
	public string Error { get { return Read(bs_error(client, text, (UIntPtr)text.Length)); } }

	/// Leaves the match.
	public void Dispose() { bs_close(client); }

	string Read(UIntPtr length) { return Encoding.UTF8.GetString(text, 0, (int)length); }

	static byte[] Utf8(string s) { return Encoding.UTF8.GetBytes(s + "\0"); }

	static IntPtr Pointer(string s)
	{
		if (s == null)
			return IntPtr.Zero;
		var bytes = Utf8(s);
		var at = Marshal.AllocHGlobal(bytes.Length);
		Marshal.Copy(bytes, 0, at, bytes.Length);
		return at;
	}
}
