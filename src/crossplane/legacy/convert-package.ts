import { Readable } from 'node:stream';
import { registryPart } from './dot-registry.js';
import { readOneDocument } from './registry-package.js';
import { byCodePoint, getOrCreate } from '../../base/collections.js';
import {
  hasExcessiveAliases,
  type JsonObject,
  type JsonValue,
  listOf,
  mappingOf,
  stringOf,
} from '../../base/json.js';
import { parseGoYaml } from '../../base/yaml/go-yaml.js';
import { writeYaml } from '../../base/yaml/write-yaml.js';
import type { Dialect } from '../constraints/dialects.js';
import { compareVersions, parseVersion } from '../constraints/version.js';
import { isEmptyDocument, splitDocuments } from '../package-yaml/split-documents.js';
import { type CrdRef, definesCrd, parseCrdRef } from '../packages/crd-ref.js';
import type { PackageContents } from '../packages/package-contents.js';
import type { Repository } from '../packages/package.js';

/** A part of a legacy package that has no counterpart today. */
interface Loss {
  /** The lost field or file: `permissionScope`, `icon.svg`. */
  readonly what: string;
  /** Path in the converted folder. */
  readonly file: string;
  /** The reason, and what to use instead. */
  readonly text: string;
}

/** A file of a package. `name` is its path in the folder of the package. */
interface PackageFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface CrdDocument {
  readonly file: string;
  readonly text: string;
  readonly value: JsonObject;
}

/** Converts the CRDs of a legacy package. Each becomes a file of its own. */
export async function convertCrds(files: readonly PackageFile[]) {
  const byName = new Map<string, CrdDocument[]>();
  for (const file of files.filter(({ name }) => registryPart(name) === 'crd')) {
    for await (const document of documentsIn(file)) {
      const name = stringOf(mappingOf(document.value['metadata'])?.['name']) ?? '';
      getOrCreate(byName, name, () => []).push(document);
    }
  }
  const converted = [...byName]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([name, documents]) => convertCrd(name, documents));
  return {
    files: converted.map(({ path, text }) => [path, text] as const),
    losses: converted.flatMap(({ losses }) => losses),
  };
}

async function* documentsIn({ name: file, bytes }: PackageFile): AsyncGenerator<CrdDocument> {
  for await (const piece of splitDocuments([bytes])) {
    if ('problem' in piece || isEmptyDocument(piece.text)) continue;
    const parsed = parseGoYaml(piece.text);
    const value = 'value' in parsed ? mappingOf(parsed.value) : undefined;
    if (value !== undefined) yield { file, text: piece.text, value };
  }
}

/** Returns a file name for a CRD name, without characters that a CRD name cannot have. */
function fileName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9.-]/g, '').replace(/^\.+/, '') || 'crd';
}

function hasExactNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(hasExactNumbers);
}

function convertCrd(name: string, documents: readonly CrdDocument[]) {
  const path = `crds/${fileName(name)}.yaml`;
  const { file } = documents[0]!;
  const losses: Loss[] = [];
  const addLoss = (what: string, text: string) => losses.push({ what, file, text });
  const values = documents.map(({ value }) => value);
  if (values.some((value) => hasExcessiveAliases(value) || !hasExactNumbers(value))) {
    addLoss(
      name,
      'it holds numbers or aliases too large to be written again, and stays as it is; write it as `apiextensions.k8s.io/v1` by hand',
    );
    return { path, text: documents.map(({ text }) => text).join('---\n'), losses };
  }
  const { crd, stored } = mergeCrds(values.map(crdV1));
  if (stored !== undefined) {
    addLoss(
      name,
      `${values.length} documents, each with versions of it, become one CRD, which is stored as ${stored}`,
    );
  }
  if (values.some(({ metadata }) => mappingOf(metadata)?.['ownerReferences'] !== undefined)) {
    addLoss(
      'ownerReferences',
      'names an owner in the cluster it was taken from; in another one the CRD would be deleted with it',
    );
  }
  return { path, text: writeYaml(crd), losses };
}

const V1 = 'apiextensions.k8s.io/v1';

/** The schema that v1beta1 assumes if there is none. */
const PRESERVE_UNKNOWN_FIELDS = { 'x-kubernetes-preserve-unknown-fields': true };

/** Returns a CRD of v1, with only the labels and annotations of its metadata. */
export function crdV1(crd: JsonObject): JsonObject {
  const metadata = mappingOf(crd['metadata']) ?? {};
  const spec = mappingOf(crd['spec']) ?? {};
  return {
    apiVersion: V1,
    kind: 'CustomResourceDefinition',
    metadata: withKeys(metadata, ['name', 'labels', 'annotations']),
    spec: crd['apiVersion'] === V1 ? spec : specV1(spec),
  };
}

function specV1(spec: JsonObject): JsonObject {
  const { conversion } = spec;
  const written = listOf(spec['versions']);
  const versions = written ?? [{ name: spec['version'] ?? '', served: true, storage: true }];
  return {
    ...withKeys(spec, ['group', 'names']),
    scope: spec['scope'] ?? 'Namespaced',
    ...(conversion !== undefined && { conversion: conversionV1(mappingOf(conversion) ?? {}) }),
    versions: versions.map((version) => versionV1(mappingOf(version) ?? {}, spec)),
  };
}

function versionV1(version: JsonObject, spec: JsonObject): JsonObject {
  const fieldOf = (field: string) => version[field] ?? spec[field];
  const columns = listOf(fieldOf('additionalPrinterColumns'));
  const subresources = fieldOf('subresources');
  return {
    ...withKeys(version, ['name', 'served', 'storage']),
    schema: { openAPIV3Schema: schemaV1(version['schema'] ?? spec['validation'], spec) },
    ...(subresources !== undefined && { subresources }),
    ...(columns !== undefined && { additionalPrinterColumns: columns.map(columnV1) }),
  };
}

/** v1beta1 keeps unknown fields by default; v1 drops them. */
function schemaV1(validation: JsonValue | undefined, spec: JsonObject): JsonObject {
  const schema = mappingOf(mappingOf(validation)?.['openAPIV3Schema']) ?? {};
  const isKept = spec['preserveUnknownFields'] !== false;
  return { type: 'object', ...schema, ...(isKept && PRESERVE_UNKNOWN_FIELDS) };
}

function columnV1(written: JsonValue): JsonValue {
  const column = mappingOf(written);
  if (column === undefined) return written;
  const { JSONPath: jsonPath = column['jsonPath'] ?? '', ...rest } = column;
  return { ...rest, jsonPath };
}

function conversionV1({
  strategy = 'None',
  webhookClientConfig: clientConfig,
  conversionReviewVersions = ['v1beta1'],
}: JsonObject): JsonObject {
  if (clientConfig === undefined) return { strategy };
  return { strategy, webhook: { clientConfig, conversionReviewVersions } };
}

function withKeys(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (object[key] === undefined ? [] : [[key, object[key]]])),
  );
}

/** Merges the versions of one CRD from several documents. The newest version is stored. */
function mergeCrds(crds: readonly JsonObject[]) {
  const [first] = crds;
  if (crds.length === 1) return { crd: first!, stored: undefined };
  const byName = new Map<string, JsonObject>();
  for (const crd of crds) {
    for (const version of listOf(mappingOf(crd['spec'])?.['versions']) ?? []) {
      const name = stringOf(mappingOf(version)?.['name']) ?? '';
      if (!byName.has(name)) byName.set(name, mappingOf(version) ?? {});
    }
  }
  const names = [...byName.keys()].sort((a, b) => priority(b) - priority(a));
  const stored = names[0]!;
  const versions = names.map((name) => ({ ...byName.get(name), storage: name === stored }));
  const spec = { ...mappingOf(first!['spec']), versions };
  return { crd: { ...first, spec }, stored };
}

/** Orders versions as API servers do: v2, v1, v1beta2, v1beta1, v1alpha1, then all other names. */
function priority(name: string): number {
  const [, major, stage, minor = '0'] = /^v(\d{1,4})(?:(alpha|beta)(\d{1,4}))?$/.exec(name) ?? [];
  if (major === undefined) return 0;
  const rank = stage === undefined ? 3 : stage === 'beta' ? 2 : 1;
  return (rank * 10_000 + Number(major)) * 10_000 + Number(minor);
}

export interface ConvertedPackage {
  readonly name: string;
  /** Texts by path, `crossplane.yaml` first. */
  readonly files: ReadonlyMap<string, string>;
  readonly losses: readonly Loss[];
}

/** The first line of every file of a converted package. */
export const CONVERTED_MARK = '# Converted by xpkg-resolve';

const APP = '.registry/app.yaml';
const INSTALL = '.registry/install.yaml';

/** Converts a valid legacy package to a folder for `crossplane xpkg build`. */
export async function convertPackage(
  files: readonly PackageFile[],
  contents: PackageContents,
  options: DependencyOptions,
): Promise<ConvertedPackage> {
  const { name, annotations } = contents.metas[0]!;
  const { dependsOn, permissionRequests, losses } = await convertDependencies(contents, options);
  const install = await readDocumentNamed(files, INSTALL);
  const image = install && imageIn(install);
  const controller = {
    ...(image !== undefined && { image }),
    ...(permissionRequests.length > 0 && { permissionRequests }),
  };
  const crds = await convertCrds(files);
  const meta = {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name, annotations: orNone(annotations) },
    spec: { controller: orNone(controller), dependsOn: orNone(dependsOn) },
  };
  const firstLines = `${CONVERTED_MARK} from the \`.registry/\` of a package of the first format.\n`;
  return {
    name,
    files: new Map([
      ['crossplane.yaml', `${firstLines}${writeYaml(meta)}`],
      ...crds.files.map(([path, text]) => [path, `${firstLines}${text}`] as const),
    ]),
    losses: [
      ...lostFields((await readDocumentNamed(files, APP)) ?? {}),
      ...losses,
      ...lostInstall(install, controller),
      ...crds.losses,
      ...lostFiles(files),
    ],
  };
}

/** Returns undefined for an object or a list without members. */
function orNone<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Fields of app.yaml that become part of crossplane.yaml, or that only describe the format. */
const CONVERTED_FIELDS = [
  'apiVersion',
  'title',
  'overview',
  'readme',
  'maintainers',
  'source',
  'license',
  'dependsOn',
];

const LOST_FIELDS: Readonly<Record<string, string>> = {
  version: 'the version of a package is the tag of its image, and nothing else',
  permissionScope:
    'a Provider has the rights that its ClusterRole gives it, in all namespaces, and asks for no scope',
  packageType: 'it is a Provider, which alone installs CRDs and runs a controller',
  owners: 'there is one list of people, `meta.crossplane.io/maintainer`',
};
const NO_ANNOTATION = 'no annotation that registries and consoles show stands for it';

function lostFields(app: JsonObject): Loss[] {
  return Object.keys(app)
    .filter((field) => !CONVERTED_FIELDS.includes(field))
    .filter((field) => !(field === 'overviewShort' && app['overview'] === undefined))
    .filter((field) => !(field === 'packageType' && app[field] === 'Provider'))
    .map((field) => ({
      what: field.slice(0, MAX_TEXT_LENGTH),
      file: APP,
      text: (Object.hasOwn(LOST_FIELDS, field) && LOST_FIELDS[field]) || NO_ANNOTATION,
    }));
}

function lostInstall(install: JsonObject | undefined, controller: JsonObject): Loss[] {
  const ignored = 'Crossplane v1 honours it and v2 ignores it';
  const fields = Object.keys(controller).map((field) => {
    const text = `is written as \`spec.controller.${field}\`; ${ignored}${REMEDIES[field] ?? ''}`;
    return { what: field, file: field === 'image' ? INSTALL : APP, text };
  });
  if (install === undefined) {
    const text =
      'there is none, so the package ran no controller; a Provider runs its own image as one';
    return [{ what: 'install.yaml', file: INSTALL, text }, ...fields];
  }
  const name = stringOf(mappingOf(install['metadata'])?.['name']) ?? '';
  const what = `Deployment ${name.slice(0, MAX_TEXT_LENGTH)}`.trim();
  const text =
    'Crossplane makes the Deployment of a Provider itself; replicas, environment and arguments are for a DeploymentRuntimeConfig';
  return [{ what, file: INSTALL, text }, ...fields];
}

const REMEDIES: Readonly<Record<string, string>> = {
  image: ', which runs the image of the package: build one with both',
  permissionRequests: ': grant the rights with a ClusterRole of your own',
};

const LOST_FILES: Readonly<Record<string, string>> = {
  icon: 'a package holds no images; publish it, and name it in the annotation `meta.crossplane.io/iconURI`',
  'ui-schema': 'nothing of today draws forms from it',
  group: 'an API group has no description of its own',
  resource: 'the schema of a CRD describes its resource',
  other: 'the format has no such file',
};

function lostFiles(files: readonly PackageFile[]): Loss[] {
  return files.flatMap(({ name }) => {
    const text = LOST_FILES[registryPart(name) ?? ''];
    const what = name.slice(name.lastIndexOf('/') + 1);
    return text === undefined ? [] : [{ what, file: name, text }];
  });
}

function imageIn(install: JsonObject): string | undefined {
  const template = mappingOf(mappingOf(install['spec'])?.['template']);
  const containers = listOf(mappingOf(template?.['spec'])?.['containers']) ?? [];
  return containers.map((each) => stringOf(mappingOf(each)?.['image'])).find((image) => image);
}

async function readDocumentNamed(
  files: readonly PackageFile[],
  name: string,
): Promise<JsonObject | undefined> {
  const file = files.find((each) => each.name === name);
  const read = file && (await readOneDocument(Readable.from([file.bytes])));
  return read && 'value' in read ? read.value : undefined;
}

/** A package that owns a CRD, with all its versions and those that own the CRD. */
export interface CrdOwner {
  readonly repository: Repository;
  readonly kind: string;
  readonly published: readonly string[];
  readonly owning: readonly string[];
}

export interface DependencyOptions {
  readonly dialect: Dialect;
  /** Returns the owners of a CRD, sorted by repository; empty if no owner is known. */
  readonly ownersOf: (crdRef: CrdRef) => Promise<readonly CrdOwner[]>;
}

/** Turns dependencies on CRDs into dependencies on the packages that own them. */
async function convertDependencies(
  { metas, objects }: PackageContents,
  { dialect, ownersOf }: DependencyOptions,
) {
  const owners = new Map<Repository, CrdOwner>();
  const permissionRequests: JsonObject[] = [];
  const losses: Loss[] = [];
  const addLoss = (what: string, text: string) => losses.push({ what, file: APP, text });
  for (const entry of metas[0]?.dependsOn ?? []) {
    const crd = mappingOf(entry)?.['crd'];
    const ref = crd === undefined ? undefined : parseCrdRef(crd);
    const written = crd ?? entry;
    const text = typeof written === 'string' ? written : JSON.stringify(written);
    const what = `dependsOn ${text.slice(0, MAX_TEXT_LENGTH)}`;
    if (ref === undefined) {
      addLoss(what, 'names no CRD, so no package can be found for it');
      continue;
    }
    permissionRequests.push(permissionFor(ref));
    if (objects.some((object) => definesCrd(object, ref))) continue;
    const [owner, ...others] = await ownersOf(ref);
    if (owner === undefined) {
      const advice =
        'name a source that lists what it holds: `--from dir:PATH` or `--from index:FILE`';
      addLoss(what, `no source given knows the package that owns it; ${advice}`);
      continue;
    }
    const { repository } = owner;
    if (others.length > 0) {
      const names = others.map((other) => `\`${other.repository}\``).join(', ');
      addLoss(what, `\`${repository}\` is written for it, which leaves no choice of ${names}`);
    }
    // The versions that own both the earlier CRDs and this one.
    const before = owners.get(repository)?.owning ?? owner.owning;
    const owning = owner.owning.filter((version) => before.includes(version));
    owners.set(repository, { ...owner, owning });
  }
  const dependsOn: JsonObject[] = [];
  for (const { repository, kind, owning, published } of owners.values()) {
    const version = owningRange(new Set(owning), published, dialect);
    if (version === undefined) {
      addLoss(`dependsOn ${repository}`, 'no version of it owns every CRD that is asked of it');
    } else {
      dependsOn.push({ [kind.toLowerCase()]: repository, version });
    }
  }
  return { dependsOn, permissionRequests, losses };
}

function permissionFor(crdRef: CrdRef): JsonObject {
  const [group, resource] =
    'crd' in crdRef
      ? [crdRef.crd.slice(crdRef.crd.indexOf('.') + 1), crdRef.crd.split('.', 1)[0]!]
      : [crdRef.group, '*'];
  return { apiGroups: [group], resources: [resource], verbs: ['*'] };
}

/** Limit for texts of a package in a description of what was lost. */
const MAX_TEXT_LENGTH = 100;

/** Returns the range of exactly the published versions in `owning`, if any. Prefers releases. */
export function owningRange(
  owning: ReadonlySet<string>,
  published: readonly string[],
  dialect: Dialect,
): string | undefined {
  const all = published
    .map((text) => parseVersion(text, dialect))
    .filter((version) => version !== undefined)
    .sort(compareVersions);
  const stable = all.filter(({ prerelease }) => prerelease === '');
  const counted = stable.some(({ raw }) => owning.has(raw)) ? stable : all;
  // Ownership changes at these versions: ranges begin at the first, third … and end at the others.
  const rangeBounds = counted.filter(
    ({ raw }, n) => owning.has(raw) !== owning.has(counted[n - 1]?.raw ?? ''),
  );
  const ranges = rangeBounds.flatMap(({ raw }, n) => {
    const end = rangeBounds[n + 1];
    if (n % 2 === 1) return [];
    return [end === undefined ? `>=${raw}` : `>=${raw}, <${end.raw}`];
  });
  return ranges.length === 0 ? undefined : ranges.join(' || ');
}
