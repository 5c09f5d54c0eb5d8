import { type VersionDifference, endsHealthy, type Simulation } from './simulate.js';
import { wrap } from '../../base/messages.js';
import { jsonDocument } from '../../cli/kit/command.js';
import { counted } from '../../cli/terminal/package-text.js';
import {
  packageConditions,
  type PackageConditions,
} from '../../crossplane/package-manager/cluster-state.js';
import type { ImpliedDependency } from '../../crossplane/package-manager/dependency-graph.js';
import { lockRowManifest } from '../../crossplane/package-manager/lock-row.js';
import type {
  ClusterStep,
  ReconciledCluster,
} from '../../crossplane/package-manager/reconcile-cluster.js';
import type { Target } from '../../crossplane/releases/target.js';

/** A simulation, and the further checks of it. */
interface SimulationReport extends Simulation {
  /** Number of other orders that were tried. */
  readonly orders: number;
  /** undefined if it was not compared with a lockfile. */
  readonly disagreements: readonly VersionDifference[] | undefined;
}

export function simulationJson(report: SimulationReport): string {
  const { target, settled, sameEnd, otherEnds, orders, disagreements, notes } = report;
  return jsonDocument({
    crossplane: target.version,
    end: endOf(settled, target),
    steps: settled.steps.map(stepText),
    lock: settled.state.rows.map((row) => lockRowManifest(row, target.rules)),
    conditions: conditionsJson(settled, target),
    hidden: settled.state.hidden,
    ...(orders > 0 && {
      orders: {
        tried: orders,
        same: sameEnd,
        otherEnds: otherEnds.map((other) => ({
          orders: other.orders,
          end: endOf(other.settled, target),
          packages: packageConditions(other.settled.state, target).map(
            ({ reference }) => reference,
          ),
          conditions: conditionsJson(other.settled, target),
        })),
      },
    }),
    ...(disagreements !== undefined && {
      compare: disagreements.map(({ repository, ...versions }) => ({
        source: repository,
        ...versions,
      })),
    }),
    notes,
  });
}

function endOf(settled: ReconciledCluster, target: Target): 'healthy' | 'stuck' {
  return endsHealthy(settled, target) ? 'healthy' : 'stuck';
}

function conditionsJson({ state }: ReconciledCluster, target: Target): object[] {
  const { resolved } = state;
  const lock = { kind: 'Lock', name: 'lock', type: 'Resolved' };
  return [
    ...packageConditions(state, target).flatMap(({ kind, name, installed, healthy }) => [
      { kind, name, type: 'Installed', ...installed },
      { kind, name, type: 'Healthy', ...healthy },
    ]),
    ...(resolved === undefined ? [] : [{ ...lock, ...resolved }]),
  ];
}

/** Returns the steps and the end, then the results of other orders and of the comparison with the lockfile. */
export function simulationLines(report: SimulationReport): string[] {
  const { target, settled, disagreements } = report;
  return [
    ...settled.steps.map(stepText).flatMap((step, i) => {
      const { package: name, version = '', because, result } = step;
      const head = `${i + 1}. ${`${name} ${version}`.trim()}: ${result}`;
      const isOwn = because === OWN_ACT;
      return [...wrap(head, '', '   '), ...(isOwn ? [] : wrap(`because ${because}`, '   '))];
    }),
    ...(settled.steps.length === 0 ? [] : ['']),
    ...endLines(settled, target),
    ...orderLines(report),
    ...(disagreements === undefined ? [] : ['', ...compareLines(disagreements)]),
  ];
}

function endLines(settled: ReconciledCluster, target: Target): string[] {
  const { state, isAtRest } = settled;
  const conditions = packageConditions(state, target);
  const bad = conditions.filter(isUnwell);
  const on = `on Crossplane ${target.version}`;
  const { resolved } = state;
  const lock = resolved?.status === 'False' ? wrap(`Lock: ${resolved.message}`, '  ', '    ') : [];
  const hidden = state.hidden.flatMap(({ revision, crd, controller }) =>
    wrap(`no package shows it: ${revision} cannot make CRD ${crd}, it is of ${controller}`, '  '),
  );
  if (!isAtRest) return [`stuck ${on}: it keeps changing`, ...lock];
  if (bad.length === 0) {
    return [`healthy ${on}: ${counted(conditions.length, 'package')}`, ...lock, ...hidden];
  }
  const count = `${bad.length} of ${counted(conditions.length, 'package')}`;
  return [`stuck ${on}: ${count} not healthy`, ...bad.flatMap(unwellLines), ...lock, ...hidden];
}

function isUnwell({ installed, healthy }: PackageConditions): boolean {
  return installed.status !== 'True' || healthy.status !== 'True';
}

function unwellLines({ kind, name, reference, installed, healthy }: PackageConditions): string[] {
  const [type, { status, message = '' }] =
    installed.status === 'True' ? ['Healthy', healthy] : ['Installed', installed];
  return [
    `  ${kind} ${name} (${reference}): ${type}=${status}`,
    ...(message === '' ? [] : wrap(message, '    ')),
  ];
}

/** Maximum number of other ends, and of differences in each. */
const MAX_SHOWN = 5;

function orderLines({ orders, sameEnd, otherEnds, settled, target }: SimulationReport): string[] {
  if (orders === 0) return [];
  const tried = `${counted(orders, 'other order')} of arrival`;
  if (otherEnds.length === 0) return ['', `${tried}: all end as above`];
  return [
    '',
    `${tried}: ${sameEnd === 0 ? 'none' : sameEnd} of them as above, ${counted(otherEnds.length, 'other end')}`,
    ...shown(
      otherEnds.map(({ orders: count, settled: other }) => {
        const [end] = endLines(other, target);
        const moved = differences(settled, other, target);
        return [`in ${count} of them, ${end}`, ...moved].map((line, i) => {
          return i === 0 ? `  ${line}` : `    ${line}`;
        });
      }),
      (more) => [`  and ${more} more`],
    ).flat(),
  ];
}

/** Returns the differences between two ends, in both directions. */
function differences(first: ReconciledCluster, other: ReconciledCluster, target: Target): string[] {
  const packagesOf = ({ state }: ReconciledCluster) =>
    new Set(packageConditions(state, target).map(({ reference }) => reference));
  const [here, there] = [packagesOf(first), packagesOf(other)];
  const lines = [
    ...[...there].filter((each) => !here.has(each)).map((each) => `+ ${each}`),
    ...[...here].filter((each) => !there.has(each)).map((each) => `- ${each}`),
  ];
  return shown(lines, (more) => `and ${more} more`);
}

/** Returns the first item of a list, and the number of the others. */
function shown<T>(list: readonly T[], rest: (count: number) => T): T[] {
  const more = list.length - MAX_SHOWN;
  return more <= 0 ? [...list] : [...list.slice(0, MAX_SHOWN), rest(more)];
}

function compareLines(disagreements: readonly VersionDifference[]): string[] {
  if (disagreements.length === 0) return ['as locked'];
  return [
    'not as locked:',
    ...disagreements.map(({ repository, locked, installed }) => {
      return `  ${repository}: locked ${locked ?? 'not at all'}, in the cluster ${installed ?? 'not at all'}`;
    }),
  ];
}

/** A step as text. */
interface StepText {
  /** A package, or `Lock` for a step about no single package. */
  readonly package: string;
  readonly version?: string | undefined;
  readonly because: string;
  readonly result: string;
}

/** The reason for an action of the user. */
const OWN_ACT = 'you do it';

function stepText(step: ClusterStep): StepText {
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
