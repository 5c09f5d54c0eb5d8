import { execFile } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { judge } from '../../src/crossplane/packages/admission.js';
import { targetFor } from '../../src/crossplane/releases/target.js';
import { fastIdentity, identityOf } from '../../src/crossplane/package-yaml/object-identity.js';
import { parseGoYaml } from '../../src/base/yaml/go-yaml.js';
import { readPackageYaml } from '../../src/crossplane/package-yaml/read-package-yaml.js';
import {
  isEmptyDocument,
  splitDocuments,
} from '../../src/crossplane/package-yaml/split-documents.js';
import { shared } from './shared.js';

interface Listed {
  readonly file: string;
  readonly documents: number;
  readonly bytes: number;
}

const listed = (
  JSON.parse(readFileSync(shared('data/packages/index.json'), 'utf8')) as Listed[]
).map((entry) => ({ ...entry, path: stored(entry.file) }));

/** Some files are listed without their suffix. */
function stored(file: string): string {
  const folder = shared('data/packages');
  const plain = `${folder}/${file}`;
  return existsSync(plain) ? plain : `${plain}.gz`;
}

function stream(path: string) {
  return createReadStream(path).pipe(createGunzip());
}

test.each(listed)('$file: $documents documents, fit for v2.3.4', async ({ path, documents }) => {
  const contents = await readPackageYaml(stream(path));
  expect(contents.problems).toEqual([]);
  expect(contents.metas.length + contents.objects.length).toBe(documents);
  expect(
    judge(contents, targetFor('v2.3.4')!).findings.filter((f) => f.severity === 'error'),
  ).toEqual([]);
});

/** A full parse reads 9 MB/s, so only every nth document of large streams is parsed. */
const PARSED_PER_STREAM = 250;

test('the fast scanner agrees with the parser on real documents, and handles nearly all of them', async () => {
  let [total, fast, compared] = [0, 0, 0];
  for (const { path, documents } of listed) {
    const every = Math.ceil(documents / PARSED_PER_STREAM);
    for await (const raw of splitDocuments(stream(path))) {
      if ('problem' in raw) throw new Error(raw.problem.message);
      if (isEmptyDocument(raw.text)) continue;
      const identity = fastIdentity(raw.text);
      total++;
      if (identity === undefined) continue;
      fast++;
      if (total % every !== 0) continue;
      compared++;
      const parsed = parseGoYaml(raw.text);
      expect('error' in parsed ? parsed : identityOf(parsed.value)).toEqual(identity);
    }
  }
  process.stdout.write(
    `package.yaml: ${total} documents, ${fast} the fast way, ${compared} compared\n`,
  );
  expect(fast / total).toBeGreaterThan(0.95);
  expect(compared).toBeGreaterThan(500);
});

const CHILD = `
const { createReadStream } = await import('node:fs');
const { createGunzip } = await import('node:zlib');
const { readPackageYaml } = await import(process.argv[1]);
const contents = await readPackageYaml(createReadStream(process.argv[2]).pipe(createGunzip()));
console.log(JSON.stringify({ objects: contents.objects.length, peak: process.resourceUsage().maxRSS }));
`;

test('the 98 MB stream is read in a fraction of a gigabyte', async () => {
  const largest = listed.toSorted((a, b) => b.bytes - a.bytes)[0]!;
  const reader = new URL(
    '../../build/src/crossplane/package-yaml/read-package-yaml.js',
    import.meta.url,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    CHILD,
    reader.pathname,
    largest.path,
  ]);
  const { objects, peak } = JSON.parse(stdout) as { objects: number; peak: number };
  const megabytes = Math.round(peak / 1024);
  process.stdout.write(`${largest.file}: ${largest.bytes} bytes, peak RSS ${megabytes} MB\n`);
  expect(objects).toBe(largest.documents - 1);
  expect(megabytes).toBeLessThan(400);
});
