import { formatOrigin } from '../../../model/input-error.js';
import type { Report, ReportFinding, ReportStep } from '../../../report/report.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { jsonDocument } from '../json-document.js';
import { columns } from '../packages.js';

/** Steps of `check`, in the order of its table. */
export const CHECK_STEPS = ['inputs', 'locked', 'rendered', 'verify', 'lint', 'matrix'] as const;

export type CheckStepName = (typeof CHECK_STEPS)[number];

/** How a step went; `exitCode` is that of the command that does the same alone. */
export interface CheckStep extends ReportStep {
  readonly name: CheckStepName;
  readonly exitCode: ExitCode;
}

export interface Checked {
  /** In the order of the table. */
  readonly steps: readonly CheckStep[];
  /** The release that is locked; undefined: no lockfile was read. */
  readonly crossplane: string | undefined;
}

/** That of the first step that failed. */
export function checkExitCode({ steps }: Checked): ExitCode {
  return steps.find(({ status }) => status === 'failed')?.exitCode ?? EXIT.done;
}

/** A line a step. */
export function checkTable({ steps }: Checked): string[] {
  return columns(steps.map(({ name, status, text }) => [name, status, text])).map((line) =>
    line.slice(2),
  );
}

/** What steps found, each with its place, and what to do about it. */
export function checkComplaints({ steps }: Checked): string[] {
  return steps.flatMap(({ name, findings }) => findings.flatMap((each) => complaint(each, name)));
}

const LABELS = { error: 'error', warning: 'warning', info: 'note' } as const;

function complaint({ severity, origin, text, rule, fix }: ReportFinding, step: string): string[] {
  const [first = '', ...more] = text.split('\n');
  const place = origin === undefined ? '' : `${formatOrigin(origin)}: `;
  return [
    `${LABELS[severity]}: ${step}: ${place}${first} [${rule}]`,
    ...more.map((line) => `  ${line}`),
    ...(fix === undefined ? [] : [`  fix: ${fix}`]),
  ];
}

function headline({ steps }: Checked): string {
  const failed = steps.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length === 0 ? 'all is well' : `failed: ${failed.join(', ')}`;
}

export function checkReport(checked: Checked): Report {
  const { steps, crossplane } = checked;
  return {
    command: 'check',
    headline: headline(checked),
    steps,
    outputs: crossplane === undefined ? {} : { crossplane },
  };
}

export function checkJson(checked: Checked, bytes: number): string {
  const exitCode = checkExitCode(checked);
  return jsonDocument({
    status: exitCode === EXIT.done ? 'passed' : 'failed',
    exitCode,
    crossplane: checked.crossplane,
    steps: checked.steps.map(({ name, status, exitCode: code, text, findings }) => ({
      name,
      status,
      exitCode: code,
      text,
      findings: findings.map(({ rule, severity, origin, text: told, fix }) => ({
        rule,
        severity,
        file: origin?.file,
        line: origin?.line,
        text: told,
        fix,
      })),
    })),
    stats: { bytes },
  });
}
