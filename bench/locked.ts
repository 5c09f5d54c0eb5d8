import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BASE,
  imageOf,
  indexOf,
  layerOf,
  type Image,
  type Layer,
} from '../test/support/registry/image.js';
import { Registry, type Access } from '../test/support/registry/registry.js';
import { AnsweredInRounds } from './answered-in-rounds.js';
import { markdown } from './markdown.js';

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
/** Number of packages, each of which requires the next. */
const CHAIN = 8;

const IMAGES = ['one platform', 'two platforms'] as const;
type Images = (typeof IMAGES)[number];

/** Measures how often real requests wait for one another for a locked chain of packages. */
export async function locked(): Promise<string> {
  const rows: (readonly (string | number)[])[] = [];
  for (const mode of ['open', 'bearer'] as const) {
    for (const kind of IMAGES) rows.push(...(await measured({ mode }, kind)));
  }
  const head = ['command', 'registry', 'images', 'kept from before', 'requests', 'rounds'];
  return markdown([head, ...rows]);
}

async function measured(
  access: Access,
  images: Images,
): Promise<readonly (readonly (string | number)[])[]> {
  const rounds = new AnsweredInRounds();
  const server = await new Registry({ access, faults: [rounds.fault] }).start();
  const folder = await mkdtemp(join(tmpdir(), 'xpkg-bench-'));
  try {
    await publishChain(server, images);
    const root = `${server.host}/acme/c0@>=v1.0.0`;
    const told = async (args: readonly string[], cache: string) => {
      rounds.sizes.length = 0;
      await run([...args, '--from', 'registry', '--concurrency', '64'], folder, cache);
      const requests = rounds.sizes.reduce((sum, size) => sum + size, 0);
      return [requests, rounds.sizes.length] as const;
    };
    const kind = [access.mode === 'open' ? 'open' : 'with tokens', images] as const;
    return [
      ['`resolve`, no lockfile', ...kind, 'no', ...(await told(['resolve', root], 'a'))],
      ['`resolve --locked`', ...kind, 'no', ...(await told(['resolve', root, '--locked'], 'b'))],
      ['`resolve --locked`', ...kind, 'yes', ...(await told(['resolve', root, '--locked'], 'b'))],
      ['`verify`', ...kind, 'no', ...(await told(['verify', root], 'c'))],
    ];
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function publishChain(server: Registry, images: Images): Promise<void> {
  for (let i = 0; i < CHAIN; i++) {
    const next = { configuration: `${server.host}/acme/c${i + 1}`, version: '>=v1.0.0' };
    const meta = {
      apiVersion: 'meta.pkg.crossplane.io/v1',
      kind: 'Configuration',
      metadata: { name: `c${i}` },
      spec: { dependsOn: i + 1 < CHAIN ? [next] : [] },
    };
    const content = JSON.stringify(meta);
    const base = await layerOf([{ name: 'package.yaml', content }], { annotations: BASE });
    const image = images === 'one platform' ? imageOf([base]) : forTwoPlatforms(base);
    server.push(`acme/c${i}`, 'v1.0.0', image);
  }
}

/** Returns an index like that of `crossplane xpkg push`: its images share only the base layer. */
function forTwoPlatforms(base: Layer): Image {
  const children = ['amd64', 'arm64'].map((architecture) => ({
    image: imageOf([base], JSON.stringify({ architecture })),
    platform: { os: 'linux', architecture },
  }));
  return indexOf(children);
}

async function run(args: readonly string[], folder: string, cache: string): Promise<void> {
  const env = { ...process.env, HOME: folder, XDG_CACHE_HOME: join(folder, cache) };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env, stdio: 'ignore' });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
}
