import type { PackageKind, Repository } from '../../model/package.js';
import type { JsonObject } from '../../text/json.js';
import { isDigest } from '../../text/digest.js';
import { parseCrdDemand } from '../../model/crd-demand.js';
import { isRepository } from '../../model/reference.js';
import type { CrdRoot, RootVersion, VersionRule } from '../../model/request.js';
import { checkPackageSet } from './check-package-set.js';
import { readPolicy } from './policy/read-policy.js';
import { ANY_VERSION } from '../command-line-ref.js';
import type { PackageRootDraft, Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import type { Path } from '../../text/yaml/path.js';
import {
  errorAt,
  flagAt,
  listAt,
  objectAt,
  refuseMistake,
  requiredTextAt,
  textAt,
  valueAt,
} from '../field.js';
import { objectNameProblem } from '../../model/name.js';
import { BROKEN_DIGEST, isBrokenDigest, splitReference } from '../written-reference.js';

const SUBJECTS: readonly (readonly [field: string, kind: PackageKind | undefined])[] = [
  ['provider', 'Provider'],
  ['configuration', 'Configuration'],
  ['function', 'Function'],
  ['package', undefined],
];

/** What a PackageSet asks for; it is held to the schema first. */
export function readPackageSet(document: InputDocument): Contribution {
  checkPackageSet(document);
  const crossplane = textAt(document, ['spec', 'crossplane']);
  const each = <T>(field: string, read: (path: Path) => T): T[] =>
    listAt(document, ['spec', field]).map((_, i) => read(['spec', field, i]));
  return {
    crossplane:
      crossplane === undefined
        ? undefined
        : { text: crossplane, origin: document.originOf(['spec', 'crossplane']) },
    roots: each('packages', (path) => readEntry(document, path)),
    prereleases: each('packages', (path) => path)
      .filter((path) => flagAt(document, [...path, 'prerelease']))
      .map((path) => subjectOf(document, path).repository),
    overrides: each('overrides', (path) => readRule(document, path)),
    replace: each('replace', (path) => ({
      repository: repositoryAt(document, [...path, 'package']),
      with: repositoryAt(document, [...path, 'with']),
      origin: document.originOf(path),
    })),
    exclude: each('exclude', (path) => readRule(document, path)),
    defaults: readDefaults(document),
    ...policiesOf(document),
    ...readInclude(document),
    ...readReleases(document),
    ...readAllowUndigested(document),
  };
}

function policiesOf(document: InputDocument): Pick<Contribution, 'policies'> {
  const policy = readPolicy(document);
  return policy === undefined ? {} : { policies: [policy] };
}

function readInclude(document: InputDocument): Pick<Contribution, 'include'> {
  const path = ['spec', 'include'];
  const include = listAt(document, path).map((_, i) => ({
    path: requiredTextAt(document, [...path, i]),
    origin: document.originOf([...path, i]),
  }));
  return include.length === 0 ? {} : { include };
}

function readReleases(document: InputDocument): Pick<Contribution, 'crossplanes'> {
  const path = ['spec', 'crossplanes'];
  const texts = listAt(document, path).map((_, i) => requiredTextAt(document, [...path, i]));
  return texts.length === 0 ? {} : { crossplanes: { texts, origin: document.originOf(path) } };
}

function readAllowUndigested(document: InputDocument): Pick<Contribution, 'allowUndigested'> {
  const path = ['spec', 'allowUndigested'];
  if (valueAt(document, path) === undefined) return {};
  return { allowUndigested: flagAt(document, path) };
}

function readEntry(document: InputDocument, path: Path): PackageRootDraft | CrdRoot {
  const origin = document.originOf(path);
  const crd = valueAt(document, [...path, 'crd']);
  if (crd !== undefined) {
    const demand = parseCrdDemand(crd);
    if (demand !== undefined) return { root: 'crd', demand, origin };
    throw errorAt(
      document,
      [...path, 'crd'],
      'is neither the name of a CRD nor what one defines',
      'write `buckets.s3.aws.upbound.io` or `s3.aws.upbound.io/v1beta1/Bucket`',
    );
  }
  return {
    root: 'package',
    ...subjectOf(document, path),
    version: versionAt(document, [...path, 'version']),
    name: nameAt(document, [...path, 'name']),
    spec: objectAt(document, [...path, 'spec']),
    object: undefined,
    origin,
  };
}

function subjectOf(
  document: InputDocument,
  path: Path,
): Pick<PackageRootDraft, 'repository' | 'kind'> {
  const [field, kind] = SUBJECTS.find(
    ([name]) => valueAt(document, [...path, name]) !== undefined,
  )!;
  return { repository: repositoryAt(document, [...path, field]), kind };
}

function readRule(document: InputDocument, path: Path): VersionRule {
  return {
    repository: repositoryAt(document, [...path, 'package']),
    version: versionTextAt(document, [...path, 'version'])!,
    origin: document.originOf(path),
  };
}

function readDefaults(document: InputDocument): Contribution['defaults'] {
  const path = ['spec', 'defaults', 'spec'];
  const spec: JsonObject = objectAt(document, path);
  return Object.keys(spec).length === 0 ? undefined : { spec, origin: document.originOf(path) };
}

function versionAt(document: InputDocument, path: Path): RootVersion {
  const text = versionTextAt(document, path);
  if (text === undefined) return ANY_VERSION;
  return isDigest(text) ? { form: 'digest', digest: text } : { form: 'text', text };
}

function versionTextAt(document: InputDocument, path: Path): string | undefined {
  const text = textAt(document, path);
  if (text !== undefined && isBrokenDigest(text)) throw errorAt(document, path, BROKEN_DIGEST);
  return text;
}

function nameAt(document: InputDocument, path: Path): string | undefined {
  const name = textAt(document, path);
  const problem = name === undefined ? undefined : objectNameProblem(name);
  if (problem !== undefined) throw errorAt(document, path, problem);
  return name;
}

function repositoryAt(document: InputDocument, path: Path): Repository {
  const text = requiredTextAt(document, path);
  refuseMistake(document, path, text);
  if (isRepository(text)) return text;
  const reference = splitReference(text);
  if (reference === undefined) throw errorAt(document, path, `is no repository: \`${text}\``);
  const version = reference.digest ?? reference.tag;
  throw errorAt(
    document,
    path,
    'holds more than a repository',
    `write \`${reference.repository}\` there, and \`version: ${version}\` beside it`,
  );
}
