import type { SetFinding } from '../lint/linted-set.js';
import type { InstalledCluster } from './installed-cluster.js';

/** Something in a cluster that hurts, now or later: where the dump says it, and what to do. */
export type ClusterFinding = SetFinding;

/** One rule: what it finds in a cluster. */
export type ClusterRule = (cluster: InstalledCluster) => readonly ClusterFinding[];
