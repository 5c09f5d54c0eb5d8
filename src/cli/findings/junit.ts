import { formatOrigin } from '../../base/errors.js';
import { escapeMarkup } from '../../base/escape.js';
import { type PlacedFinding, type PlacedReport, type PlacedStep, findingText } from './report.js';

/** Formats a report as JUnit XML: a suite for each step, a test case for each finding or passed step. */
export function junitResults({ command, steps }: PlacedReport): string {
  const name = `xpkg-resolve ${command}`;
  const cases = steps.reduce((sum, step) => sum + casesIn(step), 0);
  const failures = steps.reduce((sum, step) => sum + failuresIn(step), 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name, tests: cases, failures, errors: 0 })}>`,
    ...steps.flatMap((step) => suite(step, name)),
    '</testsuites>',
    '',
  ].join('\n');
}

function casesIn({ findings }: PlacedStep): number {
  return Math.max(1, findings.length);
}

function failuresIn({ status, findings }: PlacedStep): number {
  if (findings.length === 0) return status === 'failed' ? 1 : 0;
  return findings.filter(({ fails }) => fails).length;
}

function suite(step: PlacedStep, command: string): string[] {
  const { name, status, findings } = step;
  const counts = {
    name: `${command}: ${name}`,
    tests: casesIn(step),
    failures: failuresIn(step),
    errors: 0,
    skipped: findings.length === 0 && status === 'skipped' ? 1 : 0,
  };
  const classname = `${command.replaceAll(' ', '.')}.${name}`;
  return [
    `  <testsuite${attributes(counts)}>`,
    ...(findings.length === 0
      ? wholeStep(step, classname)
      : findings.flatMap((finding) => testCase(finding, classname))),
    '  </testsuite>',
  ];
}

function wholeStep({ name, status, text }: PlacedStep, classname: string): string[] {
  const inside = {
    passed: [],
    skipped: [`<skipped${attributes({ message: text })}/>`],
    failed: [`<failure${attributes({ message: text, type: name })}/>`],
  }[status];
  return element('testcase', { name, classname }, inside);
}

function testCase(finding: PlacedFinding, classname: string): string[] {
  const { origin, rule, fails, severity } = finding;
  const place = formatOrigin(origin);
  const whole = `${place}: ${severity}: ${findingText(finding)} [${rule}]`;
  const message = finding.text.split('\n')[0]!;
  const lines = whole.split('\n').map((line) => escapeMarkup(line, Infinity));
  const escaped = lines.join('\n');
  const inside = fails
    ? `<failure${attributes({ message, type: rule })}>${escaped}</failure>`
    : `<system-out>${escaped}</system-out>`;
  return element('testcase', { name: `${rule}: ${place}: ${message}`, classname }, [inside]);
}

function element(
  name: string,
  properties: Readonly<Record<string, string>>,
  inside: readonly string[],
): string[] {
  const start = `    <${name}${attributes(properties)}`;
  if (inside.length === 0) return [`${start}/>`];
  return [`${start}>`, ...inside.map((line) => `      ${line}`), `    </${name}>`];
}

function attributes(properties: Readonly<Record<string, string | number>>): string {
  return Object.entries(properties)
    .map(([name, value]) => ` ${name}="${escapeMarkup(String(value), Infinity)}"`)
    .join('');
}
