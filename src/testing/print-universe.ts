import { writeYaml, writeYamlStream, type Writable } from '../text/yaml/write-yaml.js';
import { policyDocument } from '../model/policy/policy-document.js';
import type { IndexFile } from '../model/index-file.js';
import type { JsonObject, JsonValue } from '../text/json.js';
import type { LocalRoot, PackageRoot, Request, Root } from '../model/request.js';
import type { ResolverOptions } from './laws/resolver.js';
import type { Scenario } from './generate/scenario.js';

/** A scenario as the files of a case: `fixtures/cases/<slug>/<name>`. */
export interface CaseFiles {
  readonly 'universe.yaml': string;
  readonly 'request.yaml': string;
  /** Only where options are given. */
  readonly 'options.yaml'?: string;
}

/** A scenario as text to paste into the files of a case. */
export function printUniverse(scenario: Scenario): string {
  return Object.entries(caseFiles(scenario))
    .map(([name, text]) => `# ${name}\n${text}`)
    .join('\n');
}

export function caseFiles({ universe, request, options }: Scenario): CaseFiles {
  const settings = settingsOf(options);
  return {
    'universe.yaml': writeYaml(writable(universe)),
    'request.yaml': writeYamlStream(documentsOf(request, universe)),
    ...(Object.keys(settings).length === 0 ? {} : { 'options.yaml': writeYaml(settings) }),
  };
}

/** An index is JSON, which its type says only field by field. */
function writable({ packages }: IndexFile): Writable {
  return { packages: packages as unknown as Writable };
}

function settingsOf(options: ResolverOptions): { [key: string]: Writable | undefined } {
  const { deliver: _, lockfile: __, universeFor: ___, locked, ...settings } = options;
  return { ...settings, ...(locked ? { locked: Object.fromEntries(locked) } : {}) };
}

/**
 * The request as documents of the user's: roots keep their order, so neighbours that a PackageSet
 * can hold share one and every other has a document of its own.
 */
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
  return {
    ...(crossplane ? { crossplane: crossplane.text } : {}),
    ...(overrides.length > 0 ? { overrides: versionRules(overrides) } : {}),
    ...(replace.length > 0
      ? { replace: replace.map((r) => ({ package: r.repository, with: r.with })) }
      : {}),
    ...(exclude.length > 0 ? { exclude: versionRules(exclude) } : {}),
  };
}

function versionRules(rules: Request['overrides']): JsonValue {
  return rules.map(({ repository, version }) => ({ package: repository, version }));
}

/** undefined: no entry of a PackageSet can say it. */
function entryOf(root: Root): JsonObject | undefined {
  if (root.root === 'crd') return 'crd' in root.demand ? { crd: root.demand.crd } : undefined;
  if (root.root === 'local' || root.version.form === 'tag') return undefined;
  const { kind, repository, version } = root;
  const key = kind === undefined ? 'package' : kind.toLowerCase();
  return { [key]: repository, version: version.form === 'text' ? version.text : version.digest };
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
      ...(crossplane === undefined ? {} : { crossplane: { version: crossplane } }),
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
