import { compareCompositions } from '../../compare/compositions.js';
import { compareDefinitions } from '../../compare/definition/compare-definitions.js';
import type { DocumentFinding } from '../../compare/document-finding.js';
import { comparePermissions } from '../../compare/permissions.js';
import { atMost } from '../../compare/severity.js';
import { sameValue } from '../../compare/shown-value.js';
import type { LockedPackage } from '../../lock/lockfile.js';
import { ownedAs, type OwnedKind } from '../../model/owned-object.js';
import { isPackageKind } from '../../model/package.js';
import type {
  PackageDocument,
  ParsedDocument,
  ParsedPair,
} from '../../model/document/package-document.js';
import { mappingOf, stringOf, type JsonValue } from '../../text/json.js';
import type { DiffFinding } from './diff-finding.js';

/** A document, and the package that it is from. */
export interface OwnedDocument {
  readonly document: PackageDocument;
  readonly owner: DocumentOwner;
}

export type DocumentOwner = Pick<LockedPackage, 'repository' | 'version' | 'kind'>;

/** Turns two documents of one object to values. */
export interface DocumentParser {
  /** Of a CRD, XRD or MRD, what differs suffices. */
  differing(old: PackageDocument, fresh: PackageDocument): ParsedPair;
  whole(old: PackageDocument, fresh: PackageDocument): ParsedPair;
}

/** What a document is to a comparison: an object that a package owns, or the package's own meta. */
export function comparedAs({ apiVersion, kind }: PackageDocument): OwnedKind | 'meta' | undefined {
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0));
  if (isPackageKind(kind) && group.startsWith('meta.pkg.')) return 'meta';
  return ownedAs(kind, group);
}

const DEFINING: ReadonlySet<string> = new Set(['CRD', 'XRD', 'MRD']);

/** What differs between two documents of one object; a text: why it cannot be said. */
export function compareDocuments(
  before: OwnedDocument,
  after: OwnedDocument,
  parser: DocumentParser,
): readonly DiffFinding[] | string {
  const as = comparedAs(after.document);
  if (as === undefined) return [];
  const [old, fresh] = [before.document, after.document];
  const defining = DEFINING.has(as) && DEFINING.has(comparedAs(old) ?? '');
  const pair = defining ? parser.differing(old, fresh) : parser.whole(old, fresh);
  if ('problem' in pair) return pair.problem;
  const found = findingsIn(as, pair.old.value, pair.fresh.value);
  const claim = as === 'XRD' ? claimOf(pair.fresh.value) : undefined;
  const object =
    as === 'meta'
      ? { kind: after.owner.kind, name: after.owner.repository }
      : { kind: as, name: fresh.name };
  return found.map(({ before: was, after: is, ...finding }) => ({
    object,
    ...(claim !== undefined && { claim }),
    ...(after.owner.kind === 'Function' ? ofInput(finding) : finding),
    before: placeOf(before.owner, pair.old, was),
    after: placeOf(after.owner, pair.fresh, is),
  }));
}

function findingsIn(
  as: OwnedKind | 'meta',
  old: JsonValue,
  fresh: JsonValue,
): readonly DocumentFinding[] {
  if (DEFINING.has(as)) return compareDefinitions(old, fresh);
  if (as === 'meta') return comparePermissions(old, fresh);
  if (as === 'Composition') return compareCompositions(old, fresh);
  if (sameValue(mappingOf(old)?.['spec'], mappingOf(fresh)?.['spec'])) return [];
  const at = ['spec'];
  const text = 'changed';
  const finding = { rule: 'object-changed', severity: 'harmless', text } as const;
  return [{ ...finding, version: '', path: 'spec', before: at, after: at }];
}

/** Inputs of functions are not stored as objects: they stand in Compositions. */
function ofInput<T extends Pick<DocumentFinding, 'severity' | 'text'>>(finding: T): T {
  const severity = atMost(finding.severity, 'writers');
  return { ...finding, severity, text: `${finding.text} (an input that Compositions give)` };
}

function claimOf(xrd: JsonValue): string | undefined {
  const spec = mappingOf(mappingOf(xrd)?.['spec']);
  const plural = stringOf(mappingOf(spec?.['claimNames'])?.['plural']);
  const group = stringOf(spec?.['group']);
  return plural === undefined || group === undefined ? undefined : `${plural}.${group}`;
}

function placeOf(
  { repository, version }: DocumentOwner,
  document: ParsedDocument,
  path: DocumentFinding['before'],
) {
  return { repository, version, line: document.lineOf(path) };
}
