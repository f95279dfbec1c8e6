// A skeleton of a Unity client: put it on an empty object, and give it a prefab for players and one for
// what the game puts into the match. Backstep moves everything; Unity only draws. Unity is left-handed with
// +Z ahead, Backstep right-handed with -Z ahead: z changes its sign, and with it each rotation.
using System.Collections.Generic;
using UnityEngine;

public class BackstepPlayer : MonoBehaviour
{
	public string address = "http://localhost:8080", playerName = "Ada";
	public GameObject playerPrefab, entityPrefab;
	public Camera view;

	Backstep client;
	readonly Dictionary<uint, GameObject> drawn = new Dictionary<uint, GameObject>();
	readonly HashSet<uint> seen = new HashSet<uint>();
	float yaw, pitch;

	void Start() { client = new Backstep(address, playerName); }

	void OnDestroy() { client.Dispose(); }

	void Update()
	{
		yaw -= 0.03f * Input.GetAxis("Mouse X");
		pitch = Mathf.Clamp(pitch + 0.03f * Input.GetAxis("Mouse Y"), -1.5f, 1.5f);
		var input = new game_input
		{
			forward = Input.GetAxis("Vertical"), right = Input.GetAxis("Horizontal"), yaw = yaw, pitch = pitch,
			jump = (byte)(Input.GetButton("Jump") ? 1 : 0),
		};
		input.claim.fire = (byte)(Input.GetButton("Fire1") ? 1 : 0); // of a game that shoots
		if (client.Frame(ref input) == bs_phase.Ended)
		{
			Debug.LogError(client.Error);
			enabled = false;
			return;
		}
		bs_event told;
		while (client.NextEvent(out told))
			OnEvent(told);
		seen.Clear();
		for (int i = 0; i < client.RemoteCount; i++)
			Place(client.Remotes[i], playerPrefab, Heading(client.Remotes[i].yaw));
		for (int i = 0; i < client.EntityCount; i++)
			Place(client.Entities[i], entityPrefab, Rotation(client.Entities[i].rotation));
		foreach (var id in new List<uint>(drawn.Keys))
			if (!seen.Contains(id))
			{
				Destroy(drawn[id]);
				drawn.Remove(id);
			}
		view.transform.position = Position(client.View.eye);
		view.transform.rotation = Heading(yaw) * Quaternion.Euler(-pitch * Mathf.Rad2Deg, 0, 0);
	}

	// Place moves the object of an entity, and makes it when it comes.
	void Place(bs_entity e, GameObject prefab, Quaternion rotation)
	{
		GameObject thing;
		if (!drawn.TryGetValue(e.id, out thing))
			drawn[e.id] = thing = Instantiate(prefab);
		seen.Add(e.id);
		thing.transform.position = Position(e.position);
		thing.transform.rotation = rotation;
	}

	// OnEvent is for sounds and effects.
	void OnEvent(bs_event e) { }

	static Vector3 Position(bs_vec3 v) { return new Vector3((float)v.x, (float)v.y, -(float)v.z); }
	static Quaternion Rotation(bs_quat q) { return new Quaternion(-(float)q.x, -(float)q.y, (float)q.z, (float)q.w); }
	static Quaternion Heading(double yaw) { return Quaternion.Euler(0, -(float)yaw * Mathf.Rad2Deg, 0); }
}
