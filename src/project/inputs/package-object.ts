import { checkPackageSpec } from './check-package-set.js';
import type { DocumentNode } from './document.js';
import type { Contribution } from './request.js';
import { checkReference, objectVersion, splitReference } from './references.js';
import { isList, type JsonObject, type JsonValue } from '../../base/json.js';
import { didYouMean } from '../../base/messages.js';
import { parseCrdRef } from '../../crossplane/packages/crd-ref.js';
import { objectNameProblem } from '../../crossplane/packages/object-names.js';
import type { PackageKind } from '../../crossplane/packages/package.js';
import { isRepository } from '../../crossplane/packages/reference.js';
import { METADATA_FIELDS, OBJECT_FIELDS } from '../../crossplane/releases/package-fields.js';

/** API versions that a Crossplane release since v1.14 serves. */
const SERVED: Readonly<Record<PackageKind, readonly string[]>> = {
  Provider: ['v1'],
  Configuration: ['v1'],
  Function: ['v1', 'v1beta1'],
};

/** Reads a `pkg.crossplane.io` object: a root at a tag or digest that keeps its other fields. */
export function readPackageObject(root: DocumentNode, kind: PackageKind): Contribution {
  assertServed(root.at('apiVersion'), kind);
  const object = root.object();
  const name = root.at('metadata', 'name').requiredText();
  objectNameAt(root.at('metadata', 'name'));
  checkMetadataFields(root);
  checkPackageSpec(root.document);
  const { origin } = root;
  const { repository, version, note } = packageAt(root.at('spec', 'package'));
  const unknownFields = Object.keys(root.at('spec').object())
    .filter((field) => field !== 'package' && !OBJECT_FIELDS.has(field))
    .map((field) => ({ name: field, origin: root.at('spec', field).origin }));
  const settings = { name, spec: {}, object, ...(unknownFields.length > 0 && { unknownFields }) };
  return {
    roots: [{ root: 'package', repository, kind, version, ...settings, origin }],
    notes: [...(note === undefined ? [] : [root.note(note)]), ...metadataNotes(root)],
  };
}

function assertServed(node: DocumentNode, kind: PackageKind): void {
  const [, version = ''] = node.requiredText().split('/');
  if (SERVED[kind].includes(version)) return;
  throw node.inputError(
    `is \`pkg.crossplane.io/${version}\`, in which no Crossplane since v1.14 serves a ${kind}`,
    'write `pkg.crossplane.io/v1`',
  );
}

function packageAt(node: DocumentNode) {
  const text = node.requiredText();
  checkReference(node, text);
  const reference = splitReference(text);
  if (reference === undefined) throw node.inputError(`is no image reference: \`${text}\``);
  const { repository, tag, digest } = reference;
  return { repository, version: objectVersion(reference), note: noteOn(text, tag, digest) };
}

function noteOn(text: string, tag: string | undefined, digest: string | undefined) {
  if (digest !== undefined && tag !== undefined) {
    return `\`${text}\` is read as its digest; Crossplane would take the tag for part of the source, and nothing that depends on the package would find it`;
  }
  if (digest === undefined && tag === undefined) {
    return `\`${text}\` names no tag and is read as \`latest\`, as Crossplane v1 does; v2 refuses it`;
  }
  return undefined;
}

/** Throws an `InputError` for unknown `metadata` fields: an API server would drop them silently. */
export function checkMetadataFields(root: DocumentNode): void {
  const known: readonly string[] = METADATA_FIELDS;
  const metadata = root.at('metadata');
  const unknown = Object.keys(metadata.object()).find((field) => !known.includes(field));
  if (unknown === undefined) return;
  const suggestion = didYouMean(unknown, METADATA_FIELDS);
  const hint = suggestion === undefined ? 'remove it' : `did you mean \`${suggestion}\`?`;
  throw metadata.at(unknown).inputError('is not a field of metadata', hint);
}

/** Fields that users set but that apply to one cluster only. */
const DROPPED = ['finalizers', 'namespace', 'ownerReferences'];

/** Returns notes on metadata fields that are not rendered. */
export function metadataNotes(root: DocumentNode): readonly string[] {
  const metadata = root.at('metadata').object();
  // An object with a uid is a dump: these fields come from the cluster.
  if (metadata['uid'] !== undefined) return [];
  return DROPPED.filter((field) => isSet(metadata[field])).map((field) => {
    const note = `\`metadata.${field}\` is not kept: of metadata, the bundle has labels and annotations`;
    return root.at('metadata', field).note(note);
  });
}

function isSet(value: JsonValue | undefined): boolean {
  return isList(value) ? value.length > 0 : (value ?? '') !== '';
}

/** Field names of a `pkg.crossplane.io` object, by the names of the old format. */
const RENAMED_FIELDS: Readonly<Record<string, string>> = {
  imagePullPolicy: 'packagePullPolicy',
  imagePullSecrets: 'packagePullSecrets',
};
const REQUEST_FIELDS = ['source', 'package', 'crd'];

/** Reads a PackageInstall: it requires a tag of a package, or a package that owns a CRD. */
export function readPackageInstall(root: DocumentNode): Contribution {
  const spec = root.at('spec');
  const source = registryAt(spec.at('source'));
  const crd = spec.at('crd');
  const isByCrd = (spec.at('package').value ?? null) === null;
  if (isByCrd === ((crd.value ?? null) === null)) {
    const problem = isByCrd ? 'names neither a package nor a CRD' : 'names both';
    throw spec.inputError(problem, 'write one of `package` and `crd`');
  }
  const notes = lostFieldNotes(spec, isByCrd);
  if (!isByCrd) return packageRoot(root, source, notes);
  const crdRef = parseCrdRef(crd.value!);
  if (crdRef === undefined) {
    const hint = 'write it as `plural.group/version`, or `*.group/version` for any of a group';
    throw crd.inputError('names no CRD', hint);
  }
  const demand = { ...crdRef, registry: source };
  return { roots: [{ root: 'crd', demand, origin: crd.origin }], notes };
}

/** Returns the registry without trailing slashes, or undefined. */
function registryAt(node: DocumentNode): string | undefined {
  const source = node.text()?.replace(/(?<!\/)\/+$/, '');
  if (source === undefined || source === '') return undefined;
  if (!isRepository(`${source}/any`) || source.includes('://')) {
    throw node.inputError(`is no registry: \`${source}\``, 'write `registry.example.org`');
  }
  return source;
}

function packageRoot(
  root: DocumentNode,
  source: string | undefined,
  notes: readonly string[],
): Contribution {
  const node = root.at('spec', 'package');
  const written = node.requiredText();
  const reference = splitReference(source === undefined ? written : `${source}/${written}`);
  if (reference === undefined) throw node.inputError(`is no package: \`${written}\``);
  const { repository, tag, digest } = reference;
  const latestNote = root.note(`\`${written}\` names no tag and is read as \`latest\``);
  return {
    roots: [
      {
        root: 'package',
        repository,
        kind: undefined,
        version: objectVersion(reference),
        name: objectNameAt(root.at('metadata', 'name')),
        spec: renderedFields(root.at('spec').object()),
        object: undefined,
        takesNoRange: true,
        origin: root.origin,
      },
    ],
    notes: tag === undefined && digest === undefined ? [latestNote, ...notes] : notes,
  };
}

/** Returns the name of an object; undefined if absent. Throws an `InputError` if it is invalid. */
export function objectNameAt(node: DocumentNode): string | undefined {
  const name = node.text() || undefined;
  const problem = name === undefined ? undefined : objectNameProblem(name);
  if (problem !== undefined) throw node.inputError(problem);
  return name;
}

/** Returns the fields of the spec that the rendered object has too. */
function renderedFields(spec: JsonObject): JsonObject {
  const fields = Object.entries(spec).filter(([field]) => Object.hasOwn(RENAMED_FIELDS, field));
  return Object.fromEntries(fields.map(([field, value]) => [RENAMED_FIELDS[field]!, value]));
}

/** Returns notes on fields that the rendered object does not have; all fields for a root by CRD. */
function lostFieldNotes(spec: DocumentNode, isByCrd: boolean): string[] {
  const isRendered = (field: string) => !isByCrd && Object.hasOwn(RENAMED_FIELDS, field);
  return Object.keys(spec.object())
    .filter((field) => !REQUEST_FIELDS.includes(field) && !isRendered(field))
    .map((field) => {
      const advice =
        field === 'serviceAccount'
          ? 'a DeploymentRuntimeConfig says it today'
          : 'set it on the package in a PackageSet';
      return spec.at(field).note(`\`spec.${field}\` is left out; ${advice}`);
    });
}
