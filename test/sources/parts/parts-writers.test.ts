import { assert, asyncProperty, double, infiniteStream } from 'fast-check';
import { expect, test } from 'vitest';
import type { Artifact, PushOptions } from '../../../src/image/artifact.js';
import type { ImageRepository } from '../../../src/image/image-repository.js';
import { parseReference } from '../../../src/model/reference.js';
import { SourceError } from '../../../src/model/source-error.js';
import type { Clock } from '../../../src/model/time/clock.js';
import { changedParts, heldInParts, partsOf } from '../../../src/sources/parts/held-index.js';
import { partsArtifact } from '../../../src/sources/parts/parts-artifact.js';
import { registryPlace } from '../../../src/sources/parts/parts-place.js';
import { publishChanged } from '../../../src/sources/parts/publish-parts.js';
import type { Registries } from '../../../src/sources/registry/open-registries.js';
import type { Digest } from '../../../src/text/digest.js';

const WRITERS = 5;
/** One way of a request. From a look to the tag there are three: less than others wait. */
const MAX_MS = 600;

/** Time that passes when all there is waits for it. */
class MadeUpTime implements Clock {
  readonly #waiting: { readonly at: number; readonly wake: () => void }[] = [];
  readonly #draw: () => number;
  #now = 0;

  constructor(draw: () => number) {
    this.#draw = draw;
  }

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.#draw();
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => {
      this.#waiting.push({ at: this.#now + milliseconds, wake });
      this.#waiting.sort((a, b) => a.at - b.at);
    });
  }

  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => {});
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = isDone ? undefined : this.#waiting.shift();
      if (next === undefined) return work;
      this.#now = next.at;
      next.wake();
    }
  }
}

/** One tag at a registry that every request takes a while to get to, and every answer to come back. */
class FarTag {
  readonly #bytes = new Map<string, Uint8Array>();
  readonly #time: MadeUpTime;
  #tag: Digest;

  constructor(time: MadeUpTime, first: Artifact) {
    this.#time = time;
    this.#tag = first.manifest.digest;
    this.#keep(first);
  }

  get images(): ImageRepository {
    const manifest = (reference: string) => {
      const digest = reference === 'v1' ? this.#tag : (reference as Digest);
      return { digest, bytes: this.#bytes.get(digest)! };
    };
    return {
      name: 'registry.example.test/team/index',
      tags: async () => ['v1'],
      manifest: async (reference) =>
        reference === 'v1' ? this.#far(() => manifest(reference)) : manifest(reference),
      pointsAt: (_tag, digest) => this.#far(() => this.#tag === digest),
      blob: async ({ digest }) => this.#bytes.get(digest),
    };
  }

  get registries(): Pick<Registries, 'repository' | 'push'> {
    return {
      repository: () => this.images,
      push: async (_reference, artifact, { before = async () => true }: PushOptions = {}) => {
        this.#keep(artifact);
        if (!(await before())) return false;
        await this.#far(() => (this.#tag = artifact.manifest.digest));
        return true;
      },
    };
  }

  async #far<T>(serve: () => T): Promise<T> {
    await this.#time.sleep(this.#time.random() * MAX_MS);
    const answer = serve();
    await this.#time.sleep(this.#time.random() * MAX_MS);
    return answer;
  }

  #keep({ manifest, manifests = [], blobs }: Artifact): void {
    for (const each of [...manifests, manifest]) this.#bytes.set(each.digest, each.bytes);
    for (const [digest, bytes] of blobs) this.#bytes.set(digest, bytes);
  }
}

const entry = { kind: 'Provider', versions: { 'v1.0.0': {} } };
const nameOf = (writer: number) => `h.io/acme/p${writer}`;

test('of writers at the same time, none that ends well has lost its work', async () => {
  await assert(
    asyncProperty(infiniteStream(double({ min: 0, max: 0.999, noNaN: true })), async (draws) => {
      const time = new MadeUpTime(() => draws.next().value);
      const first = partsArtifact(await partsOf({ packages: { 'h.io/acme/first': entry } }));
      const far = new FarTag(time, first);
      const place = () =>
        // Nothing else of registries is asked.
        registryPlace(
          far.registries as Registries,
          parseReference('h.io/team/index:v1')!,
          'it',
          time,
        );
      const write = async (writer: number) => {
        await time.sleep(time.random() * MAX_MS);
        const repository = nameOf(writer);
        await publishChanged(
          place(),
          async (before) => {
            const held = await heldInParts(before!).package(repository);
            const change = { repository, before: held, after: entry };
            return changedParts(before!, held === undefined ? [change] : []);
          },
          { note: () => {} },
        );
        return repository;
      };
      const all = Array.from({ length: WRITERS }, (_, writer) => write(writer));
      const ends = await time.until(Promise.allSettled(all));
      const standing = await time.until(place().current());
      const listed = await (await standing!.snapshot())!.repositories();
      for (const end of ends) {
        if (end.status === 'fulfilled') expect(listed).toContain(end.value);
        else expect(end.reason).toBeInstanceOf(SourceError);
      }
      expect(listed.length).toBeGreaterThan(1);
    }),
    { numRuns: 40 },
  );
});
