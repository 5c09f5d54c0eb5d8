import { formatOrigin } from '../../base/errors.js';
import { escapeMarkup } from '../../base/escape.js';
import { type PlacedFinding, type PlacedReport, type PlacedStep, findingText } from './report.js';

interface TestCase {
  readonly name: string;
  readonly fails: boolean;
  /** The element in it, if any. */
  readonly content: string | undefined;
}

/** Formats a report as JUnit XML: a suite for each step, a test case for each finding or passed step. */
export function junitResults({ command, steps }: PlacedReport): string {
  const name = `xpkg-resolve ${command}`;
  const cases = steps.map(testCases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, ...countsOf(cases.flat()) })}>`,
    ...steps.flatMap((step, i) => suite(step, cases[i]!, name)),
    '</testsuites>',
    '',
  ].join('\n');
}

function countsOf(cases: readonly TestCase[]) {
  return { tests: cases.length, failures: cases.filter(({ fails }) => fails).length, errors: 0 };
}

function suite(
  { name, status, findings }: PlacedStep,
  cases: readonly TestCase[],
  command: string,
): string[] {
  const skipped = findings.length === 0 && status === 'skipped' ? 1 : 0;
  const classname = `${command.replaceAll(' ', '.')}.${name}`;
  return [
    `  <testsuite${attributes({ name: `${command}: ${name}`, ...countsOf(cases), skipped })}>`,
    ...cases.flatMap((each) => caseLines(each, classname)),
    '  </testsuite>',
  ];
}

function testCases({ name, status, text, findings }: PlacedStep): TestCase[] {
  if (findings.length > 0) return findings.map(findingCase);
  const content = {
    passed: undefined,
    skipped: `<skipped${attributes({ message: text })}/>`,
    failed: `<failure${attributes({ message: text, type: name })}/>`,
  }[status];
  return [{ name, fails: status === 'failed', content }];
}

function findingCase(finding: PlacedFinding): TestCase {
  const { origin, rule, fails, severity } = finding;
  const place = formatOrigin(origin);
  const message = finding.text.split('\n')[0]!;
  const lines = `${place}: ${severity}: ${findingText(finding)} [${rule}]`.split('\n');
  const escaped = lines.map((line) => escapeMarkup(line, Infinity)).join('\n');
  const content = fails
    ? `<failure${attributes({ message, type: rule })}>${escaped}</failure>`
    : `<system-out>${escaped}</system-out>`;
  return { name: `${rule}: ${place}: ${message}`, fails, content };
}

function caseLines({ name, content }: TestCase, classname: string): string[] {
  const start = `    <testcase${attributes({ name, classname })}`;
  if (content === undefined) return [`${start}/>`];
  return [`${start}>`, `      ${content}`, '    </testcase>'];
}

function attributes(properties: Readonly<Record<string, string | number>>): string {
  return Object.entries(properties)
    .map(([name, value]) => ` ${name}="${escapeMarkup(String(value), Infinity)}"`)
    .join('');
}
