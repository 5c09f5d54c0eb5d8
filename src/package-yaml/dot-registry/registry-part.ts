import { DOT_REGISTRY } from '../../model/dot-registry.js';

/** What a file of a `.registry/` package is for. */
export type RegistryPart =
  'app' | 'install' | 'crd' | 'group' | 'resource' | 'ui-schema' | 'icon' | 'other';

/** The part that a path names, folder `.registry` included; undefined: it is not in that folder. */
export function registryPart(path: string): RegistryPart | undefined {
  const inside = insideRegistry(path);
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

/** The path below `.registry/`, of a path in an image, rooted or not. */
export function insideRegistry(path: string): string | undefined {
  const folder = `${DOT_REGISTRY}/`;
  const relative = path.startsWith('/') ? path.slice(1) : path;
  return relative.startsWith(folder) ? relative.slice(folder.length) : undefined;
}
