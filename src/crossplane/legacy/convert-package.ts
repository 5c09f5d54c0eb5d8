import { convertCrds, type Loss, type PackageFile } from './convert-crds.js';
import { registryPart } from './dot-registry.js';
import { readOneDocument } from './registry-package.js';
import { type JsonObject, type JsonValue, listOf, mappingOf, stringOf } from '../../base/json.js';
import { writeYaml } from '../../base/yaml/write-yaml.js';
import {
  compareVersions,
  type Dialect,
  parseVersion,
  type Version,
} from '../constraints/version.js';
import { type CrdRef, definesCrd, parseCrdRef } from '../packages/crd-ref.js';
import type { PackageContents } from '../packages/package-contents.js';
import type { Repository } from '../packages/package.js';

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
  const install = await valueOf(files, INSTALL);
  const image = install && imageIn(install);
  const controller = {
    ...(image !== undefined && { image }),
    ...(permissionRequests.length > 0 && { permissionRequests }),
  };
  const crds = await convertCrds(files);
  const meta = {
    apiVersion: 'meta.pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      ...(Object.keys(controller).length > 0 && { controller }),
      ...(dependsOn.length > 0 && { dependsOn }),
    },
  };
  const mark = `${CONVERTED_MARK} from the \`.registry/\` of a package of the first format.\n`;
  return {
    name,
    files: new Map([
      ['crossplane.yaml', `${mark}${writeYaml(meta)}`],
      ...crds.files.map(([path, text]) => [path, `${mark}${text}`] as const),
    ]),
    losses: [
      ...lostFields((await valueOf(files, APP)) ?? {}),
      ...losses,
      ...lostInstall(install, controller),
      ...crds.losses,
      ...lostFiles(files),
    ],
  };
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
      what: field.slice(0, 100),
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
  const name = stringOf(mappingOf(install['metadata'])?.['name'])?.slice(0, 100) ?? '';
  const text =
    'Crossplane makes the Deployment of a Provider itself; replicas, environment and arguments are for a DeploymentRuntimeConfig';
  return [{ what: `Deployment ${name}`.trim(), file: INSTALL, text }, ...fields];
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

async function valueOf(
  files: readonly PackageFile[],
  name: string,
): Promise<JsonObject | undefined> {
  const found = files.find((file) => file.name === name);
  if (found === undefined) return undefined;
  const read = await readOneDocument(chunksOf(found));
  return 'value' in read ? read.value : undefined;
}

async function* chunksOf({ bytes }: PackageFile): AsyncGenerator<Uint8Array> {
  yield bytes;
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
  readonly ownersOf: (demand: CrdRef) => Promise<readonly CrdOwner[]>;
}

/** Turns dependencies on CRDs into dependencies on the packages that own them. */
async function convertDependencies(
  { metas, objects }: PackageContents,
  { dialect, ownersOf }: DependencyOptions,
) {
  const owners = new Map<Repository, CrdOwner>();
  const permissionRequests: JsonObject[] = [];
  const losses: Loss[] = [];
  const addLoss = (what: string, text: string) => {
    losses.push({ what, file: '.registry/app.yaml', text });
  };
  for (const entry of metas[0]?.dependsOn ?? []) {
    const crd = mappingOf(entry)?.['crd'];
    const ref = crd === undefined ? undefined : parseCrdRef(crd);
    const what = `dependsOn ${shortText(crd ?? entry)}`;
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
    if (others.length > 0) {
      const names = others.map(({ repository }) => `\`${repository}\``).join(', ');
      addLoss(
        what,
        `\`${owner.repository}\` is written for it, which leaves no choice of ${names}`,
      );
    }
    owners.set(owner.repository, withOwner(owners.get(owner.repository), owner));
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

/** Returns the versions that own both the earlier CRDs and this one. */
function withOwner(before: CrdOwner | undefined, now: CrdOwner): CrdOwner {
  if (before === undefined) return now;
  return { ...now, owning: now.owning.filter((version) => before.owning.includes(version)) };
}

function permissionFor(demand: CrdRef): JsonObject {
  const [group, resource] =
    'crd' in demand
      ? [demand.crd.slice(demand.crd.indexOf('.') + 1), demand.crd.split('.', 1)[0]!]
      : [demand.group, '*'];
  return { apiGroups: [group], resources: [resource], verbs: ['*'] };
}

const MAX_TEXT_LENGTH = 100;

function shortText(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_TEXT_LENGTH);
}

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
  const ranges: string[] = [];
  let from: Version | undefined;
  for (const version of counted) {
    const owns = owning.has(version.raw);
    if (owns) from ??= version;
    if (owns || from === undefined) continue;
    ranges.push(`>=${from.raw}, <${version.raw}`);
    from = undefined;
  }
  if (from !== undefined) ranges.push(`>=${from.raw}`);
  return ranges.length === 0 ? undefined : ranges.join(' || ');
}
