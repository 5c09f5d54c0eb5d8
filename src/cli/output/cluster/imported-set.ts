import type { PackageRoot, Request } from '../../../model/request.js';
import type { Target } from '../../../model/target/target.js';
import type { JsonObject } from '../../../text/json.js';
import { writeYamlStream } from '../../../text/yaml/write-yaml.js';
import type { ImportedCluster } from '../../../usecases/cluster/import-cluster.js';
import { newSetText, setName } from '../new-set.js';

/** Holds what a PackageSet cannot: ImageConfigs, runtime configs, packages with labels. */
export const OBJECTS_FILE = 'xpkg.objects.yaml';

/** An `xpkg.yaml` that asks for what a cluster has installed. */
export function importedSetText(
  { request, required }: ImportedCluster,
  target: Target,
  folder: string,
): string {
  const entries = packageRoots(request)
    .filter(({ object }) => object === undefined)
    .map((root) => ({ entry: entryOf(root), isRequired: required.has(root.repository) }));
  return newSetText({
    name: setName(folder),
    crossplane: target.version,
    include: objectsFileText(request) === undefined ? [] : [OBJECTS_FILE],
    packages: entries.filter(({ isRequired }) => !isRequired).map(({ entry }) => entry),
    required: entries.filter(({ isRequired }) => isRequired).map(({ entry }) => entry),
    defaults: request.defaults,
  });
}

/** undefined: there is nothing to say in it. */
export function objectsFileText(request: Request): string | undefined {
  const objects = [
    ...request.kept.map(({ object }) => object),
    ...packageRoots(request).flatMap(({ object }) => object ?? []),
  ];
  if (objects.length === 0) return undefined;
  return `# Objects of the cluster that an entry of xpkg.yaml has no place for; edit them as you like.\n${writeYamlStream(objects)}`;
}

function packageRoots({ roots }: Request): readonly PackageRoot[] {
  return roots.filter((root) => root.root === 'package');
}

function entryOf({ kind, repository, version, name, spec }: PackageRoot): JsonObject {
  return {
    [kind!.toLowerCase()]: repository,
    version:
      version.form === 'tag'
        ? version.tag
        : version.form === 'digest'
          ? version.digest
          : version.text,
    ...(name !== undefined && { name }),
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}
