import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTar } from '../../src/oci/archive/tar-reader.js';
import { decompressLayer } from '../../src/oci/archive/unpack.js';
import { SourceError } from '../../src/base/errors.js';
import { seededDraw, type Draw } from '../../src/base/collections.js';
import { recordFigure } from '../support/figures.js';
import { mutatedLayer, mutatedTar } from '../support/mutated-tars.js';
import { askReaders } from './readers.js';
import { table } from './table.js';

const TARS = 100_000;
const LAYERS = 10_000;
const BATCH = 5_000;
const SEED = 20_261_116;

/** The result of Go's libraries. */
interface GoLayer {
  readonly files: readonly {
    readonly name: string;
    readonly size: number;
    readonly sha256: string;
  }[];
  readonly error?: string;
}

let folder: string;
let written: Buffer[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'xpkg-layers-'));
  written = writtenByArchivers(folder);
});

afterAll(() => rmSync(folder, { recursive: true }));

test('reads tars of GNU tar, bsdtar and Python like Go', async () => {
  const answers = askReaders<GoLayer>('layer', written);
  for (const [i, tar] of written.entries()) {
    expect(answers[i]!.error).toBeUndefined();
    expect(await read(tar)).toEqual(inOurWords(answers[i]!));
  }
});

test(`reads none of ${TARS} mutated tars differently from Go`, async () => {
  const counts = await compare(TARS, (draw) => mutatedTar(pick(written, draw), draw));
  process.stdout.write(
    table([
      ['mutated tars', 'read alike', 'refused by both', 'refused by us alone', 'read otherwise'],
      [TARS, counts.alike, counts.bothRefuse, counts.weRefuse, counts.otherwise.length],
    ]),
  );
  recordFigure('tars compared with Go', { tried: TARS, violations: counts.otherwise.length });
  expect(counts.otherwise).toEqual([]);
  expect(counts.alike).toBeGreaterThan(TARS / 4);
  expect(counts.weRefuse).toBeLessThan(TARS / 10);
});

test(`reads none of ${LAYERS} mutated gzip and zstd layers differently from Go`, async () => {
  const packed = written.flatMap((tar) => [gzipSync(tar), zstd(tar)]);
  const counts = await compare(LAYERS, (draw) => mutatedLayer(pick(packed, draw), draw));
  process.stdout.write(
    table([
      ['mutated layers', 'read alike', 'refused by both', 'refused by us alone', 'read otherwise'],
      [LAYERS, counts.alike, counts.bothRefuse, counts.weRefuse, counts.otherwise.length],
    ]),
  );
  recordFigure('gzip and zstd layers compared with Go', {
    tried: LAYERS,
    violations: counts.otherwise.length,
  });
  expect(counts.otherwise).toEqual([]);
  expect(counts.alike).toBeGreaterThan(LAYERS / 20);
});

interface Counts {
  alike: number;
  bothRefuse: number;
  weRefuse: number;
  /** In hex, so that a failure can be inspected. */
  readonly otherwise: string[];
}

async function compare(count: number, make: (draw: Draw) => Uint8Array): Promise<Counts> {
  const counts: Counts = { alike: 0, bothRefuse: 0, weRefuse: 0, otherwise: [] };
  for (let from = 0; from < count; from += BATCH) {
    const inputs = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) =>
      make(seededDraw(SEED + from + i)),
    );
    const answers = askReaders<GoLayer>('layer', inputs);
    for (const [i, input] of inputs.entries()) await countOne(input, answers[i]!, counts);
  }
  return counts;
}

async function countOne(input: Uint8Array, go: GoLayer, counts: Counts): Promise<void> {
  const ours = await read(input);
  if (ours === 'refused') {
    if (go.error === undefined) counts.weRefuse++;
    else counts.bothRefuse++;
  } else if (go.error === undefined && JSON.stringify(ours) === JSON.stringify(inOurWords(go))) {
    counts.alike++;
  } else {
    counts.otherwise.push(`${go.error}: ${Buffer.from(input).toString('hex')}`);
  }
}

type Files = readonly (readonly [name: string, size: number, sha256: string])[];

async function* one(layer: Uint8Array): AsyncGenerator<Uint8Array> {
  yield layer;
}

async function read(layer: Uint8Array): Promise<Files | 'refused'> {
  const files: [string, number, string][] = [];
  try {
    for await (const { name, content } of readTar(
      decompressLayer({ chunks: one(layer), size: layer.length }, 'x'),
      'x',
    )) {
      const sum = createHash('sha256');
      let size = 0;
      for await (const chunk of content) {
        sum.update(chunk);
        size += chunk.length;
      }
      files.push([name, size, sum.digest('base64')]);
    }
    return files;
  } catch (error) {
    if (error instanceof SourceError) return 'refused';
    throw error;
  }
}

function inOurWords({ files }: GoLayer): Files {
  return files.map(({ name, size, sha256 }) => [
    decoded(Buffer.from(name, 'base64')),
    size,
    sha256,
  ]);
}

function decoded(name: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    return name.toString('latin1');
  }
}

function pick<T>(from: readonly T[], draw: Draw): T {
  return from[draw(from.length)]!;
}

function writtenByArchivers(at: string): Buffer[] {
  const long = 'n'.repeat(120);
  const deep = join('d'.repeat(90), 'e'.repeat(90));
  mkdirSync(join(at, 'folder/sub'), { recursive: true });
  mkdirSync(join(at, deep), { recursive: true });
  writeFileSync(join(at, 'package.yaml'), 'apiVersion: v1\nkind: X\n');
  writeFileSync(join(at, 'folder/sub/file'), 'y'.repeat(700));
  writeFileSync(join(at, long), 'long');
  writeFileSync(join(at, deep, 'ü.txt'), 'u');
  symlinkSync('package.yaml', join(at, 'link'));
  linkSync(join(at, 'package.yaml'), join(at, 'hard'));
  run('mkfifo', ['pipe'], at);
  const plain = ['package.yaml', 'folder', 'link', 'hard', 'pipe'];
  const all = [...plain, long, 'd'.repeat(90)];
  return [
    ...['gnu', 'oldgnu', 'posix'].map((f) => run('tar', [`--format=${f}`, '-cf', '-', ...all], at)),
    ...['ustar', 'v7'].map((f) =>
      run('tar', [`--format=${f}`, '-cf', '-', ...plain.slice(0, 4)], at),
    ),
    ...['gnutar', 'pax', 'ustar'].map((f) =>
      run('bsdtar', [`--format=${f}`, '-cf', '-', ...(f === 'ustar' ? plain : all)], at),
    ),
    ...['GNU', 'PAX', 'USTAR'].map((f) => run('python3', ['-c', PYTHON, f, ...plain], at)),
  ];
}

const PYTHON = `
import sys, tarfile
form = getattr(tarfile, sys.argv[1] + '_FORMAT')
extra = {'comment': 'x', 'path': 'no/such/file'} if sys.argv[1] == 'PAX' else None
with tarfile.open(fileobj=sys.stdout.buffer, mode='w|', format=form, pax_headers=extra) as tar:
    for name in sys.argv[2:]:
        tar.add(name)
`;

function zstd(bytes: Uint8Array): Buffer {
  return run('zstd', ['-q', '-c'], '.', bytes);
}

function run(program: string, args: readonly string[], cwd: string, input?: Uint8Array): Buffer {
  const ran = spawnSync(program, args, { cwd, maxBuffer: 2 ** 26, ...(input && { input }) });
  if (ran.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: ${ran.stderr?.toString() ?? ran.error}`);
  return ran.stdout;
}
