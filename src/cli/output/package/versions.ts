import type { PublishedVersion, VersionList } from '../../../usecases/look/versions.js';
import type { FoundPackage } from '../../../usecases/look/search.js';
import { counted } from '../counted.js';
import { jsonDocument } from '../json-document.js';
import { columns } from '../packages.js';

/** A line a version: which Crossplane it needs, and whether it is locked or refused. */
export function versionLines(found: VersionList, locked: string | undefined): string[] {
  const rows = found.versions.map((each) => [
    each.version,
    each.crossplane ?? '',
    [each.version === locked ? 'locked' : '', each.refused ?? ''].filter(Boolean).join('; '),
  ]);
  const left = found.total - found.versions.length;
  return [
    ...columns([['version', 'Crossplane', ''], ...rows]),
    ...(left > 0 ? [`and ${counted(left, 'older version')}; \`--all\` shows them`] : []),
  ];
}

export function versionsJson(
  { repository, versions, total }: VersionList,
  { locked, crossplane }: { readonly locked: string | undefined; readonly crossplane: string },
): string {
  return jsonDocument({
    source: repository,
    crossplane,
    ...(locked !== undefined && { locked }),
    versions: versions.map(
      ({ version, crossplane: needs, prerelease, refused }: PublishedVersion) => ({
        version,
        prerelease,
        ...(needs !== undefined && { crossplane: needs }),
        ...(refused !== undefined && { refused }),
      }),
    ),
    total,
  });
}

/** Of what a package owns by the word, as many names as a line has room for. */
const MAX_OWNED_NAMED = 2;

/** A line a package: name, version, kind, and what it owns by the word. */
export function foundLines(found: readonly FoundPackage[]): string[] {
  return columns(
    found.map(({ repository, version, kind, owns }) => {
      const names = owns.slice(0, MAX_OWNED_NAMED).map(({ kind: as, name }) => `${as} ${name}`);
      const left = owns.length - names.length;
      const more = left > 0 ? [`${left} more`] : [];
      return [repository, version, kind, [...names, ...more].join(', ')];
    }),
  );
}

export function foundJson(word: string, found: readonly FoundPackage[]): string {
  const packages = found.map(({ repository, ...rest }) => ({ source: repository, ...rest }));
  return jsonDocument({ word, packages });
}
