import { formatOrigin } from '../../base/errors.js';
import type { Report, ReportStep } from '../../cli/findings/report.js';
import { EXIT, type ExitCode } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns } from '../../cli/terminal/package-text.js';

/** Steps of `check`, in the order of its table. */
export const CHECK_STEPS = ['inputs', 'locked', 'rendered', 'verify', 'lint', 'matrix'] as const;

export type CheckStepName = (typeof CHECK_STEPS)[number];

/** The result of a step; `exitCode` is that of the command that runs the step alone. */
export interface CheckStep extends ReportStep {
  readonly name: CheckStepName;
  readonly exitCode: ExitCode;
}

export interface CheckValue {
  /** In the order of the table. */
  readonly steps: readonly CheckStep[];
  /** Release in the lockfile; undefined: no lockfile was read. */
  readonly crossplane: string | undefined;
  /** Bytes read from the network. */
  readonly bytes: number;
}

/** Returns the exit code of the first failed step. */
export function checkExitCode({ steps }: Pick<CheckValue, 'steps'>): ExitCode {
  return steps.find(({ status }) => status === 'failed')?.exitCode ?? EXIT.done;
}

/** Returns a line for each step. */
export function checkTable({ steps }: CheckValue): string[] {
  return columns(steps.map((step) => [step.name, step.status, step.text])).map((line) =>
    line.slice(2),
  );
}

const LABELS = { error: 'error', warning: 'warning', info: 'note' } as const;

/** Returns the findings of all steps as text, each with its position and fix. */
export function checkComplaints({ steps }: CheckValue): string[] {
  const findings = steps.flatMap((step) => step.findings.map((each) => ({ step, ...each })));
  return findings.flatMap(({ step, severity, origin, rule, text, fix }) => {
    const [first = '', ...more] = text.split('\n');
    const place = origin === undefined ? '' : `${formatOrigin(origin)}: `;
    return [
      `${LABELS[severity]}: ${step.name}: ${place}${first} [${rule}]`,
      ...more.map((line) => `  ${line}`),
      ...(fix === undefined ? [] : [`  fix: ${fix}`]),
    ];
  });
}

export function checkReport({ steps, crossplane }: CheckValue): Report {
  const failed = steps.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return {
    command: 'check',
    headline: failed.length === 0 ? 'all is well' : `failed: ${failed.join(', ')}`,
    steps,
    outputs: crossplane === undefined ? {} : { crossplane },
  };
}

const schema = json.outputSchema('check -o json', {
  status: json.oneOf(['passed', 'failed'], 'Whether every step passed, or was skipped.'),
  exitCode: json.count('Exit code of the process: that of the first step that failed.'),
  'crossplane?': json.crossplane,
  steps: json.list(
    json.record({
      name: json.oneOf(CHECK_STEPS, 'Name of the step.'),
      status: json.oneOf(['passed', 'failed', 'skipped'], 'How it went.'),
      exitCode: json.count('Exit code of the step; 0 where it passed or was skipped.'),
      text: json.text('How it went, in one line.'),
      findings: json.list(
        json.record({
          rule: json.text('Name of the rule.'),
          severity: json.severity,
          'file?': json.text('File that it stands in; absent: in none.'),
          'line?': json.count('Line in that file, from 1.'),
          text: json.text('What was found; its first line says what it is.'),
          'fix?': json.text('What to do.'),
        }),
        'What was found.',
      ),
    }),
    'The steps, in the order of the table.',
  ),
  stats: json.record({ bytes: json.count('Bytes read from the network.') }, 'What it took.'),
});

export const checkOutput = json.jsonOutput(
  schema,
  ({ steps, crossplane, bytes }: CheckValue): json.Static<typeof schema> => {
    const exitCode = checkExitCode({ steps });
    return {
      status: exitCode === EXIT.done ? 'passed' : 'failed',
      exitCode,
      crossplane,
      steps: steps.map(({ findings, ...step }) => ({
        ...step,
        findings: findings.map(({ rule, severity, origin, text, fix }) => {
          return { rule, severity, file: origin?.file, line: origin?.line, text, fix };
        }),
      })),
      stats: { bytes },
    };
  },
);
