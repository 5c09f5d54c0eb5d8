import { text } from 'node:stream/consumers';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import type { TargetRules } from '../../../src/crossplane/releases/release-facts.js';
import { LIMITS, type Limits } from '../../../src/oci/image/limits.js';
import { locatePackage } from '../../../src/oci/image/locate-package.js';
import { readPackage, type ReadPackage } from '../../../src/oci/image/read-package.js';
import { BASE, layerOf, type Image, type TarEntry } from './image.js';
import { MemoryRepository } from './memory-repository.js';

export const OLD = targetFor('v1.20.0')!.rules;
export const V2 = targetFor('v2.0.0')!.rules;
export const NEW = targetFor('v2.3.4')!.rules;

export interface Outcome {
  readonly got: ReadPackage<string>;
  readonly asked: readonly string[];
}

/** Reads an image as a target would, and returns the blobs that were read. */
export async function reading(
  image: Image,
  rules: TargetRules = NEW,
  limits: Limits = LIMITS,
): Promise<Outcome> {
  const repository = new MemoryRepository(image);
  const located = await locatePackage(repository, 'v1', rules, limits);
  const got = await readPackage(repository, located!, rules, {
    read: async (stream) => (await text(stream)).slice(0, 200_000),
    limits,
  });
  return { got, asked: repository.asked };
}

/** Returns the content of its package.yaml, or undefined if the target rejects it. */
export async function contentOf(image: Image, rules?: TargetRules): Promise<string | undefined> {
  const { got } = await reading(image, rules);
  return got.status === 'read' ? got.value : undefined;
}

export function file(name: string, content = name): TarEntry {
  return { name, content };
}

export const marked = (...entries: TarEntry[]) => layerOf(entries, { annotations: BASE });
export const plain = (...entries: TarEntry[]) => layerOf(entries);
