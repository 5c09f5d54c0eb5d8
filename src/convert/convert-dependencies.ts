import { meetsDemand, parseCrdDemand, type CrdDemand } from '../model/crd-demand.js';
import type { PackageContents } from '../model/package-contents.js';
import type { Repository } from '../model/package.js';
import type { Dialect } from '../semver/dialect.js';
import { mappingOf, type JsonObject, type JsonValue } from '../text/json.js';
import type { Loss } from './loss.js';
import { owningRange } from './owning-range.js';

/** A package that owns a CRD, with all versions that there are and those that own it. */
export interface KnownOwner {
  readonly repository: Repository;
  readonly kind: string;
  readonly published: readonly string[];
  readonly owning: readonly string[];
}

export interface DependencyOptions {
  readonly dialect: Dialect;
  /** Who owns a CRD, sorted by repository; none: no owner is known. */
  readonly ownersOf: (demand: CrdDemand) => Promise<readonly KnownOwner[]>;
}

interface ConvertedDependencies {
  /** Entries of dependsOn, in the order in which their CRDs are first asked for. */
  readonly dependsOn: readonly JsonObject[];
  /** Rules of RBAC: the old format let a controller use the CRDs that it depends on. */
  readonly permissionRequests: readonly JsonObject[];
  readonly losses: readonly Loss[];
}

/** Turns dependencies on CRDs into dependencies on the packages that own them. */
export async function convertDependencies(
  { metas, objects }: PackageContents,
  { dialect, ownersOf }: DependencyOptions,
): Promise<ConvertedDependencies> {
  const wanted = new Map<Repository, KnownOwner>();
  const permissionRequests: JsonObject[] = [];
  const losses: Loss[] = [];
  const lose = (what: string, text: string) => {
    losses.push({ what, file: '.registry/app.yaml', text });
  };
  for (const entry of metas[0]?.dependsOn ?? []) {
    const crd = mappingOf(entry)?.['crd'];
    const demand = crd === undefined ? undefined : parseCrdDemand(crd);
    const what = `dependsOn ${textOf(crd ?? entry)}`;
    if (demand === undefined) {
      lose(what, 'names no CRD, so no package can be found for it');
      continue;
    }
    permissionRequests.push(permissionFor(demand));
    if (objects.some((object) => meetsDemand(object, demand))) continue;
    const [owner, ...others] = await ownersOf(demand);
    if (owner === undefined) {
      const advice =
        'name a source that lists what it holds: `--from dir:PATH` or `--from index:FILE`';
      lose(what, `no source given knows the package that owns it; ${advice}`);
      continue;
    }
    if (others.length > 0) {
      const names = others.map(({ repository }) => `\`${repository}\``).join(', ');
      lose(what, `\`${owner.repository}\` is written for it, which leaves no choice of ${names}`);
    }
    wanted.set(owner.repository, narrowed(wanted.get(owner.repository), owner));
  }
  const dependsOn: JsonObject[] = [];
  for (const { repository, kind, owning, published } of wanted.values()) {
    const version = owningRange(new Set(owning), published, dialect);
    if (version === undefined) {
      lose(`dependsOn ${repository}`, 'no version of it owns every CRD that is asked of it');
    } else {
      dependsOn.push({ [kind.toLowerCase()]: repository, version });
    }
  }
  return { dependsOn, permissionRequests, losses };
}

/** The versions that own what was asked for so far and what is asked for now. */
function narrowed(before: KnownOwner | undefined, now: KnownOwner): KnownOwner {
  if (before === undefined) return now;
  return { ...now, owning: now.owning.filter((version) => before.owning.includes(version)) };
}

function permissionFor(demand: CrdDemand): JsonObject {
  const [group, resource] =
    'crd' in demand
      ? [demand.crd.slice(demand.crd.indexOf('.') + 1), demand.crd.split('.', 1)[0]!]
      : [demand.group, '*'];
  return { apiGroups: [group], resources: [resource], verbs: ['*'] };
}

const MAX_SHOWN = 100;

function textOf(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_SHOWN);
}
