import * as fc from 'fast-check';
import { DEFAULT_KNOBS, type Knobs, pick, pickFrom, sometimes, weighted } from './knobs.js';
import { requestFromPlan, requestPlan } from './package-set.js';
import { GENERATED_NOW } from './constraint-plan.js';
import { publish, universePlan } from './universe.js';
import type { JsonObject, JsonValue } from '../../base/json.js';
import { type Writable, writeYaml, writeYamlStream } from '../../base/yaml/write-yaml.js';
import { policyDocument } from '../../project/inputs/policy.js';
import {
  type LocalRoot,
  type PackageRoot,
  type Request,
  type Root,
  rootVersionText,
} from '../../project/inputs/request.js';
import type { IndexFile } from '../../sources/index/index-file.js';
import type { ResolverOptions } from '../resolver.js';

/** The input of a resolver. */
export interface Scenario {
  readonly universe: IndexFile;
  readonly request: Request;
  readonly options: ResolverOptions;
}

/** Draws a universe, a request for some of its packages, and sometimes a lockfile. */
export function scenario(knobs: Partial<Knobs> = {}): fc.Arbitrary<Scenario> {
  const all = { ...DEFAULT_KNOBS, ...knobs };
  return fc
    .record({ universe: universePlan(all), request: requestPlan(all), options: optionsPlan(all) })
    .map((plan) => {
      const universe = publish(plan.universe);
      const request = requestFromPlan(plan.request, universe);
      return printableScenario({
        universe,
        request,
        options: optionsOf(plan.options, universe, request),
      });
    });
}

/** Makes failure reports of fast-check print the scenario as files to paste. */
export function printableScenario(made: Scenario): Scenario {
  const value = () => `\n${printUniverse(made)}`;
  return Object.defineProperty(made, fc.toStringMethod, { value });
}

interface OptionsPlan {
  readonly prefer: 'lowest' | undefined;
  readonly allowCycles: boolean;
  /** Selects the package whose prereleases are allowed. */
  readonly prereleases: number | undefined;
  /** Select the locked version of each package. */
  readonly locked: readonly number[] | undefined;
}

function optionsPlan(knobs: Knobs): fc.Arbitrary<OptionsPlan> {
  return fc.record({
    prefer: weighted<OptionsPlan['prefer']>([0.85, undefined], [0.15, 'lowest']),
    allowCycles: weighted([0.9, false], [0.1, true]),
    prereleases: sometimes(knobs.prereleases, pick()),
    locked: sometimes(knobs.locked, fc.array(pick(), { minLength: 1, maxLength: knobs.packages })),
  });
}

function optionsOf(plan: OptionsPlan, universe: IndexFile, request: Request): ResolverOptions {
  const repositories = Object.keys(universe.packages);
  const admitted = plan.prereleases !== undefined && pickFrom(plan.prereleases, repositories);
  const locked = plan.locked?.flatMap((n, place) => {
    const repository = repositories[place];
    const tag = repository && pickFrom(n, Object.keys(universe.packages[repository]!.versions));
    return repository && tag ? [[repository, tag] as const] : [];
  });
  return {
    ...(request.policies && { now: GENERATED_NOW }),
    ...(plan.prefer && !locked && { prefer: plan.prefer }),
    ...(plan.allowCycles && { allowCycles: true }),
    ...(admitted && { prereleases: [admitted] }),
    ...(locked && { locked: new Map(locked) }),
  };
}

/** A scenario as files of a test case: `fixtures/cases/<slug>/<name>`. */
export interface CaseFiles {
  readonly 'universe.yaml': string;
  readonly 'request.yaml': string;
  /** Present only if there are options. */
  readonly 'options.yaml'?: string;
}

/** Formats a scenario as text to paste into the files of a test case. */
export function printUniverse(scenario: Scenario): string {
  return Object.entries(caseFiles(scenario))
    .map(([name, text]) => `# ${name}\n${text}`)
    .join('\n');
}

export function caseFiles({ universe, request, options }: Scenario): CaseFiles {
  const settings = settingsOf(options);
  return {
    // An index is JSON, but its type does not say so.
    'universe.yaml': writeYaml({ packages: universe.packages as unknown as Writable }),
    'request.yaml': writeYamlStream(documentsOf(request, universe)),
    ...(Object.keys(settings).length === 0 ? {} : { 'options.yaml': writeYaml(settings) }),
  };
}

function settingsOf(options: ResolverOptions): { [key: string]: Writable | undefined } {
  const { deliver: _, lockfile: __, universeFor: ___, locked, ...settings } = options;
  return { ...settings, ...(locked ? { locked: Object.fromEntries(locked) } : {}) };
}

/** Returns the documents of a request. Adjacent roots share a PackageSet if possible. */
function documentsOf(request: Request, universe: IndexFile): JsonObject[] {
  const documents: JsonObject[] = [];
  let entries: JsonObject[] = [];
  const flush = () => {
    if (documents.length === 0) documents.push(packageSetDocument(entries, rulesOf(request)));
    else if (entries.length > 0) documents.push(packageSetDocument(entries));
    entries = [];
  };
  request.roots.forEach((root, n) => {
    const entry = entryOf(root);
    if (entry) entries.push(entry);
    else {
      flush();
      documents.push(documentOf(root, universe, n));
    }
  });
  flush();
  const policies = (request.policies ?? []).map(policyDocument);
  return [...documents, ...policies.map((policy) => packageSetDocument([], { policy }))];
}

function packageSetDocument(packages: readonly JsonObject[], rules: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'xpkg-resolve.dev/v1alpha1',
    kind: 'PackageSet',
    metadata: { name: 'case' },
    spec: { ...rules, packages },
  };
}

function rulesOf({ crossplane, overrides, replace, exclude }: Request): JsonObject {
  const replacements = replace.map((rule) => ({ package: rule.repository, with: rule.with }));
  return {
    ...(crossplane && { crossplane: crossplane.text }),
    ...(overrides.length > 0 && { overrides: versionRules(overrides) }),
    ...(replace.length > 0 && { replace: replacements }),
    ...(exclude.length > 0 && { exclude: versionRules(exclude) }),
  };
}

function versionRules(rules: Request['overrides']): JsonValue {
  return rules.map(({ repository, version }) => ({ package: repository, version }));
}

/** Returns undefined for a root that a PackageSet cannot express. */
function entryOf(root: Root): JsonObject | undefined {
  if (root.root === 'crd') return 'crd' in root.demand ? { crd: root.demand.crd } : undefined;
  if (root.root === 'local' || root.version.form === 'tag') return undefined;
  const { kind = 'package', repository, version } = root;
  return { [kind.toLowerCase()]: repository, version: rootVersionText(version) };
}

function documentOf(root: Root, universe: IndexFile, n: number): JsonObject {
  switch (root.root) {
    case 'local':
      return localDocument(root);
    case 'package':
      return packageDocument(root, universe, n);
    case 'crd':
      throw new Error('a PackageSet asks for a CRD by its name only');
  }
}

function localDocument({ kind, name, crossplane, dependsOn }: LocalRoot): JsonObject {
  return {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind,
    metadata: { name },
    spec: {
      ...(crossplane !== undefined && { crossplane: { version: crossplane } }),
      dependsOn: dependsOn.map(({ entry }) => entry),
    },
  };
}

function packageDocument(root: PackageRoot, universe: IndexFile, n: number): JsonObject {
  const { repository, version } = root;
  const reference = version.form === 'tag' ? `:${version.tag}` : '';
  return {
    apiVersion: 'pkg.crossplane.io/v1',
    kind: root.kind ?? universe.packages[repository]?.kind ?? 'Provider',
    metadata: { name: `root-${n}` },
    spec: { package: `${repository}${reference}` },
  };
}
