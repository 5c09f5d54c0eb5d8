import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { isPackageKind } from '../../../src/crossplane/packages/package.js';
import { stringOf, type JsonObject } from '../../../src/base/json.js';

/** A cluster object and its expected health in GitOps tools. */
export interface HealthCase {
  readonly why: string;
  readonly object: JsonObject;
  readonly argocd: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
}

const LONG_AGO = '2001-01-01T00:00:00Z';
const NEVER_OLD = '2999-01-01T00:00:00Z';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly since?: string;
}

function condition({ since = LONG_AGO, ...rest }: Condition): JsonObject {
  return { ...rest, lastTransitionTime: since };
}

const INSTALLED = condition({ type: 'Installed', status: 'True', reason: 'ActivePackageRevision' });
const HEALTHY = condition({ type: 'Healthy', status: 'True', reason: 'HealthyPackageRevision' });

function provider(status: JsonObject | undefined, parts: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'pkg.crossplane.io/v1',
    kind: 'Provider',
    metadata: { name: 'p', ...(parts['metadata'] as JsonObject) },
    spec: { package: 'x.io/a/p:v1.0.0', ...(parts['spec'] as JsonObject) },
    ...(status === undefined ? {} : { status }),
  };
}

const unhealthy = (since: string) =>
  condition({ type: 'Healthy', status: 'False', reason: 'UnhealthyPackageRevision', since });

export const MADE_UP_HEALTH: readonly HealthCase[] = [
  { why: 'applied a moment ago', object: provider(undefined), argocd: 'Progressing' },
  { why: 'a status without conditions', object: provider({}), argocd: 'Progressing' },
  { why: 'no condition yet', object: provider({ conditions: [] }), argocd: 'Progressing' },
  {
    why: 'installed with unknown health',
    object: provider({ conditions: [INSTALLED] }),
    argocd: 'Progressing',
  },
  {
    why: 'installed and healthy',
    object: provider({ conditions: [HEALTHY, INSTALLED] }),
    argocd: 'Healthy',
  },
  {
    why: 'the requested version',
    object: provider({ conditions: [HEALTHY, INSTALLED], currentIdentifier: 'x.io/a/p:v1.0.0' }),
    argocd: 'Healthy',
  },
  {
    why: 'the previous version',
    object: provider({ conditions: [HEALTHY, INSTALLED], currentIdentifier: 'x.io/a/p:v0.9.0' }),
    argocd: 'Progressing',
  },
  {
    why: 'an unknown condition',
    object: provider({
      conditions: [condition({ type: 'Synced', status: 'False' }), HEALTHY, INSTALLED],
    }),
    argocd: 'Healthy',
  },
  {
    why: 'unhealthy for a moment: its Deployment starts',
    object: provider({ conditions: [unhealthy(NEVER_OLD), INSTALLED] }),
    argocd: 'Progressing',
  },
  {
    why: 'unhealthy for a long time',
    object: provider({ conditions: [unhealthy(LONG_AGO), INSTALLED] }),
    argocd: 'Degraded',
  },
  {
    why: 'its health is unknown',
    object: provider({
      conditions: [condition({ type: 'Healthy', status: 'Unknown' }), INSTALLED],
    }),
    argocd: 'Progressing',
  },
  {
    why: 'it cannot be unpacked, with a reason',
    object: provider({
      conditions: [
        condition({
          type: 'Installed',
          status: 'False',
          reason: 'UnpackingPackage',
          message: 'cannot unpack package: "x" %s ]]',
        }),
      ],
    }),
    argocd: 'Degraded',
  },
  {
    why: 'the next version cannot be unpacked, and the previous one is healthy',
    object: provider({
      currentIdentifier: 'x.io/a/p:v0.9.0',
      conditions: [
        HEALTHY,
        condition({ type: 'Installed', status: 'False', reason: 'UnpackingPackage' }),
      ],
    }),
    argocd: 'Degraded',
  },
  {
    why: 'it waits for activation by a user',
    object: provider(
      {
        conditions: [
          condition({ type: 'Installed', status: 'False', reason: 'InactivePackageRevision' }),
        ],
      },
      { spec: { revisionActivationPolicy: 'Manual' } },
    ),
    argocd: 'Suspended',
  },
  {
    why: 'paused',
    object: provider(
      { conditions: [unhealthy(LONG_AGO)] },
      { metadata: { annotations: { 'crossplane.io/paused': 'true' } } },
    ),
    argocd: 'Suspended',
  },
];

const DUMPS = join(import.meta.dirname, '../../../fixtures/dumps');

/**
 * Packages recorded in real clusters, one file for each release, with a summary of their
 * conditions.
 */
export function recordedPackages(): readonly {
  readonly file: string;
  readonly object: JsonObject;
}[] {
  return readdirSync(DUMPS)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => {
      const documents = loadAll(readFileSync(join(DUMPS, file), 'utf8')) as JsonObject[];
      const objects = documents.flatMap((each) => (each['items'] ?? [each]) as JsonObject[]);
      return objects
        .filter(({ kind }) => isPackageKind(stringOf(kind) ?? ''))
        .map((object) => ({ file, object }));
    });
}

/** Whether the conditions of both types exist and are true. */
export function isInstalledAndHealthy({ status }: JsonObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly JsonObject[] };
  return ['Installed', 'Healthy'].every((type) =>
    conditions.some((each) => each['type'] === type && each['status'] === 'True'),
  );
}
