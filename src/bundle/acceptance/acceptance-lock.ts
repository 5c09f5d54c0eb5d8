// Written twice on purpose: output is judged here by rules of its own, so that a mistake in bundle or lock shows.
import { friendlyId } from '../../model/name.js';
import { isList, isMapping, type JsonObject, type JsonValue } from '../../text/json.js';
import type { PackageRequirement } from '../../model/package-meta.js';
import type { TargetRules } from '../../model/target/target.js';
import type { Installed, InstalledSet } from './installed-set.js';

/** Where the Lock is not what the package manager would write for these objects. */
export function lockProblems(set: InstalledSet): readonly string[] {
  if (set.lock === undefined) return [];
  const { packages, ...head } = set.lock;
  const wanted = {
    apiVersion: 'pkg.crossplane.io/v1beta1',
    kind: 'Lock',
    metadata: { name: 'lock' },
  };
  if (!isList(packages) || !same(head, wanted)) return ['it is not the Lock named `lock`'];
  // Packages that skip dependency resolution have no rows.
  const inLock = set.skips ? [] : set.installed;
  const expected = inLock.map((each) => rowOf(each, set.target.rules));
  return [
    ...expected
      .filter((row) => !packages.some((other) => same(row, other)))
      .map(({ source }) => `the row of \`${source}\` is missing or wrong`),
    ...(packages.length === expected.length
      ? []
      : [`the Lock has ${packages.length} rows for ${expected.length} packages`]),
  ];
}

interface Row {
  readonly [key: string]: JsonValue;
  readonly source: string;
}

function rowOf({ name, kind, source, version, locked }: Installed, rules: TargetRules): Row {
  const hex = (locked?.digest ?? '').replace('sha256:', '');
  const asked = locked?.requirements.filter((each) => each.requires === 'package') ?? [];
  return {
    name: friendlyId(name, hex),
    ...(rules.lockRows === 'type' ? { type: kind } : { apiVersion: 'pkg.crossplane.io/v1', kind }),
    source,
    version,
    dependencies: asked.map((each) => dependencyOf(each, rules)),
  };
}

function dependencyOf(asked: PackageRequirement, { lockRows }: TargetRules): JsonObject {
  const { repository, kind, apiVersion, constraint } = asked;
  const typed = lockRows === 'type' || apiVersion === undefined;
  return {
    package: repository,
    ...(typed ? { type: kind } : { apiVersion, kind }),
    constraints: constraint,
  };
}

/** Deep equality, whatever the order of keys. */
function same(a: JsonValue, b: JsonValue | undefined): boolean {
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((each, i) => same(each, b[i]));
  }
  if (!isMapping(a)) return a === b;
  const keys = Object.keys(a);
  return (
    isMapping(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key]!, b[key]))
  );
}
