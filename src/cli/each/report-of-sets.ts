import type { Report, ReportStep } from '../../report/report.js';
import { EXIT } from '../exit-code.js';
import { closingLine } from './each-table.js';
import type { PrintedResult } from './set-result.js';

/** One report of what came of every set, for `--format`: its steps are those of the sets. */
export async function reportOfSets(
  results: readonly PrintedResult[],
  command: string,
): Promise<Report> {
  const steps: ReportStep[] = [];
  for (const result of results) {
    const made = (await result.report?.(command))?.steps ?? [unreported(result)];
    for (const step of made) {
      const name = [command, result.set].includes(step.name)
        ? result.set
        : `${result.set} ${step.name}`;
      steps.push({ ...step, name });
    }
  }
  return { command, headline: closingLine(results), steps };
}

/** Of a set about which the command reported nothing. */
function unreported({ set, exitCode, headline }: PrintedResult): ReportStep {
  const status = exitCode === EXIT.done ? 'passed' : 'failed';
  return { name: set, status, text: headline, findings: [] };
}
