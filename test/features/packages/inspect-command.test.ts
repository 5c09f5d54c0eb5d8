import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../../../src/commands.js';
import { fakeIo } from '../../support/fake-io.js';

async function inspect(yaml: string, argv: readonly string[]) {
  const io = fakeIo({ stdin: yaml });
  const code = await runCli(['inspect', '-', ...argv], io);
  return { code, out: io.stdout() };
}

const PACKAGE = `apiVersion: meta.pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: platform
spec:
  crossplane: {version: ">=v1.14.0-0"}
  dependsOn:
    - {provider: xpkg.io/acme/provider-db, version: ">=v1.0.0"}
    - {function: xpkg.io/acme/function-go, version: v0.1.0}
---
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xdbs.acme.io}
spec: {group: acme.io, names: {kind: XDb, plural: xdbs}, claimNames: {kind: Db, plural: dbs}}
---
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: xdb-aws}
`;

test('text lists the metadata, requirements and owned objects', async () => {
  const { code, out } = await inspect(PACKAGE, ['--crossplane', 'v1.20.0']);
  expect(code).toBe(0);
  expect(out).toBe(`Configuration platform
  crossplane  >=v1.14.0-0

needs
  Provider  xpkg.io/acme/provider-db  >=v1.0.0
  Function  xpkg.io/acme/function-go  v0.1.0

owns 3 objects on Crossplane v1.20.0
  acme.io
    XRD xdbs.acme.io
    claim dbs.acme.io
  apiextensions.crossplane.io
    Composition xdb-aws
`);
});

test('-o json prints one document', async () => {
  const { out } = await inspect(PACKAGE, ['--crossplane', 'v1.20.0', '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({
    schemaVersion: 1,
    package: '-',
    target: 'v1.20.0',
    accepted: true,
    kind: 'Configuration',
    name: 'platform',
    crossplane: '>=v1.14.0-0',
    dependsOn: [{ provider: 'xpkg.io/acme/provider-db', version: '>=v1.0.0' }, {}],
    requirements: [{ requires: 'package', kind: 'Provider' }, { kind: 'Function' }],
    owns: { 'acme.io': { XRD: ['xdbs.acme.io'], claim: ['dbs.acme.io'] } },
    findings: [],
  });
});

test('shows a package that the target rejects, with the reason', async () => {
  const refused = PACKAGE.replace('v0.1.0', 'latest');
  const { code, out } = await inspect(refused, ['--crossplane', 'v1.20.0']);
  expect(code).toBe(0);
  expect(out).toContain('Configuration platform');
  expect(out).toContain('{"function":"xpkg.io/acme/function-go","version":"latest"}');
  expect(out).toMatch(/refuses it:\n {2}error: .*latest/);
});

test('shows the readable part of a stream without a meta document', async () => {
  const { code, out } = await inspect('apiVersion: v1\nkind: ConfigMap\n', []);
  expect(code).toBe(0);
  expect(out).toContain('refuses it');
});

test('for a range, or without a version, states which version was read', async () => {
  const io = fakeIo();
  const network = 'xpkg.example.org/acme/configuration-network';
  const packages = join(import.meta.dirname, '../../../fixtures/packages');
  const from = ['--from', `dir:${packages}`, '--crossplane', 'v1.20.11', '-o', 'json'];
  for (const name of [network, `${network}@~v1.1.0`])
    expect(await runCli(['inspect', name, ...from], io)).toBe(0);
  const read = io.stdout().split(/(?<=^\})\n/m);
  expect(read.slice(0, 2).map((text) => (JSON.parse(text) as { version: string }).version)).toEqual(
    ['v2.0.0', 'v1.1.0'],
  );
});
