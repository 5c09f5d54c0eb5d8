import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EXIT } from '../../../../src/cli/exit-code.js';
import { EACH, FleetFolder, FROM } from '../../../support/fleet-folder.js';

const EXAMPLE = join(
  import.meta.dirname,
  '../../../../fixtures/examples/platform-team/published.json',
);
let at: FleetFolder;

beforeEach(async () => {
  at = await FleetFolder.make();
});

afterEach(() => at.remove());

/** Runs all parts, each into a file of its own, and merges them. */
async function merged(argv: readonly string[], parts: number, form: string) {
  const files: string[] = [];
  const codes: number[] = [];
  for (let i = 1; i <= parts; i++) {
    const part = await at.run([...argv, '-o', 'json', '--shard', `${i}/${parts}`]);
    files.unshift(`part-${i}.json`);
    codes.push(part.code);
    await at.write(files[0]!, part.stdout);
  }
  return { files, codes, ...(await at.run(['report', 'merge', ...files, '-o', form])) };
}

function needs(version: string): object {
  return { dependsOn: [{ provider: 'xpkg.example.org/acme/c', version }] };
}

function entry(versions: object): object {
  return { kind: 'Provider', versions };
}

async function stderrOf(...files: string[]): Promise<string> {
  return (await at.run(['report', 'merge', ...files])).stderr;
}

async function sets(): Promise<void> {
  await at.set('east', { platform: '>=v1.0.0' });
  await at.set('north', { odd: '*' });
  await at.set('west', { platform: 'v1.0.0' });
  await at.set('zero', { base: '*' });
}

test.each([1, 2, 3, 7])('%d parts of the sets are one run, byte by byte', async (parts) => {
  await sets();
  const argv = ['resolve', ...EACH, ...FROM, '--no-write'];
  for (const form of ['json', 'text']) {
    const whole = await at.run([...argv, '-o', form]);
    const { code, stdout } = await merged(argv, parts, form);
    expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
  }
});

test('a part that is missing, cut short or there twice is found', async () => {
  await sets();
  const argv = ['resolve', ...EACH, ...FROM, '--no-write'];
  const { files } = await merged(argv, 2, 'json');
  const fails = async (...names: string[]) => {
    const { code, stderr } = await at.run(['report', 'merge', ...names]);
    expect(code).toBe(EXIT.badInput);
    return stderr;
  };
  expect(await fails(files[0]!)).toContain('nothing is there of part 1/2');
  expect(await fails(...files, files[0]!)).toContain('a set is there twice');
  const text = await at.read(files[0]!);
  await at.write(files[0]!, text.slice(0, text.indexOf('\n') + 1));
  expect(await fails(...files)).toContain('a part is cut short');
  await at.write(files[0]!, text.slice(0, -40));
  expect(await fails(...files)).toContain(`${files[0]}:2`);
});

test.each([1, 3, 5])('%d parts of a matrix are one matrix', async (parts) => {
  const packages = {
    'xpkg.example.org/acme/a': {
      kind: 'Provider',
      versions: { 'v1.0.0': { crossplane: '>=v1.17.0' }, 'v2.0.0': { crossplane: '>=v2.0.0' } },
    },
  };
  await at.write('index.json', JSON.stringify({ packages }));
  const argv = ['matrix', 'xpkg.example.org/acme/a', ...FROM];
  const whole = await at.run([...argv, '-o', 'json']);
  const { code, codes, stdout } = await merged(argv, parts, 'json');
  expect(codes.every((each) => each === EXIT.done)).toBe(true);
  const { rows } = JSON.parse(stdout) as { rows: unknown[] };
  expect(rows.length).toBeGreaterThan(2);
  expect({ code, rows }).toEqual({ code: whole.code, rows: JSON.parse(whole.stdout).rows });
});

test('a matrix in which nothing works fails where its parts are merged', async () => {
  const argv = ['matrix', 'xpkg.example.org/acme/nothing', ...FROM];
  const { code, codes } = await merged(argv, 2, 'json');
  expect([code, ...codes]).toEqual([EXIT.unsolvable, EXIT.done, EXIT.done]);
});

test.each([2, 5])('%d parts of a fuzzing are one fuzzing, byte by byte', async (parts) => {
  const roots = ['a', 'b'].map((name) => `xpkg.example.org/acme/${name}`);
  const versions = Object.fromEntries(
    [1, 2, 3, 4].map((major) => [`v${major}.0.0`, needs(`~v${major}.0.0`)]),
  );
  const leaves = Object.fromEntries(Object.keys(versions).map((version) => [version, {}]));
  const packages = {
    [roots[0]!]: entry(versions),
    [roots[1]!]: entry(versions),
    'xpkg.example.org/acme/c': entry(leaves),
  };
  await at.write('index.json', JSON.stringify({ packages }));
  const argv = [
    'fuzz',
    ...roots,
    ...FROM,
    '--seed',
    '3',
    '--runs',
    '40',
    '--crossplane',
    '>=v2.2.0',
  ];
  const whole = await at.run([...argv, '-o', 'json']);
  expect(whole.code).toBe(EXIT.findings);
  expect(JSON.parse(whole.stdout).breakages[0].others.length).toBeGreaterThan(2);
  const { code, stdout } = await merged(argv, parts, 'json');
  expect({ code, stdout }).toEqual({ code: whole.code, stdout: whole.stdout });
});

test('parts of other seeds or of other counts are refused', async () => {
  const argv = ['fuzz', 'xpkg.upbound.io/x/y', '--from', `index:${EXAMPLE}`, '--runs', '1'];
  const part = async (name: string, ...more: string[]) =>
    at.write(name, (await at.run([...argv, '-o', 'json', ...more])).stdout);
  await part('a', '--seed', '1', '--shard', '1/2');
  await part('b', '--seed', '2', '--shard', '2/2');
  await part('c', '--seed', '1', '--shard', '2/3');
  expect(await stderrOf('a', 'b')).toContain('different seeds');
  expect(await stderrOf('a', 'c')).toContain('parts of 2 and parts of 3');
  expect(await stderrOf('a')).toContain('part 2/2 is missing');
});
