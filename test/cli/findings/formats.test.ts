import { describe, expect, test } from 'vitest';
import {
  azureIssues,
  githubAnnotations,
  githubOutputs,
  gitlabCodeQuality,
} from '../../../src/cli/findings/ci-formats.js';
import { junitResults } from '../../../src/cli/findings/junit.js';
import { markdownSummary } from '../../../src/cli/findings/markdown.js';
import { sarifLog } from '../../../src/cli/findings/sarif.js';
import {
  placedReport,
  type PlacedReport,
  type Report,
  type ReportFinding,
} from '../../../src/cli/findings/report.js';
import { BUILD_LOG_COMMANDS, containsBuildLogCommand } from '../../../src/base/escape.js';
import { codeQualityProblems, sarifProblems } from '../../support/report-schemas.js';

const FORMATS = {
  github: githubAnnotations,
  azure: azureIssues,
  gitlab: gitlabCodeQuality,
  junit: junitResults,
  markdown: markdownSummary,
  sarif: (report: PlacedReport) => sarifLog(report, '1.2.3'),
};

function finding(given: Partial<ReportFinding> = {}): ReportFinding {
  const origin = { file: 'xpkg.yaml', line: 7 };
  return { rule: 'stale', severity: 'error', fails: true, origin, text: 'is stale', ...given };
}

function pathOf(file: string): string | undefined {
  return file.endsWith('.yaml') ? `infra/${file}` : undefined;
}

function reportOf(findings: readonly ReportFinding[], given: Partial<Report> = {}): PlacedReport {
  const status = findings.some(({ fails }) => fails) ? 'failed' : 'passed';
  const step = { name: 'verify', status, text: 'as it went', findings } as const;
  const report = { command: 'verify', headline: 'as it went', steps: [step], ...given };
  return placedReport(report, { pathOf, fallback: 'infra/xpkg.yaml' });
}

function printOf(given: Partial<ReportFinding>): string {
  const text = gitlabCodeQuality(reportOf([finding(given)]));
  return (JSON.parse(text) as { fingerprint: string }[])[0]!.fingerprint;
}

function emptyStep(name: string, status: 'passed' | 'failed' | 'skipped') {
  return { name, status, text: `was ${status}`, findings: [] } as const;
}

describe('places', () => {
  test('names files relative to the repository', () => {
    const [step] = reportOf([finding()]).steps;
    expect(step!.findings[0]!.origin).toEqual({ file: 'infra/xpkg.yaml', line: 7 });
  });

  test('reports findings without a file at the first line of the inputs, with their origin', () => {
    const [step] = reportOf([finding({ origin: { file: 'command line' } })]).steps;
    const { origin, text } = step!.findings[0]!;
    expect({ origin, text }).toEqual({
      origin: { file: 'infra/xpkg.yaml', line: 1 },
      text: 'command line: is stale',
    });
  });
});

describe('github', () => {
  test('annotates a line, escaped like the toolkit of GitHub', () => {
    const report = reportOf([
      finding({ text: '100 %\nof it: a, b', origin: { file: 'a,b:c.yaml', line: 3 } }),
    ]);
    expect(githubAnnotations(report)).toBe(
      '::error file=infra/a%2Cb%3Ac.yaml,line=3,title=xpkg-resolve%3A stale::100 %25%0Aof it: a, b\n',
    );
  });

  test('sorts by severity, with the levels of GitHub and the fix', () => {
    const text = githubAnnotations(
      reportOf([
        finding({ severity: 'info', text: 'i' }),
        finding({ severity: 'warning', text: 'w', fix: 'so' }),
        finding({ text: 'e' }),
      ]),
    );
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['::error', '::warning', '::notice']);
    expect(text).toContain('::w%0Afix: so\n');
  });

  test('the last of many annotations counts those that GitHub does not show', () => {
    const many = Array.from({ length: 25 }, (_, i) => finding({ text: `number ${i}` }));
    const lines = githubAnnotations(reportOf(many)).trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[8]).toContain('::number 8');
    expect(lines[9]).toContain('::and 16 more');
  });

  test('an output has one line, whatever its value', () => {
    expect(githubOutputs({ a: 'x\nb=evil', c: '2' })).toBe('a=x b=evil\nc=2\n');
  });
});

describe('azure', () => {
  test('logs issues with file and line, escaped for the agent', () => {
    const report = reportOf([
      finding({ text: '5 %\n]; x', origin: { file: 'a;b].yaml', line: 2 } }),
    ]);
    expect(azureIssues(report)).toBe(
      '##vso[task.logissue type=error;sourcepath=infra/a%3Bb%5D.yaml;linenumber=2;code=stale;]5 %AZP25%0A]; x\n',
    );
  });

  test('logs findings that are neither errors nor warnings', () => {
    const report = reportOf([finding({ severity: 'info', fails: false, text: 'a\nb' })]);
    expect(azureIssues(report)).toBe('note: infra/xpkg.yaml:7: a b\n');
  });
});

describe('gitlab', () => {
  test('is a Code Quality report', () => {
    const all = reportOf([
      finding(),
      finding(),
      finding({ severity: 'warning', text: 'w' }),
      finding({ rule: 'tag-moved', text: 'other bytes' }),
    ]);
    const text = gitlabCodeQuality(all);
    expect(codeQualityProblems(text)).toEqual([]);
    const issues = JSON.parse(text) as { severity: string }[];
    expect(issues.map(({ severity }) => severity)).toEqual(['major', 'major', 'critical', 'minor']);
  });

  test('fingerprints do not depend on lines, and differ for different findings', () => {
    const moved = { origin: { file: 'xpkg.yaml', line: 9 }, text: 'xpkg.yaml:9 asks' };
    expect(printOf({ text: 'xpkg.yaml:7 asks' })).toBe(printOf(moved));
    expect(printOf({ text: 'other' })).not.toBe(printOf({}));
    expect(printOf({ rule: 'gone' })).not.toBe(printOf({}));
  });

  test('is an empty list without findings', () => {
    expect(gitlabCodeQuality(reportOf([]))).toBe('[]\n');
  });
});

describe('sarif', () => {
  test('is SARIF 2.1.0 with descriptions of its rules', () => {
    const text = sarifLog(
      reportOf([finding(), finding({ rule: 'made-up', severity: 'info', fails: false })]),
      '1.2.3',
    );
    expect(sarifProblems(text)).toEqual([]);
    const { runs } = JSON.parse(text) as {
      runs: {
        tool: { driver: { rules: { id: string; shortDescription: { text: string } }[] } };
        results: { ruleId: string; ruleIndex: number; level: string }[];
      }[];
    };
    const { tool, results } = runs[0]!;
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['stale', 'error'],
      ['made-up', 'note'],
    ]);
    for (const { ruleId, ruleIndex } of results)
      expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
    expect(tool.driver.rules.every((rule) => rule.shortDescription.text !== '')).toBe(true);
  });

  test('the schema rejects an invalid result', () => {
    const text = sarifLog(reportOf([finding()]), '1.2.3').replace(
      '"level": "error"',
      '"level": "x"',
    );
    expect(sarifProblems(text)).not.toEqual([]);
  });

  test('a path is a URI relative to the repository', () => {
    const text = sarifLog(reportOf([finding({ origin: { file: 'a b#c.yaml' } })]), '1.2.3');
    expect(text).toContain('"uri": "infra/a%20b%23c.yaml"');
  });

  test('a message contains no links and no placeholders', () => {
    const text = sarifLog(reportOf([finding({ text: '[click](https://evil) {0}' })]), '1.2.3');
    expect(text).toContain(String.raw`"text": "\\[click\\](https://evil) {{0}}"`);
  });
});

describe('junit', () => {
  test('a case fails for each finding that fails the run, and the others pass', () => {
    const text = junitResults(
      reportOf([finding({ text: 'a < b\nand more' }), finding({ severity: 'info', fails: false })]),
    );
    expect(text).toContain('tests="2" failures="1"');
    expect(text).toContain('<failure message="a &lt; b" type="stale">');
    expect(text).toContain('<system-out>infra/xpkg.yaml:7: info: is stale [stale]</system-out>');
  });

  test('a step without findings is a case that passes, fails or is skipped', () => {
    const steps = [emptyStep('a', 'passed'), emptyStep('b', 'failed'), emptyStep('c', 'skipped')];
    const text = junitResults(reportOf([], { steps }));
    expect(text).toContain('tests="3" failures="1"');
    expect(text).toContain('<failure message="was failed" type="b"/>');
    expect(text).toContain('<skipped message="was skipped"/>');
    expect(text).toContain('<testcase name="a" classname="xpkg-resolve.verify.a"/>');
  });
});

describe('markdown', () => {
  test('lists findings, and has a table for several steps', () => {
    const steps = [
      { name: 'locked', status: 'failed', text: 'a|b', findings: [finding()] },
      { name: 'lint', status: 'passed', text: 'well', findings: [] },
    ] as const;
    expect(markdownSummary(reportOf([], { command: 'check', steps }))).toBe(
      [
        '### xpkg-resolve check: failed',
        '`as it went`',
        '| step | result |  |\n| --- | --- | --- |\n| locked | failed | `a\\|b` |\n| lint | passed | `well` |',
        '- **error** `infra/xpkg.yaml:7` (`stale`): `is stale`\n',
      ].join('\n\n'),
    );
  });

  test('writes several lines as a fenced block that its text cannot end', () => {
    const text = markdownSummary(reportOf([finding({ text: 'a\n````\n<img src=x>' })]));
    expect(text).toContain('  `````text\n  a\n  ````\n  <img src=x>\n  `````');
  });
});

describe('text from packages', () => {
  const HOSTILE = [
    ...BUILD_LOG_COMMANDS.map(([, example]) => example),
    '\u001b[31mred',
    '\u202ereversed',
    ']]><script>alert(1)</script>&',
    '@everyone [x](https://evil.example) <img src=x onerror=1>',
    '\ud800 half',
  ];

  test.each(Object.entries(FORMATS))('commands no system in %s', (format, write) => {
    for (const text of HOSTILE) {
      const all = [
        finding({ text: `x\n${text}`, fix: `${text}\n${text}` }),
        finding({ text, severity: 'info' }),
      ];
      const written = write(reportOf(all, { headline: text }));
      // Commands of this tool are the first word of a line; no other command is in the line.
      const own = { github: /^::(?:error|notice) /gm, azure: /^##vso\[task\.logissue /gm }[format];
      const rest = own === undefined ? written : written.replaceAll(own, '');
      expect(containsBuildLogCommand(rest), text).toBe(false);
      // eslint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
      expect(written).not.toMatch(/\p{Surrogate}/u);
      if (format === 'github' || format === 'azure')
        expect(written.trimEnd().split('\n')).toHaveLength(2);
      if (format === 'junit') expect(written).not.toMatch(/<script|<img/);
      if (format === 'sarif') expect(sarifProblems(written)).toEqual([]);
      if (format === 'gitlab') expect(codeQualityProblems(written)).toEqual([]);
    }
  });
});
