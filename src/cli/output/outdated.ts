import type { Outdated, OutdatedReport } from '../../usecases/outdated.js';
import { columns } from './packages.js';
import { jsonDocument } from './json-document.js';

/** A line a package: the version locked, the newest that fits, the newest, and what holds it. */
export function outdatedLines({ packages }: OutdatedReport): string[] {
  if (packages.length === 0) return [];
  const heading = ['package', 'locked', 'fits', 'newest', ''];
  return columns([heading, ...packages.map(row)]);
}

function row({ repository, version, fits, newest, heldBy }: Outdated): string[] {
  return [repository, version, fits ?? '-', newest, heldBy ?? ''];
}

export function outdatedJson({ packages, notes }: OutdatedReport, crossplane: string): string {
  return jsonDocument({
    crossplane,
    packages: packages.map(({ repository, version, fits, newest, heldBy }) => ({
      source: repository,
      version,
      ...(fits !== undefined && { fits }),
      newest,
      ...(heldBy !== undefined && { heldBy }),
    })),
    notes,
  });
}
