/** The `apiVersion` of metadata from a legacy package, whose files are below `.registry/`. */
export const DOT_REGISTRY_API = 'packages.crossplane.io/v1alpha1';

/** Folder of a legacy package's files, in an image and on disk. */
export const DOT_REGISTRY = '.registry';

type RegistryPart =
  'app' | 'install' | 'crd' | 'group' | 'resource' | 'ui-schema' | 'icon' | 'other';

/** Returns the purpose of a path that begins with `.registry/`, or undefined for another path. */
export function registryPart(path: string): RegistryPart | undefined {
  const inside = pathInRegistry(path);
  if (inside === undefined) return undefined;
  if (inside === 'app.yaml') return 'app';
  if (inside === 'install.yaml') return 'install';
  const name = inside.slice(inside.lastIndexOf('/') + 1);
  if (name.endsWith('ui-schema.yaml')) return 'ui-schema';
  if (/icon\.(?:svg|png|jpe?g|gif)$/.test(name)) return 'icon';
  if (!inside.startsWith('resources/')) return 'other';
  if (name === 'group.yaml') return 'group';
  if (name.endsWith('resource.yaml')) return 'resource';
  return name.endsWith('crd.yaml') ? 'crd' : 'other';
}

/** Returns the path below `.registry/`. A leading slash is allowed. */
export function pathInRegistry(path: string): string | undefined {
  const folder = `${DOT_REGISTRY}/`;
  const relative = path.startsWith('/') ? path.slice(1) : path;
  return relative.startsWith(folder) ? relative.slice(folder.length) : undefined;
}
