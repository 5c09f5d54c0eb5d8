import { isTakenByCompat } from '../../../admission/finding.js';
import { byCodePoint } from '../../../text/code-point-order.js';
import { formatOrigin } from '../../../model/input-error.js';
import type { Origin } from '../../../model/package.js';
import type { Finding } from '../../../model/package-meta.js';
import type { Target } from '../../../model/target/target.js';
import { counted } from '../counted.js';

/** What `lint -o json` prints. */
interface LintReport {
  readonly package: string;
  readonly crossplane: string;
  readonly errors: number;
  readonly warnings: number;
  /** By file and line. */
  readonly findings: readonly LocatedFinding[];
}

interface LocatedFinding {
  readonly severity: Finding['severity'];
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number | undefined;
}

export function lintReport(
  subject: string,
  target: Target,
  found: {
    readonly findings: readonly Finding[];
    readonly originOf: (line: number | undefined) => Origin;
  },
): LintReport {
  const findings = found.findings.map(({ severity, code, message, line }): LocatedFinding => {
    const { file, line: at } = found.originOf(line);
    return { severity, code, message, file, line: at };
  });
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  return {
    package: subject,
    crossplane: target.version,
    errors: count('error'),
    warnings: count('warning'),
    findings: findings.sort((a, b) => byCodePoint(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0)),
  };
}

export function lintReportText(report: LintReport): string {
  const lines = report.findings.map((finding) => {
    const { severity, code, message } = finding;
    return `${formatOrigin(finding)}: ${severity}: ${message} [${code}]`;
  });
  const { errors, warnings, crossplane } = report;
  const taker = isTakenByCompat(report.findings) ? 'only `--compat`' : `Crossplane ${crossplane}`;
  const verdict = errors === 0 ? `${taker} takes it` : `Crossplane ${crossplane} refuses it`;
  return `${[...lines, `${verdict}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`].join('\n')}\n`;
}
