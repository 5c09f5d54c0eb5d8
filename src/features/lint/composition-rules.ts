import {
  API_REFUSED,
  uncheckedObjects,
  uncheckedText,
} from '../../crossplane/packages/api-rules.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';
import {
  type Composed,
  definesResources,
  type Definition,
  type ResourceType,
} from '../../crossplane/packages/package-contents.js';
import type { Origin } from '../../base/errors.js';
import { didYouMean } from '../../base/messages.js';
import { firstAndMore } from '../diff/dropped-fields.js';
import {
  uncheckedFinding,
  type LintedProject,
  type LintFinding,
  READ_OR_REBUILD,
  type LintRule,
} from './linted-project.js';

/** A Composition in the set with the functions and resources that it uses. */
interface SetComposition {
  /** Its name with its package, for messages. */
  readonly shown: string;
  readonly origin: Origin;
  readonly composes: Composed;
}

/** Missing functions. Pipelines refer to the object name of a function, not to its package. */
function missingFunctionFindings(set: LintedProject): LintFinding[] {
  const functions = set.lockfile.packages.filter(({ kind }) => kind === 'Function');
  const names = functions.map(({ name }) => name);
  return compositionsOf(set).flatMap(({ shown, origin, composes }) =>
    [...new Set(composes.functions)]
      .filter((run) => !names.includes(run))
      .map((run): LintFinding => {
        const installed = functions.find(({ repository }) => repository.endsWith(`/${run}`));
        const found =
          installed === undefined
            ? 'no Function of that name is in the set'
            : `${installed.repository} is installed as \`${installed.name}\``;
        const text = `${shown} runs the function \`${run}\`, and ${found}`;
        const fix = functionFix(run, installed, didYouMean(run, names));
        return { rule: 'missing-function', severity: 'error', origin, text, fix };
      }),
  );
}

function functionFix(
  run: string,
  installed: LockedPackage | undefined,
  similarName: string | undefined,
): string {
  const added = installed?.repository ?? 'the function';
  const add = `add ${added} to \`spec.packages\` with \`name: ${run}\``;
  if (installed !== undefined || similarName === undefined) return add;
  return `${add}, or let the Composition run \`${similarName}\``;
}

/** Compositions that the search could not check, because their source provides too little. */
function uncheckedCompositionFindings(set: LintedProject): LintFinding[] {
  const { lockfile, contentsOf, target } = set;
  const unchecked = lockfile.packages.filter(({ repository, kind }) => {
    const objects = contentsOf(repository)?.objects ?? [];
    return uncheckedObjects(objects, kind, target).length > 0;
  });
  if (unchecked.length === 0) return [];
  const text = uncheckedText(`the Compositions of ${firstAndMore(unchecked)}`, target);
  return [uncheckedFinding(set, API_REFUSED, { text, fix: READ_OR_REBUILD })];
}

/**
 * API groups that need no package: those of Kubernetes, Crossplane and inputs of functions. Groups
 * of providers also end in `crossplane.io`, such as `kubernetes.crossplane.io`.
 */
const BUILT_IN =
  /^(?:[^.]+|(?:.+\.)?k8s\.io|(?:(?:.+\.)?fn|apiextensions|ops|pkg|protection|secrets)\.crossplane\.io)$/;

/** Composites and composed resources that no package defines in the used version. */
function incompatibleKindFindings(set: LintedProject): LintFinding[] {
  const kinds = kindsOf(set);
  const unknown = new Set<LockedPackage>();
  const findings = compositionsOf(set).flatMap((composition) =>
    usedTypes(composition.composes).flatMap((type): LintFinding[] => {
      const group = groupOf(type.apiVersion);
      const defined = kinds.defined.get(`${group}/${type.kind}`);
      if (defined !== undefined) {
        if (defined.definition.storage === undefined) unknown.add(defined.by);
        return versionFindings(composition, type, defined);
      }
      const owner = kinds.unknown.get(group);
      if (owner !== undefined) unknown.add(owner);
      if (owner !== undefined || BUILT_IN.test(group)) return [];
      const { origin } = composition;
      const text = `${uses(composition, type)}, which no package of the set defines`;
      const fix = 'add the package that defines it; `xpkg-resolve search` finds it by its kind';
      return [{ rule: 'missing-kind', severity: 'error', origin, text, fix }];
    }),
  );
  return [...findings, ...uncheckedFindings(set, [...unknown])];
}

interface DefinedKind {
  readonly by: LockedPackage;
  readonly definition: Definition;
}

function versionFindings(
  composition: SetComposition,
  type: ResourceType,
  { by, definition }: DefinedKind,
): LintFinding[] {
  const { versions, storage, unserved = [], deprecated = [] } = definition;
  const version = type.apiVersion.slice(type.apiVersion.indexOf('/') + 1);
  const served = versions.filter((each) => !unserved.includes(each));
  const name = `${by.repository} ${by.version}`;
  const finding = (rule: string, problem: string, better: string): LintFinding[] => {
    const severity = rule === 'kind-not-served' ? 'error' : 'warning';
    const text = `${uses(composition, type)}, which ${name} ${problem}`;
    const fix = `use ${better} in the Composition, or another version of ${by.repository}`;
    return [{ rule, severity, origin: composition.origin, text, fix }];
  };
  if (!served.includes(version)) {
    const alternatives = served.map((each) => `\`${each}\``).join(', ') || 'no version';
    return finding('kind-not-served', `does not serve; it serves ${alternatives}`, alternatives);
  }
  const better = `\`${storage}\``;
  if (deprecated.includes(version)) return finding('kind-deprecated', 'has deprecated', better);
  if (storage === undefined || storage === version) return [];
  return finding('kind-not-stored', `stores as ${better}`, better);
}

function uses({ shown }: SetComposition, { apiVersion, kind }: ResourceType): string {
  return `${shown} uses \`${kind}\` of \`${apiVersion}\``;
}

/** Reports sources that do not provide the data for the rules on Compositions. */
function uncheckedFindings(set: LintedProject, unknown: readonly LockedPackage[]): LintFinding[] {
  const incomplete = set.lockfile.packages.filter(({ repository }) =>
    (set.contentsOf(repository)?.objects ?? []).some(
      ({ kind, composes }) => kind === 'Composition' && composes === undefined,
    ),
  );
  const fix = 'read the packages themselves, with a source other than an index';
  const findings: LintFinding[] = [];
  if (incomplete.length > 0) {
    const text = `not checked: whether the set has the functions and kinds that the Compositions of ${firstAndMore(incomplete)} use; the source does not state them`;
    findings.push(uncheckedFinding(set, 'missing-kind', { text, fix }));
  }
  if (unknown.length > 0) {
    const text = `not checked: whether ${firstAndMore(unknown)} serves and stores the versions that Compositions use; the source does not state it`;
    findings.push(uncheckedFinding(set, 'kind-not-served', { text, fix }));
  }
  return findings;
}

/** Direct providers that no package requires and no Composition uses. */
function unusedProviderFindings(set: LintedProject): LintFinding[] {
  const compositions = compositionsOf(set);
  const resources = compositions.flatMap(({ composes }) => composes.resources);
  const groups = new Set(resources.map(({ apiVersion }) => groupOf(apiVersion)));
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

function compositionsOf({ lockfile, contentsOf, originOf }: LintedProject): SetComposition[] {
  return lockfile.packages.flatMap(({ repository, version }) =>
    (contentsOf(repository)?.objects ?? []).flatMap(({ name, composes }) => {
      const shown = `Composition \`${name}\` of ${repository} ${version}`;
      return composes === undefined ? [] : [{ shown, origin: originOf(repository), composes }];
    }),
  );
}

/**
 * Returns the kinds that packages define by `group/kind`, and by API group a package with a CRD
 * whose kind its source does not provide.
 */
function kindsOf({ lockfile, contentsOf }: LintedProject) {
  const defined = new Map<string, DefinedKind>();
  const unknown = new Map<string, LockedPackage>();
  for (const by of lockfile.packages) {
    const objects = contentsOf(by.repository)?.objects ?? [];
    for (const { kind, name, defines: definition, claimCrd, claimKind } of objects) {
      if (definition === undefined) {
        if (definesResources(kind)) unknown.set(name.slice(name.indexOf('.') + 1), by);
        continue;
      }
      const { group } = definition;
      defined.set(`${group}/${definition.kind}`, { by, definition });
      if (claimKind !== undefined) defined.set(`${group}/${claimKind}`, { by, definition });
      else if (claimCrd !== undefined) unknown.set(group, by);
    }
  }
  return { defined, unknown };
}

function usedTypes({ composite, resources }: Composed): ResourceType[] {
  const all = [...(composite ? [composite] : []), ...resources];
  return [...new Map(all.map((type) => [`${type.apiVersion} ${type.kind}`, type])).values()];
}

function groupOf(apiVersion: string): string {
  return apiVersion.split('/')[0]!;
}

export const COMPOSITION_RULES: readonly LintRule[] = [
  uncheckedCompositionFindings,
  missingFunctionFindings,
  incompatibleKindFindings,
  unusedProviderFindings,
];
