import { expect, test } from 'vitest';
import type { Schema } from '../../../src/base/json-schema.js';
import { COMMANDS } from '../../../src/commands.js';
import {
  type AnyCommand,
  defineCommand,
  EXIT,
  exitCodeOf,
  OtherResult,
} from '../../../src/cli/kit/command.js';
import { count, jsonOutput, outputSchema, type Static } from '../../../src/cli/kit/json-schema.js';
import type { Report } from '../../../src/cli/findings/report.js';
import { OUTPUT_SCHEMAS } from '../../support/output-schemas.js';
import { fakeIo } from '../../support/fake-io.js';

const flags = {
  output: { choices: ['text', 'json'], default: 'text', describe: 'How to print' },
  fail: { type: 'boolean', default: false, describe: 'Exit with 6' },
} as const;

const schema = outputSchema('total -o json', { total: count('The total.') });
const output = jsonOutput(schema, (total: number): Static<typeof schema> => ({ total }));

const REPORT: Report = { command: 'total', headline: '3', steps: [] };

const total = defineCommand({
  positionals: {},
  flags,
  run: async (_args, io) => {
    io.note('warning: from the use case');
    return 3;
  },
  json: () => output,
  text: (value) => ['total', String(value)],
  notes: () => ['note: before the data'],
  closingNotes: () => ['after the data'],
  headline: (value) => `${value} in all`,
  findings: (value, _args, _io, command) => ({ ...REPORT, command, headline: String(value) }),
  exit: (_value, { fail }) => (fail ? 'findings' : 'ok'),
});

async function run(command: AnyCommand, args: object) {
  const headlines: string[] = [];
  const reports: ((command: string) => Promise<Report>)[] = [];
  const io = fakeIo({
    headline: (line) => void headlines.push(line),
    report: (make) => void reports.push(make),
  });
  const code = await command.run(args as never, io);
  const report = await reports[0]?.('total');
  return { code, stdout: io.stdout(), notes: io.notes(), headlines, report };
}

test('a command prints its text, notes, headline and findings, and its result is the exit code', async () => {
  expect(await run(total, { output: 'text', fail: true })).toEqual({
    code: EXIT.findings,
    stdout: 'total\n3\n',
    notes: ['warning: from the use case', 'note: before the data', 'after the data'],
    headlines: ['3 in all'],
    report: { ...REPORT, headline: '3' },
  });
});

test('-o json prints the document in place of the text', async () => {
  const { code, stdout } = await run(total, { output: 'json', fail: false });
  expect(code).toBe(EXIT.done);
  expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, total: 3 });
});

test('-o json prints several documents a line each', async () => {
  const several = defineCommand({
    positionals: {},
    flags,
    run: async () => [1, 2],
    jsonLines: (values) => values.map((value) => ({ value })),
  });
  const { stdout } = await run(several, { output: 'json' });
  expect(stdout).toBe('{"schemaVersion":1,"value":1}\n{"schemaVersion":1,"value":2}\n');
});

test('a text is printed as it is; the data of the user are printed unchanged', async () => {
  const page = { positionals: {}, flags: {}, run: async () => 'a\u001bb' };
  const printed: string[] = [];
  const io = fakeIo({ verbatim: (text) => void printed.push(text) });
  await defineCommand({ ...page, text: (value) => value, isVerbatim: true }).run({} as never, io);
  expect(printed).toEqual(['a\u001bb']);
  await defineCommand({ ...page, text: (value) => value }).run({} as never, io);
  expect(io.stdout()).toBe('a\u001bb');
});

test('a stream is printed piece by piece, and `run` is not called', async () => {
  const streamed = defineCommand({
    positionals: {},
    flags: {},
    run: async () => expect.fail('`run` was called'),
    stream: async function* () {
      yield 'one\n';
      yield 'two\n';
      return 'mismatch' as const;
    },
  });
  expect(await run(streamed, {})).toMatchObject({ code: EXIT.lockMismatch, stdout: 'one\ntwo\n' });
});

test('another result is printed in place of a value', async () => {
  const missing = defineCommand({
    positionals: {},
    flags,
    run: async () => {
      throw new OtherResult({
        json: () => ({ status: 'mismatch' }),
        text: ['no lockfile'],
        notes: ['hint: write one'],
        exit: 'mismatch',
      });
    },
    text: () => expect.fail('`text` was called'),
  });
  const code = EXIT.lockMismatch;
  const notes = ['hint: write one'];
  expect(await run(missing, {})).toMatchObject({ code, stdout: 'no lockfile\n', notes });
  const { stdout, ...others } = await run(missing, { output: 'json' });
  expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, status: 'mismatch' });
  expect(others).toMatchObject({ code, notes });
});

test('an exit code stays as it is', () => {
  expect([exitCodeOf(EXIT.badInput), exitCodeOf('gave-up')]).toEqual([EXIT.badInput, EXIT.gaveUp]);
});

test.each(COMMANDS)('`schema` prints the schema that $usage declares', async ({ load }) => {
  const { json } = await load();
  const schema = (await json?.())?.schema;
  const documents = (schema?.['anyOf'] ?? [schema]) as readonly (Schema | undefined)[];
  const titled = documents.filter((document) => document?.['title'] !== undefined);
  const printed = Object.values(OUTPUT_SCHEMAS);
  expect(titled.filter((document) => !printed.includes(document!))).toEqual([]);
});
