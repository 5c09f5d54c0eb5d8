import type { ClusterStep } from '../../../cluster/settle-cluster.js';
import type { ImpliedDependency } from '../../../cluster/reconcile/dependency-graph.js';

/** A step in the words of the output. */
export interface ToldStep {
  /** A source; `Lock`: it is about no package in particular. */
  readonly package: string;
  readonly version?: string | undefined;
  readonly because: string;
  readonly result: string;
}

/** Why something is done that the user does. */
export const OWN_ACT = 'you do it';

export function toldStep(step: ClusterStep): ToldStep {
  const { source = 'Lock', version, implied } = step;
  return { package: source, version, because: because(step, implied), result: result(step) };
}

function because({ did, source }: ClusterStep, implied: ImpliedDependency | undefined): string {
  if (implied !== undefined) {
    const { by, dependency } = implied;
    return `${by.source} ${by.version} requires \`${dependency.constraint}\``;
  }
  if (did === 'applied' || did === 'removed') return OWN_ACT;
  return source === undefined ? 'of what the Lock holds' : 'of its own checks';
}

function result({ did, message = '' }: ClusterStep): string {
  switch (did) {
    case 'applied':
    case 'installed':
    case 'removed':
      return did;
    case 'moved':
      return `moved from ${message}`;
    case 'found another':
      return `not installed: ${message}`;
    case 'fail':
      return message;
  }
}
