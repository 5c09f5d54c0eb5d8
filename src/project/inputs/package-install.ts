import { parseCrdRef } from '../../crossplane/packages/crd-ref.js';

import { objectNameProblem } from '../../crossplane/packages/object-names.js';
import { isRepository } from '../../crossplane/packages/reference.js';

import type { JsonObject, JsonValue } from '../../base/json.js';
import type { Contribution } from './combine.js';
import {
  errorAt,
  type InputDocument,
  noteAt,
  objectAt,
  requiredTextAt,
  textAt,
  valueAt,
} from './document.js';
import { objectVersion, splitReference } from './references.js';

/** Field names of a `pkg.crossplane.io` object, by the names of the old format. */
const RENAMED_FIELDS: Readonly<Record<string, string>> = {
  imagePullPolicy: 'packagePullPolicy',
  imagePullSecrets: 'packagePullSecrets',
};
const REQUEST_FIELDS = ['source', 'package', 'crd'];

/**
 * Reads a `ClusterPackageInstall` or `PackageInstall`. It requires a package at an exact tag, or
 * any package of its `source` that owns a CRD.
 */
export function readPackageInstall(document: InputDocument): Contribution {
  const source = sourceOf(document);
  const [named, crd] = ['package', 'crd'].map(
    (field) => valueAt(document, ['spec', field]) ?? null,
  );
  if ((named === null) === (crd === null)) {
    const problem = named === null ? 'names neither a package nor a CRD' : 'names both';
    throw errorAt(document, ['spec'], problem, 'write one of `package` and `crd`');
  }
  const notes = lostFieldNotes(document, named === null);
  if (named !== null) return packageRoot(document, source, notes);
  const crdRef = parseCrdRef(crd!);
  if (crdRef === undefined) {
    const hint = 'write it as `plural.group/version`, or `*.group/version` for any of a group';
    throw errorAt(document, ['spec', 'crd'], 'names no CRD', hint);
  }
  const origin = document.originOf(['spec', 'crd']);
  return {
    roots: [{ root: 'crd', demand: { ...crdRef, registry: source }, origin }],
    notes,
  };
}

/** Returns the registry without trailing slashes, or undefined. */
function sourceOf(document: InputDocument): string | undefined {
  const path = ['spec', 'source'];
  const source = textAt(document, path)?.replace(/(?<!\/)\/+$/, '');
  if (source === undefined || source === '') return undefined;
  if (!isRepository(`${source}/any`) || source.includes('://')) {
    throw errorAt(document, path, `is no registry: \`${source}\``, 'write `registry.example.org`');
  }
  return source;
}

function packageRoot(
  document: InputDocument,
  source: string | undefined,
  notes: readonly string[],
): Contribution {
  const path = ['spec', 'package'];
  const written = requiredTextAt(document, path);
  const reference = splitReference(source === undefined ? written : `${source}/${written}`);
  if (reference === undefined) throw errorAt(document, path, `is no package: \`${written}\``);
  const { repository, tag, digest } = reference;
  const latest = noteAt(document, [], `\`${written}\` names no tag and is read as \`latest\``);
  return {
    roots: [
      {
        root: 'package',
        repository,
        kind: undefined,
        version: objectVersion(reference),
        name: nameOf(document),
        spec: renderedFields(document),
        object: undefined,
        takesNoRange: true,
        origin: document.originOf([]),
      },
    ],
    notes: tag === undefined && digest === undefined ? [latest, ...notes] : notes,
  };
}

function nameOf(document: InputDocument): string | undefined {
  const name = textAt(document, ['metadata', 'name']) || undefined;
  const problem = name === undefined ? undefined : objectNameProblem(name);
  if (problem !== undefined) throw errorAt(document, ['metadata', 'name'], problem);
  return name;
}

/** Returns the fields of the spec that the rendered object has too. */
function renderedFields(document: InputDocument): JsonObject {
  const fields = Object.entries(objectAt(document, ['spec'])).flatMap(
    ([field, value]): [string, JsonValue][] =>
      Object.hasOwn(RENAMED_FIELDS, field) ? [[RENAMED_FIELDS[field]!, value]] : [],
  );
  return Object.fromEntries(fields);
}

/** Returns notes on fields that the rendered object does not have; all fields for a root by CRD. */
function lostFieldNotes(document: InputDocument, byCrd: boolean): string[] {
  return Object.keys(objectAt(document, ['spec']))
    .filter(
      (field) =>
        !REQUEST_FIELDS.includes(field) && (byCrd || !Object.hasOwn(RENAMED_FIELDS, field)),
    )
    .map((field) => {
      const advice =
        field === 'serviceAccount'
          ? 'a DeploymentRuntimeConfig says it today'
          : 'set it on the package in a PackageSet';
      return noteAt(document, ['spec', field], `\`spec.${field}\` is left out; ${advice}`);
    });
}
