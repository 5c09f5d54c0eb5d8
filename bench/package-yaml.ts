import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { markdown, quantile } from './markdown.js';
import { measuredRun, type Run } from './scale.js';
import { sharedFolder } from './shared-folder.js';

const RUNS = 5;
const READER = new URL('../src/crossplane/package-yaml/read-package-yaml.js', import.meta.url).href;

/**
 * Both read a file in pieces of 256 kB and decompress them; one also determines what the package
 * owns.
 */
const UNPACKED = `
const { createReadStream } = await import('node:fs');
const { createGunzip } = await import('node:zlib');
const size = 256 * 1024;
const file = createReadStream(process.argv[1], { highWaterMark: size });
const unpacked = file.pipe(createGunzip({ chunkSize: size }));
`;
const BARE = `${UNPACKED}
let bytes = 0;
for await (const piece of unpacked) bytes += piece.length;
console.log(bytes);
`;
const OURS = `${UNPACKED}
const { readPackageYaml } = await import(process.argv[2]);
console.log((await readPackageYaml(unpacked)).objects.length);
`;

/** Measures reading the largest package.yaml as a multiple of decompressing it. */
export async function packageYaml(): Promise<string> {
  const folder = sharedFolder('data', 'packages');
  if (!existsSync(folder)) return 'No packages beside the checkout.\n';
  const size = (name: string) => statSync(join(folder, name)).size;
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml.gz'));
  const largest = files.sort((a, b) => size(b) - size(a))[0]!;
  const bare: Run[] = [];
  const ours: Run[] = [];
  for (let i = 0; i < RUNS; i++) {
    for (const [program, runs] of [
      [BARE, bare],
      [OURS, ours],
    ] as const) {
      const args = ['--input-type=module', '-e', program, join(folder, largest), READER];
      runs.push(measuredRun(args, folder));
    }
  }
  const [least, taken] = [median(bare, 'seconds'), median(ours, 'seconds')];
  return markdown([
    ['package.yaml', 'MB', 'objects', 'gunzip s', 'read s', 'read ÷ gunzip', 'peak MB'],
    [
      largest,
      Math.round(Number(bare[0]!.output) / 1e6),
      Number(ours[0]!.output),
      least.toFixed(2),
      taken.toFixed(2),
      `${(taken / least).toFixed(1)} ×`,
      Math.round(median(ours, 'megabytes')),
    ],
  ]);
}

function median(runs: readonly Run[], of: 'seconds' | 'megabytes'): number {
  return quantile(
    runs.map((run) => run[of]),
    0.5,
  );
}
