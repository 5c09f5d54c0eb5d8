import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { parseDocuments } from '../../src/project/inputs/document.js';
import { checkPackageSet } from '../../src/project/inputs/check-package-set.js';
import { parseLockfile } from '../../src/project/lockfile/parse-lockfile.js';
import { parseIndex } from '../../src/sources/index/index-source.js';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
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

/** Returns text with normalized whitespace. */
function words(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** Returns the message of the source, where ajv compiles the schema at run time. */
async function messageOfSource(check: () => unknown): Promise<string> {
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
    expect(words(stderr)).toContain(words(await messageOfSource(check)));
  },
);
