import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../src/commands.js';
import { SourceReader } from '../../src/resolver/driver/source-reader.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { openIndex } from '../../src/sources/index/index-source.js';
import { outdated } from '../../src/features/update/outdated.js';
import { resolve, update } from '../../src/resolver/resolve/resolve.js';
import { fakeIo } from '../support/fake-io.js';
import { followAdvice } from '../support/follow-advice.js';
import { requestFor } from '../support/requests.js';
import { olderSets, shuffled } from './older-sets.js';
import { shared } from './shared.js';

const U = 'xpkg.upbound.io/upbound';
const PLATFORMS = [
  `${U}/platform-ref-aws`,
  `${U}/platform-ref-azure`,
  `${U}/platform-ref-gcp`,
  `${U}/configuration-app`,
];

test.each([
  { prefer: 'newest', why: 'every package that could be updated is up to date' },
  { prefer: 'lowest', why: 'nearly all packages can be updated' },
] as const)(
  'four platforms at `*`, locked at the $prefer: what fits is what update locks ($why)',
  async ({ prefer }) => {
    const source = SourceReader.of(await openIndex(shared('data/corpus/universe.index.json.gz')));
    const request = requestFor(Object.fromEntries(PLATFORMS.map((each) => [each, '*'])));
    const options = { source, crossplane: 'v1.20.0' };
    const answer = await resolve(request, { ...options, prefer });
    if (answer.status !== 'solved') throw new Error(answer.status);
    const { lockfile } = answer;
    const { packages } = await outdated(lockfile, request, options);
    for (const { repository, version, fits, newest, heldBy } of packages) {
      const moved = await update(request, [{ repository }], { ...options, lockfile });
      const after = moved.status === 'solved' ? moved.lockfile.packages : [];
      expect(after.find((one) => one.repository === repository)?.version).toBe(fits);
      expect(heldBy === undefined).toBe(fits === newest);
      if (prefer === 'newest') expect(fits).toBe(version);
    }
  },
);

const INDEX = shared('data/corpus/universe.index.json.gz');

/** Forty packages in which most versions are held back. */
const FORTY = [
  `${U}/platform-ref-aws@v1.6.0`,
  `${U}/configuration-azure-aks@<v1.0.0`,
  `${U}/configuration-gcp-gke@<v1.0.0`,
  `${U}/configuration-azure-database@<v1.0.0`,
  `${U}/configuration-gcp-database@<v1.0.0`,
  `${U}/configuration-dbaas@^v0.6.0`,
  `${U}/provider-aws-sqs@^v1.20.0`,
  `${U}/provider-aws-sns@^v1.20.0`,
  `${U}/provider-aws-dynamodb@^v1.20.0`,
];

test('a large set: all commands name the real cause, and following the advice works', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
  const sources = ['--from', `index:${INDEX}`, '--offline', '--allow-undigested'];
  const run = async (...args: string[]) => {
    const io = fakeIo({ cwd: folder });
    const code = await runCli([...args, ...sources], io);
    return { code, text: `${io.stdout()}${io.notes().join('\n')}`.replace(/\s+/g, ' ') };
  };
  try {
    const init = fakeIo({ cwd: folder });
    expect(await runCli(['init', '--crossplane', 'v1.20.0'], init)).toBe(0);
    const added = await run('add', ...FORTY);
    expect(added.code).toBe(0);
    const cause = `${U}/configuration-gcp-database v0.11.0, which requires ${U}/configuration-gcp-network \`v0.9.0\` (v0.11.2 requires \`v0.9.1\`)`;
    expect(added.text).toContain(cause);
    expect((await run('why', '--not', `${U}/configuration-gcp-gke@v0.11.2`)).text).toContain(cause);
    // The search for other versions of the roots uses its maximum number of steps.
    const other = `${U}/provider-azure-dbformysql`;
    const refused = await run('update', `${other}@v2.7.0`, '--no-write');
    expect(refused.text).toContain(`hint: override ${other} to \`v2.7.0\``);
    // Every fifth package, from the second; all of them with XPKG_CORPUS=all.
    const isAll = process.env['XPKG_CORPUS'] === 'all';
    const followed = await followAdvice(folder, sources, (packages) =>
      packages.filter((_, i) => isAll || i % 5 === 1),
    );
    expect(followed).toBeGreaterThan(3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('sets of the corpus with roots at older versions: following the advice works', async () => {
  const memory = SourceReader.of(await openIndex(INDEX));
  let followed = 0;
  for await (const { roots, draw } of olderSets(memory, targetFor('v1.20.0')!, 10)) {
    const refs = Object.entries(roots).map(([name, version]) => `${name}:${version}`);
    const folder = mkdtempSync(join(tmpdir(), 'xpkg-resolve-'));
    const sources = ['--from', `index:${INDEX}`, '--offline', '--allow-undigested'];
    try {
      expect(await runCli(['init', '--crossplane', 'v1.20.0'], fakeIo({ cwd: folder }))).toBe(0);
      const args = ['add', ...refs, ...sources];
      if (refs.length === 0 || (await runCli(args, fakeIo({ cwd: folder }))) !== 0) continue;
      followed += await followAdvice(folder, sources, (packages) =>
        shuffled(packages, draw).slice(0, 2),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  expect(followed).toBeGreaterThan(process.env['XPKG_CORPUS'] === 'all' ? 50 : 3);
});
