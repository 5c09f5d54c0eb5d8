import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import type { JsonObject } from '../../src/base/json.js';
import { fakeIo } from '../support/fake-io.js';
import { recordFigure } from '../support/figures.js';
import { lockfileEdits } from '../support/lockfile-edits.js';

/** `npm run hostile` tests all edits; `npm test` tests every STRIDE-th one. */
const STRIDE = process.env['XPKG_HOSTILE_INPUTS'] === undefined ? 12 : 1;
const HOST = 'xpkg.example.org/acme';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

const PACKAGE_SET: JsonObject = {
  apiVersion: 'xpkg-resolve.dev/v1alpha1',
  kind: 'PackageSet',
  metadata: { name: 'set' },
  spec: {
    crossplane: 'v2.3.4',
    packages: [
      {
        provider: `${HOST}/p`,
        version: '>=v1.0.0',
        name: 'named',
        spec: { revisionHistoryLimit: 3 },
      },
      { crd: 'rs.q.example.org' },
    ],
    overrides: [{ package: `${HOST}/q`, version: 'v2.0.0' }],
    exclude: [{ package: `${HOST}/p`, version: 'v1.0.0' }],
    defaults: { spec: { packagePullPolicy: 'IfNotPresent' } },
    policy: {
      registries: ['xpkg.example.org'],
      deny: [{ package: `${HOST}/z`, version: '<v1.0.0', reason: 'old' }],
      minimumAge: '7d',
      minimumAgeExcept: [`${HOST}/z`],
    },
  },
};

const INDEX: JsonObject = {
  packages: {
    [`${HOST}/p`]: {
      kind: 'Provider',
      versions: {
        'v1.0.0': { digest: digest('1'), created: '2026-01-01T00:00:00Z' },
        'v1.1.0': {
          digest: digest('2'),
          created: '2026-01-02T00:00:00Z',
          firstSeen: '2026-01-03T00:00:00Z',
          crossplane: '>=v1.14.0',
          dependsOn: [{ provider: `${HOST}/q`, version: '>=v1.0.0' }],
          crds: ['rs.p.example.org'],
        },
      },
    },
    [`${HOST}/q`]: {
      kind: 'Provider',
      versions: {
        'v2.0.0': {
          digest: digest('3'),
          created: '2026-01-01T00:00:00Z',
          crds: ['rs.q.example.org'],
        },
      },
    },
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edited-inputs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(...argv: string[]) {
  const io = fakeIo({ cwd: folder, env: { SOURCE_DATE_EPOCH: '1795000000' } });
  const code = await runCli([...argv, '--from', 'index:i.json', '--offline'], io);
  return { code, notes: io.notes() };
}

/** Returns an error in the resolution of edited inputs, or undefined. */
async function violation(set: unknown, index: unknown): Promise<string | undefined> {
  for (const name of ['xpkg.lock.yaml', 'rendered'])
    rmSync(join(folder, name), { recursive: true, force: true });
  writeFileSync(join(folder, 'xpkg.yaml'), JSON.stringify(set));
  writeFileSync(join(folder, 'i.json'), JSON.stringify(index));
  const resolved = await run('resolve');
  if (resolved.code === EXIT.done) {
    const verified = await run('verify');
    if (verified.code === EXIT.done) return undefined;
    return `verify ends with ${verified.code}: ${verified.notes.join('\n')}`;
  }
  const expected: readonly number[] = [EXIT.badInput, EXIT.unsolvable, EXIT.sourceFailed];
  const hasMessage = resolved.notes.some((note) => /^error: \S/.test(note));
  if (expected.includes(resolved.code) && (resolved.code === EXIT.unsolvable || hasMessage))
    return undefined;
  return `resolve ends with ${resolved.code}: ${resolved.notes.join('\n')}`;
}

test('the unedited inputs can be resolved', async () => {
  expect(await violation(PACKAGE_SET, INDEX)).toBeUndefined();
  expect(await run('resolve')).toMatchObject({ code: EXIT.done });
});

test.each([
  {
    what: 'edits of xpkg.yaml, each resolved and verified or refused',
    document: PACKAGE_SET,
    tryIt: (edited: unknown) => violation(edited, INDEX),
  },
  {
    what: 'edits of an index, each resolved and verified or refused',
    document: INDEX,
    tryIt: (edited: unknown) => violation(PACKAGE_SET, edited),
  },
])('$what', async ({ what, document, tryIt }) => {
  const edits = lockfileEdits(document).filter((_, i) => i % STRIDE === 0);
  const violations: string[] = [];
  for (const edit of edits) {
    const found = await tryIt(edit.edited);
    if (found !== undefined) violations.push(`${edit.what}: ${found}`);
  }
  recordFigure(what, { tried: edits.length, violations: violations.length });
  expect(violations).toEqual([]);
});
