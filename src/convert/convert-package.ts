import type { PackageContents } from '../model/package-contents.js';
import { registryPart } from '../package-yaml/dot-registry/registry-part.js';
import { readOneDocument } from '../package-yaml/dot-registry/one-document.js';
import { listOf, mappingOf, stringOf, type JsonObject } from '../text/json.js';
import { writeYaml } from '../text/yaml/write-yaml.js';
import { convertCrds } from './convert-crds.js';
import { convertDependencies, type DependencyOptions } from './convert-dependencies.js';
import type { Loss } from './loss.js';

/** A file of a package, by its path in the folder of the package. */
export interface PackageFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ConvertedPackage {
  /** `metadata.name` of it. */
  readonly name: string;
  /** Texts by path, `crossplane.yaml` first. */
  readonly files: ReadonlyMap<string, string>;
  readonly losses: readonly Loss[];
}

/** How every file of a converted package begins. */
export const CONVERTED_MARK = '# Converted by xpkg-resolve';

const APP = '.registry/app.yaml';
const INSTALL = '.registry/install.yaml';

/**
 * A package of the first format as the folder that `crossplane xpkg build` takes, and what of it is
 * lost. `contents` is what was read of its files, without a problem.
 */
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
      ...fieldsLost((await valueOf(files, APP)) ?? {}),
      ...losses,
      ...installLost(install, controller),
      ...crds.losses,
      ...filesLost(files),
    ],
  };
}

/** Fields of app.yaml that become part of crossplane.yaml, or say what was read. */
const KEPT_FIELDS = [
  'apiVersion',
  'title',
  'overview',
  'readme',
  'maintainers',
  'source',
  'license',
  'dependsOn',
];

/** Why the other fields that the format knows are lost. */
const LOST_FIELDS: Readonly<Record<string, string>> = {
  version: 'the version of a package is the tag of its image, and nothing else',
  permissionScope:
    'a Provider has the rights that its ClusterRole gives it, in all namespaces, and asks for no scope',
  packageType: 'it is a Provider, which alone installs CRDs and runs a controller',
  owners: 'there is one list of people, `meta.crossplane.io/maintainer`',
};
const NO_ANNOTATION = 'no annotation that registries and consoles show stands for it';

function fieldsLost(app: JsonObject): Loss[] {
  return Object.keys(app)
    .filter((field) => !KEPT_FIELDS.includes(field))
    .filter((field) => !(field === 'overviewShort' && app['overview'] === undefined))
    .filter((field) => !(field === 'packageType' && app[field] === 'Provider'))
    .map((field) => ({
      what: field.slice(0, 100),
      file: APP,
      text: (Object.hasOwn(LOST_FIELDS, field) && LOST_FIELDS[field]) || NO_ANNOTATION,
    }));
}

function installLost(install: JsonObject | undefined, controller: JsonObject): Loss[] {
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

function filesLost(files: readonly PackageFile[]): Loss[] {
  return files.flatMap(({ name }) => {
    const text = LOST_FILES[registryPart(name) ?? ''];
    const what = name.slice(name.lastIndexOf('/') + 1);
    return text === undefined ? [] : [{ what, file: name, text }];
  });
}

/** The image of the one container that has one. */
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

export async function* chunksOf({ bytes }: PackageFile): AsyncGenerator<Uint8Array> {
  yield bytes;
}
