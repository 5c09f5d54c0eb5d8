import type { Lockfile } from '../../../lock/lockfile.js';
import type { Requirers } from '../requirers.js';

/** Warnings of what the lockfile was asked to have, and no input asks for any more. */
export function vanishedRoots(
  before: Lockfile | undefined,
  after: Lockfile,
  requirers: Requirers,
): string[] {
  if (before === undefined) return [];
  const count = before.packages.length;
  if (after.packages.length === 0 && count > 0) {
    const all = count === 1 ? 'the one package' : `all ${count} packages`;
    return [`nothing is asked for: ${all} of the lockfile ${count === 1 ? 'goes' : 'go'}`];
  }
  const now = new Map(after.packages.map((one) => [one.repository, one]));
  return before.packages
    .filter(({ repository, direct }) => direct && now.get(repository)?.direct !== true)
    .map(({ repository, version }) => {
      const asked = `${repository} ${version} is no longer asked for`;
      if (!now.has(repository)) return `${asked}, and goes`;
      const by = requirers.get(repository)?.[0]?.text;
      return `${asked}, and stays${by === undefined ? '' : `: ${by}`}`;
    });
}
