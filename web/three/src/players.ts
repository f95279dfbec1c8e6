// The figures of all players, with their names. Start at Players.show.
import * as THREE from "three";
import type { Sweep } from "./camera.js";
import { ContactShadows } from "./contactshadows.js";
import { DefaultFigure, FigurePlacer, playerColour, removeFigure, type Figure, type FigureView } from "./figure.js";
import { NameTag } from "./nametag.js";
import type { DrawableRoots, Fields } from "./session.js";

/** A player, as figure, name and colour of the stage's options get it. */
export interface Player<G extends DrawableRoots> {
  /** The player's number. */
  readonly id: number;
  /** Whether it is the page's own player. */
  readonly own: boolean;
  /** What the game declares for others to read (Go: session.Game.Fields), in this frame. */
  readonly fields: PlayerFields<G>;
}

type PlayerFields<G extends DrawableRoots> = Fields<G["view"]["remotes"][number]>;

/** How a player is drawn in this frame. */
export interface PlayerView extends FigureView {
  id: number;
  /** The struct of the core that has the player's declared fields. */
  source: object;
  /** Whether it is not drawn now, and keeps its figure. */
  hidden?: boolean;
}

/** Options of Players, which are the stage's. */
export interface PlayerOptions<G extends DrawableRoots> {
  figure?: (player: Player<G>) => Figure;
  name?: (player: Player<G>) => string;
  colour?: (player: Player<G>) => THREE.ColorRepresentation;
}

const NAME_HEIGHT = 2.0; // metres above the feet

/** What is kept of a player between frames. */
interface Shown {
  figure: Figure;
  tag: NameTag;
  drawn: boolean;
  seen: number;
}

/** The figures of all players, by their numbers. */
export class Players<G extends DrawableRoots> {
  readonly group = new THREE.Group();
  private readonly shown = new Map<number, Shown>();
  private readonly placer = new FigurePlacer();
  private readonly shadows: ContactShadows;
  private frame = 0;

  constructor(private readonly options: PlayerOptions<G>, sweep: Sweep) {
    this.shadows = new ContactShadows(sweep);
    this.group.add(this.shadows.mesh);
  }

  /** Draws these players and no others, and takes those that are hidden out of the scene; eye is where the camera is. */
  show(views: readonly PlayerView[], eye: THREE.Vector3, dt: number): void {
    this.frame++;
    this.shadows.begin();
    for (const view of views) {
      const { hidden = false } = view;
      const shown = this.shown.get(view.id) ?? (hidden ? undefined : this.add(view));
      if (shown === undefined) continue;
      shown.seen = this.frame;
      if (shown.drawn === hidden) this.put(shown, !hidden);
      if (hidden) continue;
      this.placer.place(shown.figure, view, dt);
      this.shadows.add(view.position);
      shown.tag.rename(this.nameOf(view));
      shown.tag.place(view.position.x, view.position.y + NAME_HEIGHT, view.position.z, eye, !view.own && !view.dead, 1);
    }
    for (const [id, shown] of this.shown) if (shown.seen !== this.frame) this.remove(id, shown);
  }

  /** Returns the figure of a player that is drawn. */
  figure(id: number): Figure | undefined {
    const shown = this.shown.get(id);
    return shown?.drawn === true ? shown.figure : undefined;
  }

  /** Returns the name of a player that is drawn, or its number. */
  name(id: number): string {
    return this.shown.get(id)?.tag.text || `player ${id}`;
  }

  private nameOf(view: PlayerView): string {
    if (this.options.name !== undefined) return this.options.name(playerOf<G>(view));
    const { name } = (playerOf<G>(view).fields ?? {}) as { name?: unknown };
    return typeof name === "string" ? name : "";
  }

  private add(view: PlayerView): Shown {
    const player = playerOf<G>(view);
    const colour = new THREE.Color(this.options.colour?.(player) ?? playerColour(view.id));
    const figure: Figure = this.options.figure?.(player) ?? new DefaultFigure(colour);
    const tag = new NameTag("", colour);
    const shown = { figure, tag, drawn: false, seen: 0 };
    this.shown.set(view.id, shown);
    return shown;
  }

  /** Puts a figure into the scene, or takes it out and keeps it. */
  private put(shown: Shown, drawn: boolean): void {
    const { figure, tag } = shown;
    shown.drawn = drawn;
    if (drawn) this.group.add(figure, tag.sprite);
    else this.group.remove(figure, tag.sprite);
  }

  private remove(id: number, { figure, tag }: Shown): void {
    removeFigure(this.group, figure);
    this.group.remove(tag.sprite);
    tag.dispose();
    this.shown.delete(id);
  }
}

/** Returns a player as the page gets it. */
function playerOf<G extends DrawableRoots>({ id, own, source }: PlayerView): Player<G> {
  return { id, own, get fields() { return (source as { fields?: unknown }).fields as PlayerFields<G>; } };
}
