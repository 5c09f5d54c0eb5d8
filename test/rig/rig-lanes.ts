import type { DockerRegistry } from '../conformance/docker-registry.js';
import type { ObservedEnd } from './observed-end.js';
import { Rig } from './rig.js';
import { applyWanted, cleanUp, settled } from './rig-run.js';
import type { UniverseCase } from './universe-cases.js';

/**
 * Clusters of one release that run in parallel. Each takes the next cases that share a Lock,
 * observes them, and removes them again, which is faster than a new cluster.
 */
export class RigLanes {
  readonly #release: string;
  readonly #registry: DockerRegistry;
  readonly #rigs: (Rig | undefined)[];

  constructor(release: string, registry: DockerRegistry, count: number) {
    this.#release = release;
    this.#registry = registry;
    this.#rigs = Array.from({ length: count }, () => undefined);
  }

  /** Returns the results of all cases; the cases of a share run together in one cluster. */
  async run(
    shares: readonly (readonly UniverseCase[])[],
  ): Promise<ReadonlyMap<string, ObservedEnd>> {
    const seen = new Map<string, ObservedEnd>();
    const waiting = [...shares];
    const lane = async (_: unknown, at: number) => {
      for (let share = waiting.shift(); share !== undefined; share = waiting.shift()) {
        for (const [id, end] of await this.#runShare(at, share)) seen.set(id, end);
        process.stderr.write(
          `${this.#release}: ${seen.size} seen, ${waiting.length} shares wait\n`,
        );
      }
    };
    await Promise.all(this.#rigs.map(lane));
    return seen;
  }

  async close(): Promise<void> {
    for (const rig of this.#rigs) await rig?.down();
  }

  async #runShare(
    at: number,
    share: readonly UniverseCase[],
  ): Promise<ReadonlyMap<string, ObservedEnd>> {
    for (const { scenario } of share) await scenario.publish(this.#registry);
    this.#registry.forget();
    const rig = (this.#rigs[at] ??= await Rig.up(this.#release));
    await Promise.all(share.map(({ objects }) => applyWanted(rig.api, objects)));
    const seen = await settled(rig.api, share);
    await cleanUp(
      rig.api,
      share.map(({ id }) => id),
    );
    return seen;
  }
}
