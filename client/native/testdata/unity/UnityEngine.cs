// As much of UnityEngine as the skeleton needs to be compiled without the engine.
namespace UnityEngine
{
	public struct Vector3 { public Vector3(float x, float y, float z) { } }
	public struct Quaternion
	{
		public Quaternion(float x, float y, float z, float w) { }
		public static Quaternion Euler(float x, float y, float z) { return new Quaternion(); }
		public static Quaternion operator *(Quaternion a, Quaternion b) { return a; }
	}
	public static class Mathf { public const float Rad2Deg = 57.29578f; public static float Clamp(float v, float min, float max) { return v; } }
	public static class Input { public static float GetAxis(string name) { return 0; } public static bool GetButton(string name) { return false; } }
	public static class Debug { public static void LogError(object message) { } }
	public class Object { public static T Instantiate<T>(T original) where T : Object { return original; } public static void Destroy(Object o) { } }
	public class Component : Object { public Transform transform; }
	public class Transform : Component { public Vector3 position; public Quaternion rotation; }
	public class Behaviour : Component { public bool enabled; }
	public class MonoBehaviour : Behaviour { }
	public class GameObject : Object { public Transform transform; }
	public class Camera : Behaviour { }
}
