import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test, type TestContext } from 'vitest';
import type { PackageContents } from '../../../src/crossplane/packages/package-contents.js';
import { targetFor } from '../../../src/crossplane/releases/target.js';
import { readPackageYaml } from '../../../src/crossplane/package-yaml/read-package-yaml.js';
import { compareConstraint } from '../../support/compared-constraint.js';
import { comparePackage } from '../../support/compared-package.js';
import { recordedSample, SAMPLE_FILES, sampleOf } from '../../support/oracle-sample.js';
import { table } from '../../conformance/table.js';
import { askOracle, type OracleQuestion } from './ask-oracle.js';
import {
  largeOracleQuestion,
  oracleQuestion,
  oracleStream,
  samplePackages,
} from './oracle-inputs.js';

const RELEASES =
  process.env['XPKG_ORACLE_RELEASES']?.split(',') ??
  readFileSync(new URL('releases', import.meta.url), 'utf8')
    .trim()
    .split('\n');
const STREAMS = Number(process.env['XPKG_ORACLE_STREAMS'] ?? '20000');
const PAIRS = Number(process.env['XPKG_ORACLE_PAIRS'] ?? '60000');
const SEED = Number(process.env['XPKG_ORACLE_SEED'] ?? '1');
const SAMPLED_PACKAGES = 120;
const SAMPLED_CONSTRAINTS = 250;

const streams = Array.from({ length: STREAMS }, (_, i) => oracleStream(SEED, i));
const contents: PackageContents[] = [];
const counted = new Map<string, Map<string, number>>();

beforeAll(async () => {
  for (const stream of streams) contents.push(await readPackageYaml(stream));
});

describe.each(RELEASES)('%s', (release) => {
  const target = targetFor(release)!;

  test('judges packages as this tool does', (context) => {
    const counts = new Map<string, number>();
    const otherwise: string[] = [];
    counted.set(release, counts);
    for (const [i, answer] of askOracle(release, 'package', streams).entries()) {
      const compared = comparePackage(contents[i]!, target, answer);
      const row = 'alike' in compared ? `both ${compared.alike}` : Object.values(compared)[0]!;
      if ('otherwise' in compared) otherwise.push(`${row}\n${streams[i]!.toString()}`);
      else counts.set(row, (counts.get(row) ?? 0) + 1);
    }
    const alike = [...counts].filter(([row]) => row.startsWith('both'));
    const agree = alike.reduce((sum, [, count]) => sum + count, 0);
    const named = STREAMS - agree - otherwise.length;
    record(
      context,
      release,
      'package.yaml streams judged',
      `${agree} alike, ${named} differ by name`,
    );
    expect(otherwise.slice(0, 10)).toEqual([]);
    expect(counts.get('both accepted')).toBeGreaterThan(STREAMS / 8);
    expect(counts.get('both refused')).toBeGreaterThan(STREAMS / 8);
    expect(counts.get('both refused, with different errors') ?? 0).toBeLessThan(STREAMS / 50);
  });

  test('reads constraints as this tool does', (context) => {
    const questions: OracleQuestion[] = [];
    for (let pairs = 0; pairs < PAIRS;) {
      const draw = questions.length % 40 === 7 ? largeOracleQuestion : oracleQuestion;
      const question = draw(SEED, questions.length);
      questions.push(question);
      pairs += question.versions.length;
    }
    const answers = askOracle(release, 'semver', questions.map(asInput));
    const otherwise = questions.flatMap((q, i) => compareConstraint(q, target, answers[i]!));
    const invalid = answers.filter(({ error }) => error !== undefined).length;
    const admitted = answers
      .flatMap(({ admits }) => admits.split(''))
      .filter((a) => a === '1').length;
    record(context, release, 'constraints with a version', `${PAIRS} agree`);
    expect(otherwise.slice(0, 10)).toEqual([]);
    expect(invalid).toBeGreaterThan(questions.length / 20);
    expect(admitted).toBeGreaterThan(PAIRS / 10);
  });
});

/** `XPKG_ORACLE_RECORD=1` updates the file. */
test('the recorded answers for npm test are those of the releases', () => {
  const releases = process.env['XPKG_ORACLE_RECORD'] === '1' ? RELEASES : recordedReleases();
  const packages = samplePackages(SAMPLED_PACKAGES);
  const questions = Array.from({ length: SAMPLED_CONSTRAINTS }, (_, i) => oracleQuestion(0, i));
  const inputs = packages.map((text) => Buffer.from(text));
  const said = {
    packages: sampleOf(
      packages,
      byRelease(releases, (on) => askOracle(on, 'package', inputs)),
    ),
    constraints: sampleOf(
      questions,
      byRelease(releases, (on) => askOracle(on, 'semver', questions.map(asInput))),
    ),
  };
  if (process.env['XPKG_ORACLE_RECORD'] === '1') {
    mkdirSync(new URL('.', SAMPLE_FILES.packages), { recursive: true });
    for (const [of, lines] of Object.entries(said)) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      writeFileSync(SAMPLE_FILES[of as keyof typeof said], text);
    }
  }
  expect(said.packages).toEqual(recordedSample('packages'));
  expect(said.constraints).toEqual(recordedSample('constraints'));
});

test('all differences are listed in docs/fidelity.md, and there are few', () => {
  const rows = [...new Set([...counted.values()].flatMap((counts) => [...counts.keys()]))];
  const cells = rows.toSorted().map((row) => {
    return [row, ...[...counted.values()].map((counts) => counts.get(row) ?? 0)];
  });
  process.stdout.write(`\n${table([['package.yaml streams', ...counted.keys()], ...cells])}`);
  for (const counts of counted.values()) {
    const alike = [...counts].filter(([row]) => row.startsWith('both'));
    const sum = alike.reduce((total, [, count]) => total + count, 0);
    expect(sum).toBeGreaterThan(STREAMS * 0.9);
  }
});

function recordedReleases(): string[] {
  const [first] = recordedSample('packages');
  return (first?.answers ?? []).flatMap(({ on }) => on).toSorted();
}

function byRelease<T>(releases: readonly string[], ask: (on: string) => T): Map<string, T> {
  return new Map(releases.toSorted().map((release) => [release, ask(release)]));
}

function asInput(question: OracleQuestion): Buffer {
  return Buffer.from(JSON.stringify(question));
}

function record({ task }: TestContext, release: string, scenario: string, seen: string): void {
  task.meta.rigFigure = { scenario, release, seen };
}
