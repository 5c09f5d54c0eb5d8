import { assert, asyncProperty, double, infiniteStream } from 'fast-check';
import { expect, test } from 'vitest';
import type { Artifact, PushOptions } from '../../../src/oci/image/artifact.js';
import type { ImageRepository } from '../../../src/oci/image/image-repository.js';
import { parseReference } from '../../../src/crossplane/packages/reference.js';
import { SourceError } from '../../../src/base/errors.js';
import type { Clock } from '../../../src/base/time.js';
import {
  changedParts,
  buildParts,
  sparseIndexArtifact,
} from '../../../src/sources/sparse-index/index-parts.js';
import { registryLocation, publishChanges } from '../../../src/sources/sparse-index/publish.js';
import type { Registries } from '../../../src/sources/images/open-registries.js';
import type { Digest } from '../../../src/base/digest.js';

const WRITERS = 5;
/** One-way latency of a request. Reading and setting a tag takes three of these. */
const MAX_MS = 600;

/** Advances time when all pending work waits for it. */
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

/** A tag at a registry with latency for requests and responses. */
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
      push: async (
        _reference,
        artifact,
        { beforeTag: before = async () => true }: PushOptions = {},
      ) => {
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

test('with concurrent writers, no successful change is lost', async () => {
  await assert(
    asyncProperty(infiniteStream(double({ min: 0, max: 0.999, noNaN: true })), async (draws) => {
      const time = new MadeUpTime(() => draws.next().value);
      const first = sparseIndexArtifact(
        await buildParts({ packages: { 'h.io/acme/first': entry } }),
      );
      const far = new FarTag(time, first);
      const place = () =>
        // No other member of registries is used.
        registryLocation(
          far.registries as Registries,
          parseReference('h.io/team/index:v1')!,
          'it',
          time,
        );
      const write = async (writer: number) => {
        await time.sleep(time.random() * MAX_MS);
        const repository = nameOf(writer);
        await publishChanges(
          place(),
          async (before) => {
            const held = await before!.package(repository);
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
