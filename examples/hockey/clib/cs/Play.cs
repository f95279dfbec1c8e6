// Play joins a match of the hockey game and skates after the puck, in C#:
//
//	mono play.exe http://localhost:8080 Ada 10
using System;
using System.Threading;

static class Play
{
	static int Main(string[] args)
	{
		using (var client = new Backstep(args[0], args[1]))
		{
			var input = new game_input();
			bs_phase phase;
			int frames = 0, events = 0;
			bs_event told;
			while ((phase = client.Frame(ref input)) != bs_phase.Ended && frames < 60 * int.Parse(args[2]))
			{
				if (phase == bs_phase.Playing && client.View.placed == 1)
				{
					frames++;
					input = new game_input();
					if (client.EntityCount > 0) // the puck
					{
						bs_vec3 from = client.View.position, to = client.Entities[0].position;
						input.yaw = Math.Atan2(from.x - to.x, from.z - to.z);
						input.forward = 1;
						input.sprint = 1;
					}
				}
				for (; client.NextEvent(out told); events++) { }
				Thread.Sleep(16);
			}
			if (phase == bs_phase.Ended)
			{
				Console.Error.WriteLine(client.Error);
				return 1;
			}
			Console.WriteLine("{0} is player {1}: {2} frames, {3:F1} s of stamina", client.Text(client.View.id, "name"),
				client.View.id, frames, client.Self.stamina / 1e6);
			Console.WriteLine("{0} others, {1} events, {2} corrections", client.RemoteCount, events, client.Stats.corrections);
			return 0;
		}
	}
}
