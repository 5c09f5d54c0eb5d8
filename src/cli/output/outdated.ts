import { wrap } from '../../text/wrap.js';
import type { Outdated, OutdatedReport } from '../../usecases/outdated.js';
import { columns } from './packages.js';
import { jsonDocument } from './json-document.js';

/**
 * A row a package: the version locked, what an update would lock, and the newest; below it what
 * holds it back from that, and what moving to it would take.
 */
export function outdatedLines({ packages }: Pick<OutdatedReport, 'packages'>): string[] {
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

function heldLines({ heldBy, takes }: Outdated): string[] {
  return [
    ...(heldBy === undefined ? [] : wrap(`held by ${heldBy}`, '    ', '      ')),
    ...(takes === undefined ? [] : wrap(`to move: ${takes}`, '    ', '      ')),
  ];
}

/** Why an update moves nothing; `packages` are those of which there are newer versions. */
export function stayingLines(packages: readonly Outdated[]): string[] {
  if (packages.length === 0) return ['nothing moves: there is nothing newer'];
  return packages.flatMap(({ repository, version, newest, ...held }) => [
    `nothing moves: ${repository} stays at ${version} (newest is ${newest})`,
    ...heldLines({ repository, version, newest, ...held }),
  ]);
}

export function outdatedJson({ packages, notes }: OutdatedReport, crossplane: string): string {
  return jsonDocument({
    crossplane,
    packages: packages.map(({ repository, ...each }) => ({ source: repository, ...each })),
    notes,
  });
}
