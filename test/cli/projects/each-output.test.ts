import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/commands.js';
import { OUTPUT_SCHEMAS } from '../../support/output-schemas.js';
import { closedSchema } from '../../support/closed-schema.js';
import { EACH, FleetFolder, FROM } from '../../support/fleet-folder.js';

let at: FleetFolder;

beforeAll(async () => {
  at = await FleetFolder.make();
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('west', { platform: '>=v1.0.0' });
  await at.run(['resolve', ...EACH, ...FROM]);
  await at.set('north', { odd: '*' });
  await at.set('nought', {}, { include: ['nothing.yaml'] });
});

afterAll(() => at.remove());

const SHOWN = ['resolve', 'verify', 'render', 'update', 'outdated', 'lint', 'matrix'];

test('exactly the commands with --each describe the output of a project', async () => {
  const loaded = await Promise.all(
    COMMANDS.map(async ({ usage, load }) => ({ name: usage.split(' ')[0]!, it: await load() })),
  );
  const taking = loaded.filter(({ it }) => it.each !== undefined).map(({ name }) => name);
  expect(taking.sort()).toEqual(SHOWN.toSorted());
});

/** Returns the errors of a document by a schema. */
function problems(name: string, document: object): unknown {
  const validate = new Ajv2020({ strict: false }).compile(
    closedSchema(OUTPUT_SCHEMAS[name]) as AnySchemaObject,
  );
  return validate(document) === true ? [] : validate.errors;
}

/** Returns the schema of a line without the fields that `--each` adds. */
function schemaOf(command: string, { status, ...line }: Record<string, unknown>): string {
  if (status === 'error') return 'error-output';
  if (status === 'mismatch' && !('crossplane' in line)) return 'mismatch-output';
  return status === 'unsolvable' || command === 'update' ? 'resolve-output' : `${command}-output`;
}

const NEEDS_SOURCES = (name: string) => name !== 'render';

test.each(SHOWN)('%s: every line is by its schema, well and badly', async (name) => {
  const from = NEEDS_SOURCES(name) ? FROM : [];
  const { lines } = await at.lines([name, ...EACH, '--shard', '1/1', ...from]);
  expect(lines.map(({ set }) => set)).toEqual(
    ['east', 'north', 'nought', 'west'].map((cluster) => `clusters/${cluster}/xpkg.yaml`),
  );
  for (const line of lines) {
    const { set, exitCode, headline, shard, ...document } = line;
    const { status } = document;
    const own = { schemaVersion: 1, set, exitCode, headline, shard };
    expect(problems('each-output', status === undefined ? own : { ...own, status })).toEqual([]);
    const coded = ['error', 'mismatch'].includes(String(status)) && !('crossplane' in document);
    expect(
      problems(schemaOf(name, document), coded ? { ...document, exitCode } : document),
    ).toEqual([]);
    expect(headline).not.toBe('');
  }
  expect(lines.map(({ exitCode }) => exitCode)).not.toEqual([0, 0, 0, 0]);
});

test('lines have the output for each project alone, and the project', async () => {
  const argv = ['resolve', '--no-write', ...FROM];
  const { lines } = await at.lines([...argv, '--each', 'clusters/east/xpkg.yaml']);
  const place = ['-f', 'clusters/east/xpkg.yaml', '--lock', 'clusters/east/xpkg.lock.yaml'];
  const alone = await at.run([...argv, ...place, '--out', 'clusters/east/rendered', '-o', 'json']);
  const { set, exitCode, headline, ...document } = lines[0]!;
  expect([set, exitCode]).toEqual(['clusters/east/xpkg.yaml', 0]);
  expect(headline).toBe('2 packages for Crossplane v2.3.4, as locked');
  expect(document).toEqual(JSON.parse(alone.stdout));
});

test('the shards contain each project exactly once', async () => {
  const argv = ['resolve', ...EACH, ...FROM, '--no-write'];
  const parts = await Promise.all([1, 2, 3].map((i) => at.lines([...argv, '--shard', `${i}/3`])));
  const whole = await at.lines(argv);
  const sets = parts.flatMap(({ lines }) => lines.map(({ set }) => String(set)));
  expect(sets.sort()).toEqual(whole.lines.map(({ set }) => set));
  expect(Math.max(...parts.map(({ lines }) => lines.length))).toBe(2);
  expect(parts[1]!.lines[0]!['shard']).toMatchObject({ index: 2, of: 3, sets: 4 });
});
