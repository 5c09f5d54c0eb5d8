import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { PACKAGE_SET_SCHEMA } from '../../src/project/inputs/package-set-schema.js';
import { readInputs } from '../../src/project/inputs/read-inputs.js';
import { shared } from './shared.js';

const MAX_PACKED = 300_000;

test('the strict reader accepts real packages as local ones', async () => {
  const folder = shared('data', 'packages');
  const rows: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.gz'))) {
    const packed = readFileSync(join(folder, file));
    if (packed.length > MAX_PACKED) continue;
    const text = gunzipSync(packed).toString('utf8');
    const stdin = () => Promise.resolve(text);
    const { request } = await readInputs({ files: ['-'], refs: [], cwd: '.', stdin });
    const [root] = request.roots;
    if (root?.root !== 'local') throw new Error(`${file} is no local package`);
    rows.push(`${file}: ${root.dependsOn.length} dependencies, ${root.objects.length} objects`);
  }
  process.stdout.write(`${rows.join('\n')}\n`);
  expect(rows.length).toBeGreaterThan(5);
});

interface Crd {
  spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: Fields } } } }[] };
}
interface Fields {
  properties: Record<string, unknown>;
}

test('the fields of a spec are those of some release', () => {
  const folder = shared('data', 'crds');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /_(?:providers|configurations|functions)\.yaml$/.test(file),
  );
  const fields = files.flatMap((file) => {
    const crd = load(readFileSync(join(folder, file), 'utf8')) as Crd; // Crossplane's own files
    return crd.spec.versions.flatMap(({ schema }) =>
      Object.keys(schema.openAPIV3Schema.properties.spec.properties),
    );
  });
  const { packageSpec } = PACKAGE_SET_SCHEMA['$defs'] as { packageSpec: Fields };
  expect(new Set([...Object.keys(packageSpec.properties), 'package'])).toEqual(new Set(fields));
});
