import { parseCrdDemand } from '../../model/crd-demand.js';
import { formatOrigin } from '../../model/input-error.js';
import { objectNameProblem } from '../../model/name.js';
import { isRepository } from '../../model/reference.js';
import type { RootVersion } from '../../model/request.js';
import type { JsonObject, JsonValue } from '../../text/json.js';
import type { Contribution } from '../contribution.js';
import type { InputDocument } from '../document.js';
import { errorAt, objectAt, requiredTextAt, textAt, valueAt } from '../field.js';
import { splitReference } from '../written-reference.js';

/** Fields of such an object, and what a `pkg.crossplane.io` object calls them. */
const TODAY: Readonly<Record<string, string>> = {
  imagePullPolicy: 'packagePullPolicy',
  imagePullSecrets: 'packagePullSecrets',
};
const ASKING = ['source', 'package', 'crd'];

/**
 * A `ClusterPackageInstall` or `PackageInstall`: the package that it names, exact at its tag, or
 * whichever package at its `source` owns the CRD that it names.
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
  const told = lostFields(document, named === null);
  if (named !== null) return packageRoot(document, source, told);
  const demand = parseCrdDemand(crd!);
  if (demand === undefined) {
    const hint = 'write it as `plural.group/version`, or `*.group/version` for any of a group';
    throw errorAt(document, ['spec', 'crd'], 'names no CRD', hint);
  }
  const origin = document.originOf(['spec', 'crd']);
  return { roots: [{ root: 'crd', demand: { ...demand, registry: source }, origin }], notes: told };
}

/** The registry, with no slash at its end; undefined: none is named. */
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
  told: readonly string[],
): Contribution {
  const path = ['spec', 'package'];
  const written = requiredTextAt(document, path);
  const reference = splitReference(source === undefined ? written : `${source}/${written}`);
  if (reference === undefined) throw errorAt(document, path, `is no package: \`${written}\``);
  const { repository, tag, digest } = reference;
  const version: RootVersion =
    digest === undefined ? { form: 'tag', tag: tag ?? 'latest' } : { form: 'digest', digest };
  const origin = document.originOf([]);
  const latest = `${formatOrigin(origin)}: \`${written}\` names no tag and is read as \`latest\``;
  return {
    roots: [
      {
        root: 'package',
        repository,
        kind: undefined,
        version,
        name: nameOf(document),
        spec: keptFields(document),
        object: undefined,
        takesNoRange: true,
        origin,
      },
    ],
    notes: tag === undefined && digest === undefined ? [latest, ...told] : told,
  };
}

function nameOf(document: InputDocument): string | undefined {
  const name = textAt(document, ['metadata', 'name']) || undefined;
  const problem = name === undefined ? undefined : objectNameProblem(name);
  if (problem !== undefined) throw errorAt(document, ['metadata', 'name'], problem);
  return name;
}

/** Of the spec, what the object that is rendered has a field for. */
function keptFields(document: InputDocument): JsonObject {
  const kept = Object.entries(objectAt(document, ['spec'])).flatMap(
    ([field, value]): [string, JsonValue][] =>
      Object.hasOwn(TODAY, field) ? [[TODAY[field]!, value]] : [],
  );
  return Object.fromEntries(kept);
}

/** A note on each field of the spec that no object of today has; by CRD, none is rendered for it. */
function lostFields(document: InputDocument, byCrd: boolean): string[] {
  return Object.keys(objectAt(document, ['spec']))
    .filter((field) => !ASKING.includes(field) && (byCrd || !Object.hasOwn(TODAY, field)))
    .map((field) => {
      const where = formatOrigin(document.originOf(['spec', field]));
      const advice =
        field === 'serviceAccount'
          ? 'a DeploymentRuntimeConfig says it today'
          : 'set it on the package in a PackageSet';
      return `${where}: \`spec.${field}\` is left out; ${advice}`;
    });
}
