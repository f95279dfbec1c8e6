// What matches draw besides the level and their lines. Start at Models.
import * as THREE from "three";
import { Characters, type Appearance } from "./characters";
import { Effects } from "./effects";
import { EntityModels } from "./entities";
import { Ropes } from "./ropes";
import type { Scenery, Sweep } from "@backstep/three/parts";
import { ViewModel } from "./viewmodel";

/** Longer than any effect lasts, seconds. */
const LONGER = 60;

/** The models of a page. They are made once, while the files of its first match are on the way: making them, and
 * compiling their shaders, takes long enough to delay the first picture. */
export class Models {
  readonly characters: Characters;
  readonly entities = new EntityModels();
  readonly effects: Effects;
  readonly viewModel = new ViewModel();
  readonly ropes = new Ropes();

  /** lit says whether the level's materials take light. */
  constructor(private readonly stage: Scenery, lit: boolean) {
    this.characters = new Characters({ name: () => "", colour: () => new THREE.Color(), weaponModel: () => "rifle" });
    this.effects = new Effects(() => 1, lit);
    const group = new THREE.Group();
    group.add(this.characters.group, this.entities.group, this.effects.group, this.ropes.mesh);
    stage.scene.add(group);
    stage.camera.add(this.viewModel.group);
  }

  /** Shows a match from now on: how its players look, and where its level is. */
  begin(appearance: Appearance, sweep: Sweep): void {
    this.characters.appearance = appearance;
    this.effects.sweep = sweep;
  }

  /** Shows nothing, until the next match does. */
  clear(): void {
    this.characters.show([], [], 0, this.stage.camera.position);
    this.entities.show([], 0);
    this.effects.advance(LONGER, this.stage.camera);
    this.ropes.clear();
    this.viewModel.group.visible = false;
  }
}
