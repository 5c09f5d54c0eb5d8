import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type HintedMessage, hintedMessages } from '../support/docs/hinted-messages.js';
import { readPage } from '../support/docs/page.js';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = 'docs/troubleshooting.md';

/**
 * What files say that pass on a text from elsewhere, and so have none of their own at the place
 * where the hint joins it; none: what they pass on is read where it is made.
 */
const PASSED_ON: Readonly<Record<string, readonly string[]>> = {
  'src/features/cluster/import-command.ts': ['… packages are locked without a digest…'],
  'src/features/resolve/command.ts': [],
  'src/cli/sources/package-argument.ts': [],
  'src/features/resolve/refusal-output.ts': [],
  'src/cli/files/lock-file.ts': [],
  'src/features/resolve/answer-command.ts': [],
  'src/cli/files/lock-checks.ts': [],
  'src/features/verify/output.ts': [],
  'src/features/plan/output.ts': [
    'no order leads there: these wait for each other',
    'the end of it is a set that the cluster does not take',
    'no order was found in time',
  ],
  'src/cli/kit/errors.ts': [],
  'src/base/files/transaction.ts': [],
  'src/project/inputs/references.ts': [],
  'src/resolver/resolve/resolve.ts': ['… is overridden to `…` (…)'],
  'src/project/lockfile/parse-lockfile.ts': ['is not for a lockfile to set'],
  'src/base/errors.ts': [],
  'src/oci/registry/retry.ts': [
    '`…` cannot be reached: …',
    'the connection broke: …',
    'gave up after several tries: …',
    '…, is not asked: …',
    'the proxy `…` answered …',
    'the registry sent bytes whose digest is …, not …',
    'the registry sent … bytes, where the manifest says …',
    'the registry sent more than the … bytes it should have',
  ],
  'src/sources/images/registry-source.ts': [],
  'src/features/verify/verify.ts': [
    '… is not in the lockfile',
    '… is locked at …, and … asks for `…`',
  ],
};

/** Messages that stand apart in the source from the hint that is printed with them. */
const APART = [
  ['src/resolver/explain/explain-refusal.ts', 'no set of versions satisfies everything on …'],
  ['src/features/why/output.ts', 'possible: there is a set with …'],
  ['src/cli/files/mismatches.ts', 'the lockfile `…` is stale'],
  ['src/cli/files/rendered-folder.ts', 'the lockfile renders no such file'],
  ['src/cli/files/rendered-folder.ts', 'the file is missing'],
  ['src/cli/files/rendered-folder.ts', 'it is no file'],
  ['src/cli/files/rendered-folder.ts', 'not what the lockfile renders'],
].map(([file, text]) => ({ file: file!, text: text! }));

const places = hintedMessages();
const PASSED_HINT = 'hint: …';
const isHintLine = (text: string) => text.startsWith('hint: ');
/** Messages of errors, and lines that begin with `hint:` wherever they are printed. */
const messages = [
  ...places.flatMap(told),
  ...APART,
  ...Object.entries(PASSED_ON).flatMap(([file, texts]) => texts.map((text) => ({ file, text }))),
].filter(({ text }) => !isHintLine(text));
const hintLines = places
  .flatMap(told)
  .filter(({ text }) => isHintLine(text) && text !== PASSED_HINT);

function told({ file, line, texts }: HintedMessage) {
  return texts.map((text) => ({ file: `${file}:${line}`, text }));
}

const sections = readPage(PAGE)
  .text.split(/^(?=### )/m)
  .slice(1)
  .map((section) => ({
    heading: section.split('\n')[0]!.slice('### '.length),
    hints: Array.from(section.matchAll(/^> (hint: .+)$/gm), ([, hint]) => hint!),
  }));
const headings = sections.map(({ heading }) => heading);
const quoted = sections.flatMap(({ hints }) => hints);

/** Whether a text is one that a pattern with `…` for what varies stands for. */
function stands(pattern: string, text: string): boolean {
  const parts = pattern.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}

test(`every message with a hint has a heading in ${PAGE}: add \`### MESSAGE\`, … for what varies, and below it why it is and what to do`, () => {
  expect(messages.length).toBeGreaterThan(200);
  const missing = messages.filter(({ text }) => !headings.some((each) => stands(each, text)));
  expect(missing).toEqual([]);
});

test(`every line that begins with \`hint:\` is quoted in ${PAGE}, below its message: add \`> hint: …\``, () => {
  expect(hintLines.length).toBeGreaterThan(10);
  const missing = hintLines.filter(({ text }) => !quoted.some((each) => stands(each, text)));
  expect(missing).toEqual([]);
});

test('a message that cannot be read from the source is listed in this test (or write it where the error is made)', () => {
  const passing = places.filter(({ texts }) => texts.every((text) => text === PASSED_HINT));
  const files = new Set(passing.map(({ file }) => file));
  expect([...files].filter((file) => !(file in PASSED_ON))).toEqual([]);
  expect(Object.keys(PASSED_ON).filter((file) => !files.has(file))).toEqual([]);
});

test.each(APART)('$file says: $text', ({ file, text }) => {
  const source = readFileSync(join(ROOT, file), 'utf8').replaceAll('\\`', '`');
  for (const part of text.split('…')) expect(source).toContain(part);
});

test('no heading and no quoted hint is stale', () => {
  const stale = sections.filter(
    ({ heading, hints }) =>
      hints.length === 0 && !messages.some(({ text }) => stands(heading, text)),
  );
  expect(stale).toEqual([]);
  expect(quoted.filter((hint) => !hintLines.some(({ text }) => stands(hint, text)))).toEqual([]);
});

test('no heading matches every message', () => {
  const vague = headings.filter((heading) => heading.replaceAll(/[^\p{L}]/gu, '').length < 6);
  expect(vague).toEqual([]);
});
