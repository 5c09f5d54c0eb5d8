import type { Outdated, OutdatedReport } from '../../usecases/outdated.js';
import { columns } from './packages.js';

/** A line a package: where it is, how far it could go, and what there is. */
export function outdatedLines({ packages }: OutdatedReport): string[] {
  if (packages.length === 0) return [];
  const heading = ['package', 'locked', 'fits', 'newest', ''];
  return columns([heading, ...packages.map(row)]);
}

function row({ repository, version, fits, newest, heldBy }: Outdated): string[] {
  return [repository, version, fits ?? '-', newest, heldBy ?? ''];
}

export function outdatedJson({ packages, notes }: OutdatedReport, crossplane: string): string {
  const document = {
    schemaVersion: 1,
    crossplane,
    packages: packages.map(({ repository, version, fits, newest, heldBy }) => ({
      source: repository,
      version,
      ...(fits !== undefined && { fits }),
      newest,
      ...(heldBy !== undefined && { heldBy }),
    })),
    notes,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
