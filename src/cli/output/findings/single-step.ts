import type { Report } from '../../../report/report.js';

/** The report of a command that is one step: it failed if a finding says so. */
export function singleStep({
  command,
  headline,
  findings,
  ...rest
}: Pick<Report, 'command' | 'headline' | 'details' | 'isDetailed' | 'outputs'> &
  Pick<Report['steps'][number], 'findings'>): Report {
  const status = findings.some(({ fails }) => fails) ? 'failed' : 'passed';
  return {
    command,
    headline,
    steps: [{ name: command, status, text: headline, findings }],
    ...rest,
  };
}
