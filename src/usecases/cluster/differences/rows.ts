import type { Lockfile } from '../../../lock/lockfile.js';
import type { InstalledCluster } from '../installed-cluster.js';
import type { Difference } from './difference.js';

/** Lock rows that say other dependencies than the lockfile; of rows that are not right otherwise, rules tell. */
export function rowDifferences({ packages }: Lockfile, { dump }: InstalledCluster): Difference[] {
  const rows = dump.lock?.rows ?? [];
  return packages.flatMap((locked): Difference[] => {
    const { repository } = locked;
    const wanted = locked.requirements.flatMap((each) =>
      each.requires === 'package' ? [written(each)] : [],
    );
    return rows
      .filter(({ source, version }) => source === repository && version === locked.version)
      .flatMap((row): Difference[] => {
        const found = row.dependencies.map(written);
        if (found.join() === wanted.join()) return [];
        return [
          {
            kind: 'lock-row',
            repository,
            origin: row.origin,
            text: `the Lock row of \`${repository}\` has other dependencies than ${locked.version} is locked with`,
            locked: wanted.join(', ') || 'none',
            found: found.join(', ') || 'none',
            fix: '`xpkg-resolve verify` says which of them the package has',
          },
        ];
      });
  });
}

function written(each: {
  readonly repository: string;
  readonly kind: string | undefined;
  readonly constraint: string;
}): string {
  return `${each.kind ?? 'unknown'} ${each.repository} \`${each.constraint}\``;
}
