import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';
import { COMMANDS, runCli } from '../../src/commands.js';
import { OUTPUT_SCHEMAS } from '../support/output-schemas.js';
import { fakeIo } from '../support/fake-io.js';
import { closedSchema } from '../support/closed-schema.js';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = join(ROOT, 'fixtures/packages');
const DUMP = join(ROOT, 'fixtures/dumps/v1.20.11.yaml');
const FROM = ['--from', `dir:${PACKAGES}`];
const OLD = join(ROOT, 'fixtures/old-formats/packages/registry.example.org/samples');
const HELM = 'xpkg.example.org/acme-contrib/provider-helm';
let cwd: string;

async function run(argv: readonly string[], stdin = '') {
  const io = fakeIo({ cwd, env: { HOME: cwd }, stdin });
  const code = await runCli(argv, io);
  return { code, stdout: io.stdout() };
}

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'json-output-'));
  await cp(join(ROOT, 'fixtures/demo'), join(cwd, 'demo'), { recursive: true });
  await run(['resolve', '-f', 'demo', ...FROM]);
  const text = await readFile(join(cwd, 'xpkg.lock.yaml'), 'utf8');
  await writeFile(join(cwd, 'ours.yaml'), text);
  await cp(join(ROOT, 'fixtures/demo/xpkg.yaml'), join(cwd, 'set.yaml'));
  await writeFile(join(cwd, 'stale.yaml'), text.replaceAll('v0.21.0', 'v0.19.0'));
});

const SET = ['-f', 'demo', ...FROM];

/** Command lines with exit codes: a success and a failure of each command. */
const LINES: readonly (readonly [code: number, argv: readonly string[]])[] = [
  [0, ['resolve', ...SET, '--no-write']],
  [2, ['resolve', 'https://a/b', ...FROM]],
  [3, ['resolve', 'xpkg.example.org/acme/nothing', ...FROM, '--no-write']],
  [3, ['resolve', `${HELM}@>=v9.0.0`, ...FROM, '--no-write', '--crossplane', 'v1.20.11']],
  [4, ['resolve', ...SET, '--locked', '--lock', 'none.yaml']],
  [4, ['resolve', ...SET, '--locked', '--lock', 'stale.yaml']],
  [4, ['resolve', ...SET, '--frozen', '--lock', 'none.yaml']],
  [4, ['resolve', ...SET, '--frozen', '--lock', 'stale.yaml']],
  [5, ['resolve', ...SET.slice(0, 2), '--offline', '--no-write']],
  [0, ['init', HELM, ...FROM, '--no-write', '--crossplane', 'v1.20.11']],
  [2, ['init', 'https://a/b', ...FROM, '--no-write']],
  [0, ['add', `${HELM}@v0.19.0`, '-f', 'set.yaml', ...FROM, '--no-write', '--lock', 'none.yaml']],
  [3, ['add', `${HELM}@v9.9.9`, '-f', 'set.yaml', ...FROM, '--no-write', '--lock', 'none.yaml']],
  [
    0,
    [
      'remove',
      'configuration-cluster',
      '-f',
      'set.yaml',
      ...FROM,
      '--no-write',
      '--lock',
      'none.yaml',
    ],
  ],
  [
    0,
    ['set', 'crossplane', 'v2.0.2', '-f', 'set.yaml', ...FROM, '--no-write', '--lock', 'none.yaml'],
  ],
  [2, ['set', 'crossplane', 'nonsense', '-f', 'set.yaml', ...FROM, '--no-write']],
  [0, ['import', DUMP, ...FROM, '--no-write']],
  [2, ['import', 'demo/xpkg.yaml', '--no-write']],
  [2, ['import', DUMP]],
  [0, ['drift', DUMP]],
  [6, ['drift', DUMP, '--lock', 'stale.yaml']],
  [4, ['drift', DUMP, '--lock', 'none.yaml']],
  [2, ['drift']],
  [0, ['merge-lock', 'xpkg.lock.yaml', 'ours.yaml', 'xpkg.lock.yaml', ...SET]],
  [2, ['merge-lock', 'xpkg.lock.yaml', 'none.yaml', 'xpkg.lock.yaml', ...SET]],
  [0, ['update', ...SET, '--no-write']],
  [2, ['update', 'nothing-like-it', ...SET, '--no-write']],
  [4, ['update', ...SET, '--lock', 'none.yaml']],
  [0, ['check', ...SET]],
  [4, ['check', ...SET, '--lock', 'stale.yaml']],
  [4, ['check', ...SET, '--lock', 'none.yaml']],
  [2, ['check', 'https://a/b', ...FROM]],
  [0, ['verify', ...SET]],
  [4, ['verify', ...SET, '--lock', 'stale.yaml']],
  [4, ['verify', ...SET, '--lock', 'none.yaml']],
  [0, ['render']],
  [0, ['render', '--check']],
  [4, ['render', '--check', '--out', 'elsewhere']],
  [2, ['render', '--crossplane', 'nonsense']],
  [0, ['outdated', ...SET]],
  [6, ['outdated', ...SET, '--exit-code']],
  [4, ['outdated', ...SET, '--lock', 'none.yaml']],
  [0, ['fleet', '--each', 'set.yaml', ...FROM]],
  [2, ['fleet', 'nothing-like-it', '--each', 'set.yaml', ...FROM]],
  [0, ['diff', 'xpkg.lock.yaml', 'ours.yaml', ...FROM]],
  [0, ['diff', `${HELM}@v0.19.0`, `${HELM}@v0.21.0`, ...FROM]],
  [2, ['diff', 'none.yaml', 'ours.yaml']],
  [0, ['why', 'provider-helm']],
  [0, ['why', 'databases.platform.acme.example.org']],
  [2, ['why', 'nothing-like-it']],
  [0, ['why', '--not', 'provider-helm@v1.0.0', ...SET]],
  [0, ['why', '--not', 'provider-cloud-storage@v1.3.0', ...SET]],
  [2, ['why', '--not', 'provider-helm', ...SET]],
  [0, ['simulate', ...SET, '--orders', '3', '--compare']],
  [6, ['simulate', ...SET, '--locked', '--exit-code', '--compare']],
  [0, ['simulate', '--all', '--prune', '--onto', 'ours.yaml', '--exit-code', ...FROM]],
  [0, ['simulate', ...SET, '--locked', '--onto', 'stale.yaml']],
  [2, ['simulate', HELM, '--orders', '-1', ...FROM]],
  [4, ['simulate', ...SET, '--locked', '--lock', 'none.yaml']],
  [0, ['plan', 'stale.yaml', 'xpkg.lock.yaml']],
  [2, ['plan', 'none.yaml', 'xpkg.lock.yaml']],
  [0, ['render', '--plan', 'steps', '--old', 'stale.yaml']],
  [0, ['tree']],
  [4, ['tree', '--lock', 'none.yaml']],
  [0, ['graph']],
  [0, ['graph', '--diff', 'stale.yaml']],
  [2, ['graph', 'stale.yaml']],
  [4, ['graph', '--lock', 'none.yaml']],
  [0, ['matrix', ...SET]],
  [0, ['matrix', ...SET, '--shard', '2/3']],
  [0, ['versions', 'provider-helm', ...FROM]],
  [2, ['versions', 'nothing-like-it', ...FROM]],
  [0, ['search', 'database', ...FROM]],
  [0, ['constraint', '>=v1.0.0', 'v1.0.0', 'v0.1.0', 'x']],
  [2, ['constraint', '>>1']],
  [0, ['releases']],
  [0, ['inspect', `${HELM}@v0.21.0`, ...FROM]],
  [2, ['inspect', `${HELM}@v9.9.9`, ...FROM]],
  [0, ['lint', ...SET]],
  [3, ['lint', '-f', 'impossible.yaml', ...FROM]],
  [0, ['lint', `${HELM}@v0.21.0`, ...FROM]],
  [0, ['convert', join(OLD, 'app-blog@v0.1.0'), '--from', `dir:${OLD}`]],
  [2, ['convert', '.']],
  [6, ['fuzz', ...SET, '--runs', '3', '--seed', '1']],
  [6, ['fuzz', ...SET, '--runs', '3', '--seed', '1', '--shard', '1/1']],
  [2, ['fuzz', ...SET, '--shard', '1/2']],
  [2, ['report', 'merge', 'demo/xpkg.yaml']],
  [0, ['index', ...FROM, '--out', 'index.json']],
  [0, ['index', ...FROM, '--out', 'parts/']],
  [2, ['index', 'xpkg.example.org/acme/nothing', ...FROM, '--out', 'index.json']],
  [0, ['vendor', 'layout', ...FROM]],
  [4, ['vendor', 'layout', '--lock', 'none.yaml', ...FROM]],
  [0, ['images', ...FROM]],
  [4, ['images', '--lock', 'none.yaml', ...FROM]],
  [0, ['bundle', 'all.tar', ...FROM]],
  [2, ['bundle', 'all.zip', ...FROM]],
  [2, ['mirror', '--to', 'nowhere', ...FROM]],
  [4, ['mirror', '--to', 'a.example.org', '--lock', 'none.yaml', ...FROM]],
  [5, ['mirror', '--to', '127.0.0.1:1', '--timeout', '60', ...FROM]],
  [2, ['push', 'oci://127.0.0.1:1/x/y:z', '--offline']],
  [0, ['cache', 'dir']],
  [0, ['cache', 'info']],
  [0, ['cache', 'clean']],
  [2, ['cache', 'nonsense']],
];

test.each(LINES)('exit %d, and a document by its schema: %j', async (code, argv) => {
  await writeFile(
    join(cwd, 'impossible.yaml'),
    'apiVersion: xpkg-resolve.dev/v1alpha1\nkind: PackageSet\nspec: {packages: [{provider: xpkg.example.org/acme/nothing}]}\n',
  );
  const ran = await run([...argv, '-o', 'json']);
  const name = argv[0]!;
  const output = JSON.parse(ran.stdout) as { status?: string };
  expect({ code: ran.code, problems: problems(name, output) }).toEqual({ code, problems: [] });
});

function problems(command: string, output: { readonly status?: string }): unknown {
  const validate = new Ajv2020({ strict: false }).compile(
    closedSchema(schemaOf(command, output)) as AnySchemaObject,
  );
  return validate(output) === true ? [] : validate.errors;
}

/** Commands that print the same answer as `resolve`. */
const ANSWERING = new Set(['update', 'add', 'remove', 'set', 'merge-lock']);

/** Returns the schema: errors, mismatches and refusals have the same form in all commands. */
function schemaOf(command: string, output: { readonly status?: string }): unknown {
  const { status } = output;
  if (status === 'error') return OUTPUT_SCHEMAS['error-output'];
  if (status === 'mismatch' && !('crossplane' in output)) return OUTPUT_SCHEMAS['mismatch-output'];
  const answers = ['unsolvable', 'gave-up'].includes(status ?? '') || ANSWERING.has(command);
  return OUTPUT_SCHEMAS[answers ? 'resolve-output' : `${command}-output`];
}

/**
 * Needs shards (`test/features/projects/report-command.test.ts`) or a registry
 * (`test/features/render/push-command.test.ts`).
 */
const NOT_HERE = new Set(['report', 'push', 'mirror', 'sbom']);

test.each(COMMANDS)('of $usage something is tried here that works', async ({ usage, load }) => {
  const name = usage.split(' ')[0]!;
  if (!('output' in (await load()).flags) || NOT_HERE.has(name)) return;
  const codes = LINES.filter(([, argv]) => argv[0] === name).map(([code]) => code);
  expect(codes.some((code) => code === 0 || code === 6)).toBe(true);
});
