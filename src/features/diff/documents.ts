import { compareDefinitions } from './definitions.js';
import {
  atMost,
  type DiffFinding,
  type DocumentFinding,
  type RuleResult,
  sameValue,
  shownValue,
} from './findings.js';
import {
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  type Path,
  stringOf,
} from '../../base/json.js';
import type { PackageDocument } from '../../crossplane/package-yaml/read-package-yaml.js';
import type { ParsedPair } from '../../crossplane/package-yaml/document-pair.js';
import { ownedKindOf, type OwnedKind } from '../../crossplane/packages/owned-objects.js';
import { isPackageKind } from '../../crossplane/packages/package.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';

/** A document with the package that contains it. */
export interface OwnedDocument {
  readonly document: PackageDocument;
  readonly owner: DocumentOwner;
}

export type DocumentOwner = Pick<LockedPackage, 'repository' | 'version' | 'kind'>;

/** Parses two documents of one object. */
export interface DocumentParser {
  /** Parses only the differing parts, which suffice for a CRD, XRD or MRD. */
  differing(old: PackageDocument, newer: PackageDocument): ParsedPair;
  whole(old: PackageDocument, newer: PackageDocument): ParsedPair;
}

/** Returns what a document is compared as; undefined: it is not compared. */
export function comparedAs({ apiVersion, kind }: PackageDocument): OwnedKind | 'meta' | undefined {
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
  if (isPackageKind(kind) && group.startsWith('meta.pkg.')) return 'meta';
  return ownedKindOf(kind, group);
}

const DEFINING: ReadonlySet<string> = new Set(['CRD', 'XRD', 'MRD']);

/** Returns the differences of two documents of one object, or why they cannot be compared. */
export function compareDocuments(
  before: OwnedDocument,
  after: OwnedDocument,
  parser: DocumentParser,
): readonly DiffFinding[] | string {
  const as = comparedAs(after.document)!;
  const [old, newer] = [before.document, after.document];
  const pair = DEFINING.has(as) ? parser.differing(old, newer) : parser.whole(old, newer);
  if ('problem' in pair) return pair.problem;
  const found = compareObjects(as, pair.old.value, pair.newer.value);
  const claim = as === 'XRD' ? claimOf(pair.newer.value) : undefined;
  const object =
    as === 'meta'
      ? { kind: after.owner.kind, name: after.owner.repository }
      : { kind: as, name: newer.name };
  return found.map(({ before: oldPath, after: newPath, ...finding }) => ({
    object,
    ...(claim !== undefined && { claim }),
    ...(after.owner.kind === 'Function' ? ofInput(finding) : finding),
    before: placeIn(before.owner, pair.old.lineOf(oldPath)),
    after: placeIn(after.owner, pair.newer.lineOf(newPath)),
  }));
}

function placeIn({ repository, version }: DocumentOwner, line: number | undefined) {
  return { repository, version, line };
}

function compareObjects(
  as: OwnedKind | 'meta',
  old: JsonValue,
  newer: JsonValue,
): readonly DocumentFinding[] {
  if (DEFINING.has(as)) return compareDefinitions(old, newer);
  if (as === 'meta') return comparePermissions(old, newer);
  if (as === 'Composition') return compareCompositions(old, newer);
  if (sameValue(mappingOf(old)?.['spec'], mappingOf(newer)?.['spec'])) return [];
  return [specFinding({ rule: 'object-changed', severity: 'harmless', text: 'changed' })];
}

function specFinding(
  result: RuleResult,
  at: Path = ['spec'],
  path = at.join('.'),
): DocumentFinding {
  return { ...result, version: '', path, before: at, after: at };
}

/** Inputs of functions are not stored as objects, but are part of Compositions. */
function ofInput<T extends RuleResult>(finding: T): T {
  const severity = atMost(finding.severity, 'writers');
  return { ...finding, severity, text: `${finding.text} (an input that Compositions give)` };
}

function claimOf(xrd: JsonValue): string | undefined {
  const spec = specOf(xrd);
  const plural = stringOf(mappingOf(spec['claimNames'])?.['plural']);
  const group = stringOf(spec['group']);
  return plural === undefined || group === undefined ? undefined : `${plural}.${group}`;
}

/** Returns the effects of a changed Composition on the composite resources that use it. */
export function compareCompositions(before: JsonValue, after: JsonValue): DocumentFinding[] {
  const [old, newer] = [specOf(before), specOf(after)];
  const found: DocumentFinding[] = [];
  const add = (finding: RuleResult, field: string) => {
    found.push(specFinding(finding, ['spec', field], ''));
  };
  if (!sameValue(old['compositeTypeRef'], newer['compositeTypeRef'])) {
    const [from, to] = [typeText(old), typeText(newer)];
    const text = `composes ${to} now, and composed ${from}: no API server takes that for a Composition that exists`;
    add({ rule: 'composite-type-changed', severity: 'stored', text }, 'compositeTypeRef');
  }
  const [oldSteps, newSteps] = [functionsIn(old), functionsIn(newer)];
  if (!sameValue(oldSteps, newSteps)) {
    const text = `runs ${shownValue(newSteps)} now, and ran ${shownValue(oldSteps)}`;
    add({ rule: 'pipeline-changed', severity: 'harmless', text }, 'pipeline');
  }
  if (found.length === 0 && !sameValue(old, newer)) {
    const text = 'changed: composite resources that use it are composed anew';
    add({ rule: 'composition-changed', severity: 'harmless', text }, 'pipeline');
  }
  return found;
}

function specOf(document: JsonValue): JsonObject {
  return mappingOf(mappingOf(document)?.['spec']) ?? {};
}

function typeText(spec: JsonObject): string {
  const type = mappingOf(spec['compositeTypeRef']) ?? {};
  return shownValue(`${stringOf(type['apiVersion'])} ${stringOf(type['kind'])}`);
}

function functionsIn(spec: JsonObject): JsonValue[] {
  return (listOf(spec['pipeline']) ?? []).map(
    (step) => mappingOf(mappingOf(step)?.['functionRef'])?.['name'] ?? null,
  );
}

/** Maximum number of permissions of one request that are listed one by one. */
const MAX_COMBINATIONS = 1_000;

export function comparePermissions(before: JsonValue, after: JsonValue): DocumentFinding[] {
  const [old, newer] = [permissionsIn(before), permissionsIn(after)];
  const added = [...newer].filter((permission) => !old.has(permission));
  const removed = [...old].filter((permission) => !newer.has(permission));
  return [
    ...added.map((each) => permissionFinding('permission-added', `asks to ${each}`)),
    ...removed.map((each) => permissionFinding('permission-removed', `no longer asks to ${each}`)),
  ];
}

function permissionFinding(rule: string, text: string): DocumentFinding {
  const at = ['spec', 'controller', 'permissionRequests'];
  return specFinding({ rule, severity: 'harmless', text }, at);
}

/** Returns permissions such as `get secrets`, regardless of how requests group them. */
function permissionsIn(meta: JsonValue): ReadonlySet<string> {
  const requests = listOf(mappingOf(specOf(meta)['controller'])?.['permissionRequests']) ?? [];
  return new Set(requests.flatMap((request) => permissionsOf(mappingOf(request) ?? {})));
}

function permissionsOf(request: JsonObject): string[] {
  const texts = (field: string) =>
    (listOf(request[field]) ?? []).filter((text) => typeof text === 'string');
  const [verbs, urls, groups] = [texts('verbs'), texts('nonResourceURLs'), texts('apiGroups')];
  const [resources, names] = [texts('resources'), texts('resourceNames')];
  const combinations = verbs.length * (groups.length * resources.length + urls.length);
  if (combinations > MAX_COMBINATIONS) return [shownValue(request)];
  const named = names.length === 0 ? '' : ` named ${names.join(', ')}`;
  return verbs.flatMap((verb) => [
    ...urls.map((url) => `${verb} ${url}`),
    ...groups.flatMap((group) =>
      resources.map((resource) => `${verb} ${resource}${group === '' ? '' : `.${group}`}${named}`),
    ),
  ]);
}
