import { expect } from 'vitest';
import type { Candidate } from '../../src/crossplane/packages/package.js';
import type { Target } from '../../src/crossplane/releases/target.js';
import { replacedRepository, type Request, type Root } from '../../src/project/inputs/request.js';
import { type HeldBy, heldByText } from '../../src/resolver/resolve/blocked-by.js';
import type { IndexFile, IndexVersion } from '../../src/sources/index/index-file.js';
import { readEntry } from '../../src/testing/oracles/reading.js';

type Constraint = HeldBy[number];

/** A universe, and a request to it. */
export interface Given {
  readonly universe: IndexFile;
  readonly request: Request;
}

/** Whether a package set of these inputs contains a version. */
export type HasSetWith = (wanted: Candidate, given: Given) => boolean | Promise<boolean>;

/** How a cause was confirmed; `chosen-first` and `refused`: no constraint is to blame. */
export type CauseKind = 'single' | 'several' | 'chosen-first' | 'refused';

/** What `requires` is for the objects that a version owns. */
const OWNERSHIP = 'ownership';

/** A constraint of a package version, or of the request if it has no version. */
interface Stated {
  readonly source: string;
  readonly version?: string;
  readonly requires: string;
  readonly constraint: string;
}

/**
 * Checks that lifting the named constraint admits a version, or that the named constraints are a
 * minimal conflict. Every constraint must name its source.
 */
export async function checkCause(
  heldBy: HeldBy,
  wanted: Candidate,
  given: Given,
  { target, hasSetWith }: { readonly target: Target; readonly hasSetWith: HasSetWith },
): Promise<CauseKind> {
  const text = `${wanted.repository} ${wanted.version}: ${heldByText(heldBy)}`;
  if (heldBy.length === 1) {
    const lifted = changed(given, target, (stated) =>
      isStated(heldBy[0]!, stated) ? 'lift' : 'keep',
    );
    if (await hasSetWith(wanted, lifted)) {
      expect(lifted, text).not.toEqual(given);
      return 'single';
    }
  }
  if (text.includes('which is chosen first')) {
    expect(await hasSetWith(wanted, given), text).toBe(true);
    return 'chosen-first';
  }
  const only = (some: HeldBy) =>
    changed(given, target, (stated) =>
      isOwnedBy(wanted, stated) || some.some((one) => isStated(one, stated)) ? 'keep' : 'drop',
    );
  expect(await hasSetWith(wanted, only(heldBy)), text).toBe(false);
  // No constraint is to blame for a version that Crossplane refuses by itself.
  if (text.includes('would refuse')) return 'refused';
  for (const one of heldBy) {
    const others = heldBy.filter((other) => other !== one);
    expect(await hasSetWith(wanted, only(others)), `${text} without ${one.text}`).toBe(true);
  }
  return 'several';
}

/** Returns a universe and a request in which `change` changes every constraint. */
function changed(
  { universe, request }: Given,
  target: Target,
  change: (stated: Stated) => 'keep' | 'lift' | 'drop',
): Given {
  const changedVersion = (source: string, version: string, one: IndexVersion): IndexVersion => {
    const { crossplane, dependsOn = [] } = one;
    const keepsCrossplane =
      crossplane !== undefined &&
      change({ source, version, requires: 'crossplane', constraint: crossplane }) === 'keep';
    const owned = { source, version, requires: OWNERSHIP, constraint: '' };
    return {
      ...(change(owned) === 'keep' ? one : { ...one, ...OWNS_NOTHING }),
      crossplane: keepsCrossplane ? crossplane : undefined,
      dependsOn: dependsOn.flatMap((entry) => {
        const read = readEntry(entry, target);
        if (read === undefined) return [entry];
        const requires = replacedRepository(request, read.repository);
        const { constraint } = read;
        const what = change({ source, version, requires, constraint });
        if (what === 'keep') return [entry];
        return what === 'drop'
          ? []
          : [{ [read.kind.toLowerCase()]: read.repository, version: '*' }];
      }),
    };
  };
  const packages = Object.entries(universe.packages).map(([source, one]) => {
    const versions = Object.entries(one.versions).map(
      ([version, each]) => [version, changedVersion(source, version, each)] as const,
    );
    return [source, { ...one, versions: Object.fromEntries(versions) }] as const;
  });
  const roots = request.roots.flatMap((root): Root[] => {
    if (root.root !== 'package') return [root];
    const requires = replacedRepository(request, root.repository);
    const { version } = root;
    const constraint =
      version.form === 'text'
        ? version.text
        : version.form === 'tag'
          ? version.tag
          : version.digest;
    const source = `${root.origin.file}:${root.origin.line}`;
    const what = change({ source, requires, constraint });
    if (what === 'keep') return [root];
    return what === 'drop' ? [] : [{ ...root, version: { form: 'text' as const, text: '*' } }];
  });
  return { universe: { packages: Object.fromEntries(packages) }, request: { ...request, roots } };
}

const OWNS_NOTHING = {
  crds: undefined,
  xrds: undefined,
  compositions: undefined,
  objects: undefined,
} satisfies Partial<IndexVersion>;

function isOwnedBy({ repository, version }: Candidate, stated: Stated): boolean {
  return (
    stated.requires === OWNERSHIP && stated.source === repository && stated.version === version
  );
}

function isStated(
  { source, version, versions, requires = OWNERSHIP, constraint = '' }: Constraint,
  stated: Stated,
): boolean {
  const isVersion =
    stated.version === undefined || (versions ?? [version]).includes(stated.version);
  const isRoot = stated.version === undefined && stated.source.startsWith(`${source}`);
  return (
    (isRoot || stated.source === source) &&
    isVersion &&
    stated.requires === requires &&
    stated.constraint === constraint
  );
}
