export interface RoadName {}
const road = "split unsure";
