import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-code.js';
import { parseDocuments } from '../../src/inputs/document.js';
import { checkPackageSet } from '../../src/inputs/documents/check-package-set.js';
import { parseLockfile } from '../../src/lock/parse-lockfile.js';
import { parseIndex } from '../../src/sources/index/index-source.js';

const MAIN = join(import.meta.dirname, '../../dist/cli/main.js');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'checks-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const SET = `apiVersion: xpkg-resolve.dev/v1alpha1
kind: PackageSet
spec:
  crossplan: v2.3.4
  packages:
    - provider: xpkg.io/a/p
      version: 1
    - {}
`;
const LOCK = 'version: 1\npackages: [{ nme: x }]\nskipDependencyResolution: []\n';
const INDEX = '{"packages":{"xpkg.io/a/p":{"kind":"Provider","versions":{"v1.0.0":{"crds":[3]}}}}}';

/** However lines are folded. */
function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** What the source, which has ajv compile the schema while it runs, says of a text. */
async function saidBySource(check: () => unknown): Promise<string> {
  try {
    await check();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing is wrong with it');
}

test.each([
  {
    why: 'a PackageSet',
    file: 'xpkg.yaml',
    text: SET,
    args: ['resolve', '-f', 'xpkg.yaml', '--offline'],
    code: EXIT.badInput,
    check: () => checkPackageSet(parseDocuments(SET, 'xpkg.yaml')[0]!),
  },
  {
    why: 'a lockfile',
    file: 'xpkg.lock.yaml',
    text: LOCK,
    args: ['tree'],
    code: EXIT.badInput,
    check: () => parseLockfile(LOCK, 'xpkg.lock.yaml'),
  },
  {
    why: 'an index',
    file: 'index.json',
    text: INDEX,
    args: ['resolve', 'xpkg.io/a/p@*', '--from', 'index:index.json', '--no-write'],
    code: EXIT.sourceFailed,
    check: () => parseIndex(Buffer.from(INDEX), 'index.json'),
  },
])(
  'what was compiled when it was built says the same of $why',
  async ({ file, text, args, code, check }) => {
    writeFileSync(join(folder, file), text);
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(status).toBe(code);
    expect(words(stderr)).toContain(words(await saidBySource(check)));
  },
);
