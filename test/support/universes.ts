import type { IndexFile, IndexVersion } from '../../src/model/index-file.js';

export type Versions = Readonly<Record<string, IndexVersion>>;

/** Providers only: for tests in which it matters who requires whom, and nothing else. */
export function providers(packages: Readonly<Record<string, Versions>>): IndexFile {
  const entries = Object.entries(packages).map(
    ([repository, versions]) => [repository, { kind: 'Provider', versions }] as const,
  );
  return { packages: Object.fromEntries(entries) };
}

/** A version that requires other providers. */
export function requiring(requirements: Readonly<Record<string, string>>): IndexVersion {
  const dependsOn = Object.entries(requirements).map(([provider, version]) => ({
    provider,
    version,
  }));
  return { dependsOn };
}
