import type { OutdatedReport } from './outdated.js';
import type { AdvisedPackage } from './update-advice-output.js';
import { codeSpan } from '../../base/escape.js';
import { wrap } from '../../base/messages.js';
import { type LockPlaces, singleStep, table } from '../../cli/findings/report-parts.js';
import type { Report } from '../../cli/findings/report.js';
import { columns, counted } from '../../cli/terminal/package-text.js';
import { effectText } from '../../resolver/suggest/change-effect.js';
import { heldByText } from '../../resolver/resolve/blocked-by.js';

/**
 * A row a package: the version locked, what an update would lock, and the newest; below it what
 * holds it back from that, and what moving to it would take.
 */
export function outdatedLines(packages: readonly AdvisedPackage[]): string[] {
  if (packages.length === 0) return [];
  const [heading, ...rows] = columns([
    ['package', 'locked', 'fits', 'newest'],
    ...packages.map(({ repository, version, fits, newest }) => [
      repository,
      version,
      fits === undefined || fits === version ? '-' : fits,
      newest,
    ]),
  ]);
  return [heading!, ...packages.flatMap((each, i) => [rows[i]!, ...heldLines(each)])];
}

function heldLines({ heldBy, advice }: Pick<AdvisedPackage, 'heldBy' | 'advice'>): string[] {
  if (heldBy === undefined) return [];
  const lines = wrap(`held by ${heldByText(heldBy)}`, '    ', '      ');
  if (advice === undefined) return lines;
  const { text, version, commands, effect } = advice;
  return [
    ...lines,
    ...wrap(`to move to ${version}: ${text}`, '    ', '      '),
    // A command is one line, however long.
    ...commands.map((command) => `      ${command}`),
    ...wrap(`effect: ${effectText(effect)}`, '      ', '        '),
  ];
}

/** Returns why an update changes nothing; `packages` have newer versions. */
export function stayingLines(packages: readonly AdvisedPackage[]): string[] {
  if (packages.length === 0) return ['nothing moves: there is nothing newer'];
  return packages.flatMap(({ repository, version, newest, ...held }) => [
    `nothing moves: ${repository} stays at ${version} (newest is ${newest})`,
    ...heldLines(held),
  ]);
}

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
      ...(heldBy === undefined ? [] : [`held by ${heldByText(heldBy)}`]),
    ].join('; '),
  }));
  const rows = packages.map(({ repository, version, fits, newest, heldBy }) =>
    [
      repository,
      version,
      fits === version ? undefined : fits,
      newest,
      heldBy && heldByText(heldBy),
    ].map(cell),
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
