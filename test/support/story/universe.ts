import type {
  PackageMeta,
  Rejection,
  Requirement,
} from '../../../src/crossplane/packages/package-meta.js';
import type { PackageKind } from '../../../src/crossplane/packages/package.js';
import { isDigest } from '../../../src/base/digest.js';
import type { Owner } from '../../../src/sources/package-source.js';

/**
 * Packages for a story, one version per line: `'a 1.0.0': 'b ^1.0.0; owns things'`.
 *
 * The statements of a version are separated by semicolons: `b ^1.0.0` (requires b), `b ^1.0.0 as
 * Function`, `crd things` (requires the owner of that CRD), `owns things`, `crossplane >=v2.1.0`,
 * `is Function`, `rejected` (by the target). The default kind is Provider.
 */
export type Universe = Readonly<Record<string, string>>;

/** Returns the statements of a version or a root. */
export function statements(text: string): string[] {
  return text
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** `b >=1.0.0, <2.0.0 as Function`. */
export function parseRequirement(statement: string) {
  const [, repository, constraint, kind] = /^(\S+) (.+?)(?: as (\w+))?$/.exec(statement)!;
  return {
    repository: repository!,
    constraint: constraint!,
    kind: kind as PackageKind | undefined,
  };
}

/** Returns undefined if there is no such package. */
export function tagsOf(universe: Universe, repository: string): string[] | undefined {
  const tags = Object.keys(universe)
    .map((key) => key.split(' '))
    .filter(([name, tag]) => name === repository && !isDigest(tag!))
    .map(([, tag]) => tag!);
  return tags.length === 0 ? undefined : tags;
}

export function metaOf(universe: Universe, version: string): PackageMeta | Rejection | undefined {
  const text = universe[version];
  if (text === undefined) return undefined;
  const said = statements(text);
  if (said.includes('rejected')) return { rejected: true, findings: [REFUSED] };
  const after = (word: string) =>
    said.filter((each) => each.startsWith(`${word} `)).map((each) => each.slice(word.length + 1));
  return {
    kind: (after('is')[0] ?? 'Provider') as PackageKind,
    name: version,
    labels: {},
    crossplane: after('crossplane')[0],
    requirements: said.flatMap(requirementIn),
    owns: after('owns').map((name) => ({ kind: 'CRD', name })),
    findings: [],
  };
}

export function ownersOf(universe: Universe, crd: string): Owner[] {
  const owners = new Map<string, string[]>();
  for (const [key, text] of Object.entries(universe)) {
    const [repository, tag] = key.split(' ') as [string, string];
    if (!statements(text).includes(`owns ${crd}`)) continue;
    owners.set(repository, [...(owners.get(repository) ?? []), tag]);
  }
  return Array.from(owners, ([repository, versions]) => ({ repository, versions }));
}

const REFUSED = {
  severity: 'error',
  code: 'refused',
  message: 'refused',
  line: undefined,
} as const;

function requirementIn(statement: string): Requirement[] {
  const [word, rest] = [statement.split(' ')[0]!, statement.slice(statement.indexOf(' ') + 1)];
  if (word === 'crd') {
    return [{ requires: 'crd', demand: { crd: rest }, text: rest, line: undefined }];
  }
  if (['owns', 'crossplane', 'is'].includes(word)) return [];
  const { repository, constraint, kind = 'Provider' } = parseRequirement(statement);
  return [
    { requires: 'package', repository, constraint, kind, apiVersion: undefined, line: undefined },
  ];
}
