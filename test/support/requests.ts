import type { PackageRoot, Request } from '../../src/project/inputs/request.js';

/**
 * Returns a request for packages by constraint, tag or digest, as if from `xpkg.yaml`, one per
 * line.
 */
export function requestFor(
  roots: Readonly<Record<string, string>>,
  more?: Partial<Request>,
): Request {
  return {
    roots: Object.entries(roots).map(([repository, text], i): PackageRoot => ({
      root: 'package',
      repository,
      kind: undefined,
      version: { form: 'text', text },
      name: undefined,
      spec: {},
      object: undefined,
      ignoreCrossplaneConstraints: false,
      skipDependencyResolution: false,
      origin: { file: 'xpkg.yaml', line: i + 1 },
    })),
    overrides: [],
    replace: [],
    exclude: [],
    defaults: {},
    kept: [],
    ...more,
  };
}
