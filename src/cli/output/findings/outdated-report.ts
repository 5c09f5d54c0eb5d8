import type { Report } from '../../../report/report.js';
import { codeSpan } from '../../../text/markup/code-span.js';
import type { OutdatedReport } from '../../../usecases/outdated.js';
import { counted } from '../counted.js';
import type { LockPlaces } from './lock-places.js';
import { table } from './markdown-parts.js';
import { singleStep } from './single-step.js';

/** `fails`: anything outdated fails the run. */
export function outdatedReport(
  { packages }: OutdatedReport,
  places: LockPlaces,
  fails: boolean,
): Report {
  const findings = packages.map(({ repository, version, fits, newest, heldBy }) => ({
    rule: 'outdated',
    severity: 'info' as const,
    fails,
    origin: places.of(repository),
    text: [
      `${repository} ${version}: newest is ${newest}`,
      ...(fits === undefined || fits === version ? [] : [`an update locks ${fits}`]),
      ...(heldBy === undefined ? [] : [`held by ${heldBy}`]),
    ].join('; '),
  }));
  const rows = packages.map(({ repository, version, fits, newest, heldBy }) =>
    [repository, version, fits === version ? undefined : fits, newest, heldBy].map(cell),
  );
  return singleStep({
    command: 'outdated',
    headline:
      packages.length === 0
        ? 'nothing newer'
        : `${counted(packages.length, 'package')} with newer versions`,
    findings,
    details: table(['package', 'locked', 'fits', 'newest', 'held by'], rows).join(''),
    isDetailed: true,
    outputs: { outdated: String(packages.length) },
  });
}

function cell(text: string | undefined): string {
  return text === undefined ? '' : codeSpan(text, { inTable: true });
}
