import type { Request } from '../../project/inputs/request.js';
import type { Report, ReportFinding } from '../../cli/findings/report.js';
import { codeSpan } from '../../base/escape.js';
import { type Matrix, type MatrixRow, releaseRange } from './matrix.js';
import { VERDICTS } from './output.js';
import { counted } from '../../cli/terminal/package-text.js';
import { table, singleStep } from '../../cli/findings/report-parts.js';

/** Returns the releases that the set does not work on, as errors if it is `meant` for them. */
export function matrixFindings(
  { rows }: Matrix,
  request: Request,
  meant: boolean,
): ReportFinding[] {
  const origin = request.crossplanes?.origin ?? request.roots[0]?.origin;
  return rows.flatMap((row): ReportFinding[] => {
    if (row.status === 'solved') return [];
    return [
      {
        rule: row.status === 'gave-up' ? 'gave-up' : 'blocked',
        severity: meant ? 'error' : 'info',
        fails: meant,
        origin,
        text: `Crossplane ${releaseRange(row.releases)}: ${row.reason}`,
      },
    ];
  });
}

export function matrixHeadline({ rows }: Matrix): string {
  const count = (status: MatrixRow['status']) =>
    rows.reduce((sum, row) => sum + (row.status === status ? row.releases.length : 0), 0);
  const unknown = count('gave-up');
  const parts = [
    `works on ${counted(count('solved'), 'release')}`,
    `blocked on ${count('unsolvable')}`,
    ...(unknown > 0 ? [`unknown on ${unknown}`] : []),
  ];
  return parts.join(', ');
}

function matrixTable({ rows }: Matrix): string[] {
  const cells = rows.map((row) => [
    codeSpan(releaseRange(row.releases), { inTable: true }),
    VERDICTS[row.status],
    codeSpan(row.status === 'solved' ? counted(row.packages.length, 'package') : row.reason, {
      inTable: true,
    }),
  ]);
  return table(['Crossplane', '', ''], cells);
}

/** Returns the report of a matrix. `failed`: the set works on none of the releases. */
export function matrixReport(result: Matrix, request: Request, failed: boolean): Report {
  const meant = failed || request.crossplanes !== undefined;
  const findings = matrixFindings(result, request, meant).map((finding) => ({
    ...finding,
    fails: failed,
  }));
  return singleStep({
    command: 'matrix',
    headline: matrixHeadline(result),
    findings,
    details: matrixTable(result).join(''),
    isDetailed: true,
  });
}
