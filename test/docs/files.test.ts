import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/cli/kit/command.js';
import { runCli } from '../../src/commands.js';
import { PACKAGE_SET_SCHEMA } from '../../src/project/inputs/package-set-schema.js';
import { LOCKFILE_SCHEMA } from '../../src/project/lockfile/lockfile-schema.js';
import { fakeIo } from '../support/fake-io.js';
import { blocksOf } from '../support/readme.js';

const ROOT = join(import.meta.dirname, '../..');
const FROM = ['--from', `dir:${join(ROOT, 'fixtures/packages')}`];
const SETS = readFileSync(join(ROOT, 'docs/xpkg-yaml.md'), 'utf8');
const LOCKS = readFileSync(join(ROOT, 'docs/lockfile.md'), 'utf8');

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'file-docs-'));
});

afterEach(() => rmSync(cwd, { recursive: true }));

interface Example {
  readonly file: string;
  readonly text: string;
}

/** YAML blocks of a page; a comment in the first line names the file. */
function examplesIn(page: string): Example[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'yaml')
    .map(({ body }) => ({ file: /^# (\S+)\n/.exec(body)?.[1] ?? 'xpkg.yaml', text: body }));
}

function write({ file, text }: Example): void {
  mkdirSync(dirname(join(cwd, file)), { recursive: true });
  writeFileSync(join(cwd, file), text);
}

async function run(...words: string[]) {
  const io = fakeIo({ cwd });
  const code = await runCli([...words, ...FROM], io);
  return { code, stdout: io.stdout(), stderr: io.notes().join('\n') };
}

/** Names of all fields that a schema describes; `false` forbids one. */
function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const entries = Object.entries(
    schema as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  );
  return entries.flatMap(([key, value]) => [
    ...(key === 'properties' ? Object.keys(value).filter((name) => value[name] !== false) : []),
    ...fieldsIn(value),
  ]);
}

/** Fields of a schema that a page does not show between backticks. */
function unnamed(schema: unknown, page: string): string[] {
  const named = new Set(
    Array.from(
      page.matchAll(/`([^`\n]+)`|^## (\w+)$/gm),
      ([, code, title]) => code ?? title,
    ).flatMap((text) => [text!, ...text!.split('.')]),
  );
  return [...new Set(fieldsIn(schema))].filter((field) => !named.has(field)).sort();
}

describe('docs/xpkg-yaml.md', () => {
  const sections = SETS.split(/^(?=## )/m).map((page) => ({
    title: page.split('\n')[0]!,
    examples: examplesIn(page),
  }));

  test.each(sections.filter(({ examples }) => examples.length > 0))(
    '$title: its example resolves',
    async ({ examples }) => {
      examples.forEach(write);
      const { code, stderr } = await run('resolve', '-f', examples.at(-1)!.file);
      expect(stderr).not.toMatch(/^error/m);
      expect(code).toBe(EXIT.done);
    },
  );

  test('every field of the schema is listed, and every field of `spec` has a section', () => {
    expect(unnamed(PACKAGE_SET_SCHEMA, SETS)).toEqual([]);
    const { properties } = PACKAGE_SET_SCHEMA as {
      properties: { spec: { properties: Readonly<Record<string, unknown>> } };
    };
    const titles = sections.map(({ title }) => title.slice('## '.length));
    expect(titles).toEqual(expect.arrayContaining(Object.keys(properties.spec.properties)));
  });

  test('the overlay keeps fields that it does not set', async () => {
    const { examples } = sections.find(({ title }) => title === '## include')!;
    examples.forEach(write);
    const { stdout } = await run('resolve', '-f', examples.at(-1)!.file, '-o', 'json');
    const { packages } = JSON.parse(stdout) as { packages: { name: string; version: string }[] };
    expect(packages).toContainEqual(
      expect.objectContaining({ name: 'network', version: 'v1.1.0' }),
    );
  });
});

describe('docs/lockfile.md', () => {
  test('the lockfile that it shows is the one that is written (`vitest -u` writes it anew)', async () => {
    write(examplesIn(LOCKS)[0]!);
    const shown = blocksOf(LOCKS).filter(({ language }) => language === 'yaml')[1]!;
    expect((await run('resolve')).code).toBe(EXIT.done);
    const written = readFileSync(join(cwd, 'xpkg.lock.yaml'), 'utf8');
    const rest = LOCKS.slice(shown.at + shown.body.length);
    const page = `${LOCKS.slice(0, shown.at)}${written}${rest}`;
    await expect(page).toMatchFileSnapshot('../../docs/lockfile.md');
  });

  test('every field of the schema is listed', () => {
    expect(unnamed(LOCKFILE_SCHEMA, LOCKS)).toEqual([]);
  });
});

test('the sample of the README works when it is pasted', async () => {
  const [sample] = examplesIn(readFileSync(join(ROOT, 'README.md'), 'utf8'));
  write(sample!);
  const { code, stdout } = await run('resolve');
  expect(code).toBe(EXIT.done);
  expect(stdout).toContain('configuration-platform');
});
