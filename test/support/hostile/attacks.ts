import { join } from 'node:path';
import { instead, on } from '../registry/faults.js';
import { BASE, packageImage } from '../registry/image.js';
import { Registry } from '../registry/registry.js';
import { HostileLayout } from './hostile-layout.js';
import { LARGE_FILES } from './large-files.js';
import * as layers from './hostile-layers.js';

const MIB = 2 ** 20;

/** An input that is built to use much memory or time within the size limits. */
export interface Attack {
  readonly name: string;
  prepare(folder: string, scale: number): Promise<PreparedAttack>;
}

export interface PreparedAttack {
  readonly argv: readonly string[];
  /** The file for standard input; undefined: no standard input. */
  readonly stdin?: string;
  stop?(): Promise<void>;
}

const INDEX = ['index', '--from', 'layout:layout', '--out', 'index.json'];

/** All attacks on memory and time. */
export const ATTACKS: readonly Attack[] = [
  ...LARGE_FILES,
  layerAttack('60,000 documents', (scale) =>
    layers.gzipped(layers.repeatedTar('apiVersion: v1\nkind: A\n---\n', 60_000 * 27 * scale)),
  ),
  layerAttack('long names of files', (scale) =>
    layers.gzipped(layers.namesTar(4_090 * scale, 4_096)),
  ),
  layerAttack('many files', (scale) => layers.gzipped(layers.namesTar(249_000 * scale, 60))),
  layerAttack('layers of 300 MB', (scale) => layers.zerosTar(300 * MIB * scale)),
  layerAttack('layers that unpack to 300 MB', (scale) =>
    layers.gzipped(layers.zerosTar(300 * MIB * scale)),
  ),
  layerAttack('zstd with a window of 32 MiB', (scale) =>
    layers.zstdRaw(layers.zerosTar(100 * MIB * scale), 100_000),
  ),
  layerAttack('zstd in blocks of one byte', (scale) =>
    layers.zstdRaw(layers.repeatedTar('a: b\n', 14 * MIB * scale, layers.META), 1),
  ),
  layerAttack('a list in brackets of 16 MiB', (scale) =>
    layers.gzipped(layers.repeatedTar('a,', 16 * MIB * scale - 100, `${layers.META}x: [`, ']\n')),
  ),
  layerAttack('one document of 200 MiB', (scale) =>
    layers.gzipped(layers.repeatedTar('a: bcdefgh\n', 199 * MIB * scale, layers.META)),
  ),
  layerAttack('one line of 200 MiB', (scale) =>
    layers.gzipped(layers.repeatedTar('abcdefgh', 199 * MIB * scale, layers.META)),
  ),
  {
    name: 'manifests of annotations',
    prepare: async (folder, scale) => {
      const layout = new HostileLayout(join(folder, 'layout'));
      const layer = await layout.blob(layers.textTar([layers.META]));
      const entries = Array.from({ length: 280_000 * scale }, (_, i) => [`${i}`, ''] as const);
      const annotations = { ...Object.fromEntries(entries), ...BASE };
      await layout.image('registry.example.test/a/p', eight(scale), [{ ...layer, annotations }]);
      await layout.finish();
      return { argv: INDEX };
    },
  },
  {
    name: '200,000 tags',
    prepare: async (_folder, scale) => {
      const tags = Array.from({ length: 200_000 * scale }, (_, i) => `v1.${i}.0`);
      const list = on('/tags/list', instead(JSON.stringify({ name: 'a/p', tags })));
      const registry = await new Registry({ faults: [list] }).start();
      registry.push('a/p', tags.at(-1), await packageImage(layers.META));
      const argv = ['resolve', `${registry.host}/a/p@>=v1.0.0`, '--crossplane', 'v2.3.4'];
      return { argv: [...argv, '--no-write'], stop: () => registry.stop() };
    },
  },
  {
    name: '60 repositories with 150,000 tags each',
    prepare: async (_folder, scale) => {
      const tags = Array.from({ length: 150_000 * scale }, (_, i) => `v1.${i}.0`);
      const list = on('/tags/list', instead(JSON.stringify({ tags })));
      const registry = await new Registry({ faults: [list] }).start();
      const image = await packageImage(layers.META);
      const names = Array.from({ length: 60 }, (_, i) => `a/p${i}`);
      for (const name of names) registry.push(name, tags.at(-1), image);
      const packages = names.map((name) => `${registry.host}/${name}@>=v1.0.0`);
      const argv = ['resolve', ...packages, '--crossplane', 'v2.3.4', '--no-write'];
      return { argv, stop: () => registry.stop() };
    },
  },
];

/** Eight versions; two at a small scale. */
function eight(scale: number): readonly string[] {
  return Array.from({ length: scale < 1 ? 2 : 8 }, (_, i) => `v1.0.${i}`);
}

/** Eight versions of a package with that base layer, which are read in parallel. */
function layerAttack(
  name: string,
  layer: (scale: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Attack {
  return {
    name,
    prepare: async (folder, scale) => {
      const layout = new HostileLayout(join(folder, 'layout'));
      await layout.package(layer(scale), eight(scale));
      await layout.finish();
      return { argv: INDEX };
    },
  };
}
