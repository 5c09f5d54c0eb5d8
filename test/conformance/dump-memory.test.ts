import { open, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recordFigure } from '../support/figures.js';
import { resolvedDemo } from '../support/demo-lockfile.js';
import { runMeasured } from '../support/hostile/run-attack.js';
import { asYamlStream, madeUpCluster } from '../support/made-up-cluster.js';

const DUMP_BYTES = 100 * 10 ** 6;
/** Includes about 100 MB that Node.js and the command use without a dump. */
const MOST_BYTES = 256 * 2 ** 20;

/**
 * Returns the typical objects of a large cluster: revisions with thousands of objects and managed
 * fields, and CRDs.
 */
function largeObjects(n: number): string {
  const refs = Array.from(
    { length: 1_000 },
    (_, i) =>
      `  - apiVersion: apiextensions.k8s.io/v1\n    kind: CustomResourceDefinition\n    name: c${i}.g${n}.example.org\n    uid: 00000000-0000-0000-0000-000000000000\n`,
  );
  const fields = Array.from({ length: 3_000 }, (_, i) => `        f:field${i}: {}\n`);
  const managed = `  managedFields:\n  - apiVersion: x/v1\n    fieldsType: FieldsV1\n    fieldsV1:\n      f:spec:\n${fields.join('')}    manager: crossplane\n`;
  const meta = (name: string) => `metadata:\n${managed}  name: ${name}-${n}\n`;
  return [
    `apiVersion: pkg.crossplane.io/v1\nkind: ProviderRevision\n${meta('old')}spec:\n  desiredState: Inactive\n  image: xpkg.example.org/acme/old:v1.0.0\n  revision: ${n}\nstatus:\n  objectRefs:\n${refs.join('')}`,
    `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n${meta('crd')}spec:\n  text: ${'x'.repeat(100_000)}\n`,
    '',
  ].join('---\n');
}

test('a dump of 100 MB is read object by object', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dump-'));
  try {
    const file = await open(join(folder, 'dump.yaml'), 'w');
    await file.write(`${asYamlStream(madeUpCluster(await resolvedDemo()))}---\n`);
    for (let n = 0, size = 0; size < DUMP_BYTES; n += 1) {
      const text = largeObjects(n);
      await file.write(text);
      size += text.length;
    }
    await file.close();
    const argv = ['import', 'dump.yaml', '--no-write', '--offline'];
    const { exitCode, peakBytes, stderr } = await runMeasured(argv, folder);
    recordFigure('import of a dump of 100 MB', { tried: 1, peakBytes: peakBytes ?? 0 });
    expect(exitCode, stderr).toBe(0);
    expect(peakBytes).toBeLessThan(MOST_BYTES);
  } finally {
    await rm(folder, { recursive: true });
  }
});
