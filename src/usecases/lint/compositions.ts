import type { LockedPackage } from '../../lock/lockfile.js';
import type { Composed, PackageObject, ResourceType } from '../../model/package-contents.js';
import { didYouMean } from '../../text/did-you-mean.js';
import type { LintedSet, SetFinding } from './linted-set.js';

/** A Composition of the set that says what it runs and composes. */
interface SetComposition {
  readonly of: LockedPackage;
  readonly name: string;
  readonly composes: Composed;
}

/** A pipeline finds a Function by the name of its object, which is not that of its package. */
export function missingFunctions(set: LintedSet): SetFinding[] {
  const functions = set.lockfile.packages.filter(({ kind }) => kind === 'Function');
  const names = functions.map(({ name }) => name);
  return compositionsOf(set).flatMap(({ of, name, composes }) =>
    [...new Set(composes.functions)]
      .filter((run) => !names.includes(run))
      .map((run): SetFinding => {
        const same = functions.find(({ repository }) => repository.endsWith(`/${run}`));
        const meant = same?.name ?? didYouMean(run, names);
        const found =
          same === undefined
            ? 'no Function of that name is in the set'
            : `${same.repository} is installed as \`${same.name}\``;
        return {
          rule: 'missing-function',
          severity: 'error',
          origin: set.originOf(of.repository),
          text: `Composition \`${name}\` of ${of.repository} ${of.version} runs the function \`${run}\`, and ${found}`,
          fix: fixOf(run, meant, same),
        };
      }),
  );
}

function fixOf(run: string, meant: string | undefined, same: LockedPackage | undefined): string {
  if (same !== undefined)
    return `add ${same.repository} to \`spec.packages\` with \`name: ${run}\``;
  const add = `add the function to \`spec.packages\` with \`name: ${run}\``;
  return meant === undefined ? add : `${add}, or let the Composition run \`${meant}\``;
}

/** Groups that no package brings: of Kubernetes itself, and of Crossplane. */
const BUILT_IN = /^(?:[^.]+|(?:.+\.)?k8s\.io|(?:.+\.)?crossplane\.io)$/;

/** A composed resource, or the composite, of a kind that nothing in the set defines. */
export function missingKinds(set: LintedSet): SetFinding[] {
  const defined = definedKinds(set);
  if (defined === undefined) return [];
  return compositionsOf(set).flatMap(({ of, name, composes }) => {
    const asked = [...(composes.composite ? [composes.composite] : []), ...composes.resources];
    const missing = new Set(asked.filter((type) => !isKnown(type, defined)).map(typeText));
    return [...missing].map((type): SetFinding => ({
      rule: 'missing-kind',
      severity: 'warning',
      origin: set.originOf(of.repository),
      text: `Composition \`${name}\` of ${of.repository} ${of.version} speaks of ${type}, which no package of the set defines`,
      fix: 'add the package that defines it; `xpkg-resolve search` finds it by its kind',
    }));
  });
}

/** Providers that only the user asks for, and that no Composition of the set makes use of. */
export function unusedProviders(set: LintedSet): SetFinding[] {
  const compositions = compositionsOf(set);
  const groups = new Set(
    compositions.flatMap(({ composes }) =>
      composes.resources.map(({ apiVersion }) => groupOf(apiVersion)),
    ),
  );
  if (groups.size === 0) return [];
  return set.lockfile.packages
    .filter(({ kind, direct, owns }) => kind === 'Provider' && direct && owns.length > 0)
    .filter(({ repository }) => set.graph.requirersOf(repository).length === 0)
    .filter(({ owns }) => !owns.some(({ name }) => groups.has(name.slice(name.indexOf('.') + 1))))
    .map(({ repository, owns }) => ({
      rule: 'unused-provider',
      severity: 'info',
      origin: set.originOf(repository),
      text: `no package requires ${repository}, and no Composition of the set composes any of its ${owns.length} kinds`,
      fix: 'leave it out, unless people create its resources themselves',
    }));
}

function compositionsOf({ lockfile, contentsOf }: LintedSet): SetComposition[] {
  return lockfile.packages.flatMap((of) =>
    (contentsOf(of.repository)?.objects ?? []).flatMap(({ name, composes }: PackageObject) =>
      composes === undefined ? [] : [{ of, name, composes }],
    ),
  );
}

/** `group/kind` of all that packages define; undefined: some source does not say. */
function definedKinds({ lockfile, contentsOf }: LintedSet): ReadonlySet<string> | undefined {
  const kinds = new Set<string>();
  for (const { repository, owns } of lockfile.packages) {
    const objects = contentsOf(repository)?.objects ?? [];
    if (owns.length > 0 && !objects.some(({ defines, composes }) => defines ?? composes)) {
      return undefined;
    }
    for (const { defines, claimKind } of objects) {
      if (defines === undefined) continue;
      kinds.add(`${defines.group}/${defines.kind}`);
      if (claimKind !== undefined) kinds.add(`${defines.group}/${claimKind}`);
    }
  }
  return kinds;
}

function isKnown({ apiVersion, kind }: ResourceType, defined: ReadonlySet<string>): boolean {
  const group = groupOf(apiVersion);
  return BUILT_IN.test(group) || defined.has(`${group}/${kind}`);
}

function groupOf(apiVersion: string): string {
  return apiVersion.split('/')[0]!;
}

function typeText({ apiVersion, kind }: ResourceType): string {
  return `\`${kind}\` of \`${apiVersion}\``;
}
