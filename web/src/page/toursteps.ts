// The steps of the guided tour: data alone.
import { ALL_ON, type Netcode } from "./network";
import type { PictureName } from "./tourpictures";

/** What the player does in a step while the visitor does nothing, and what is measured. */
export type Activity = "move" | "watch" | "shoot";

/** One step. */
export interface TourStep {
  title: string;
  sentence: string;
  picture: PictureName;
  netcode: Readonly<Netcode>;
  activity: Activity;
}

/** How long each step lasts, seconds. */
export const STEP_TIME = 4.5;

/** The lag of the tour in each direction: 150 ms there and back, not quite evenly. */
export const TOUR_LAG = { latency: 65, jitter: 20, loss: 0 };

export const STEPS: readonly TourStep[] = [
  { title: "150 ms are added", sentence: "Your packets now take as long as to another continent. Everything is on: you hardly notice.", picture: "delay", netcode: ALL_ON, activity: "move" },
  { title: "Prediction off", sentence: "Each key travels to the server and back before you move.", picture: "waits", netcode: { ...ALL_ON, prediction: false }, activity: "move" },
  { title: "Prediction on", sentence: "You move at once, and the server agrees a moment later.", picture: "predicts", netcode: ALL_ON, activity: "move" },
  { title: "Interpolation off", sentence: "Others jump from one snapshot to the next, whenever one arrives.", picture: "newest", netcode: { ...ALL_ON, interpolation: false }, activity: "watch" },
  { title: "Interpolation on", sentence: "Others are drawn a moment ago, between two snapshots, so they glide.", picture: "between", netcode: ALL_ON, activity: "watch" },
  { title: "Lag compensation off", sentence: "The server judges your shots at its present: clean hits miss.", picture: "present", netcode: { ...ALL_ON, lagCompensation: false }, activity: "shoot" },
  { title: "Lag compensation on", sentence: "The server goes back to what you saw: what you hit counts.", picture: "rewound", netcode: ALL_ON, activity: "shoot" },
];
