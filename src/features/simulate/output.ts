import { type VersionDifference, endsHealthy, type Simulation } from './simulate.js';
import { wrap } from '../../base/messages.js';
import * as json from '../../cli/kit/json-schema.js';
import { amount } from '../../cli/terminal/package-text.js';
import {
  type ClusterStep,
  packageConditions,
  type PackageConditions,
} from '../../crossplane/package-manager/cluster-state.js';
import { lockRowManifest } from '../../crossplane/package-manager/dependency-graph.js';
import type { ReconciledCluster } from '../../crossplane/package-manager/reconcile-cluster.js';
import type { Target } from '../../crossplane/releases/target.js';

/** The result of `simulate`. */
export interface SimulationValue extends Simulation {
  /** Number of other orders that were tried. */
  readonly orders: number;
  /** undefined if it was not compared with a lockfile. */
  readonly disagreements: readonly VersionDifference[] | undefined;
}

const end = json.oneOf(['healthy', 'stuck'], 'Whether every package ends installed and healthy.');

const condition = json.record({
  kind: json.text('Kind of the package, or `Lock`.'),
  name: json.text('Name of the object.'),
  type: json.oneOf(['Installed', 'Healthy', 'Resolved'], 'Type of the condition.'),
  status: json.oneOf(['True', 'False', 'Unknown'], 'Its status.'),
  'message?': json.text('What it says.'),
});

const conditions = json.list(condition, 'What objects say of themselves at the end.');

const step = json.record({
  package: json.text('OCI repository; `Lock`: it is about no package in particular.'),
  'version?': json.version,
  because: json.text('Which package requires it, by which constraint; or that it is applied.'),
  result: json.text(
    'What came of it; where it is stuck, the message that users of a cluster read.',
  ),
});

const schema = json.outputSchema('simulate -o json', {
  crossplane: json.crossplane,
  end,
  steps: json.list(step, 'What happens, in that order.'),
  lock: json.list(
    json.anything('A row, as the release writes it.'),
    'Rows of the Lock at the end.',
  ),
  conditions,
  hidden: json.list(
    json.record({
      revision: json.text('Revision that brings an XRD or MRD.'),
      crd: json.text('CRD that it cannot make.'),
      controller: json.text('Whose CRD it is.'),
    }),
    'Clashes that no condition of a package shows.',
  ),
  'orders?': json.record(
    {
      tried: json.count('How many other orders of arrival were tried.'),
      same: json.count('How many of them end as the first order does.'),
      otherEnds: json.list(
        json.record({
          orders: json.count('How many of them lead there.'),
          end,
          packages: json.texts('`spec.package` of every package there.'),
          conditions,
        }),
        'Ends that differ, most frequent first.',
      ),
    },
    'With `--orders`: whether the end depends on the order.',
  ),
  'compare?': json.list(
    json.record({
      source: json.source,
      'locked?': json.text('Version that is locked; absent: none is.'),
      'installed?': json.text('Version that the cluster ends with; absent: it has none.'),
    }),
    'With `--compare`: where the end is not as locked.',
  ),
  notes: json.notes,
});

export const simulationOutput = json.jsonOutput(
  schema,
  (value: SimulationValue): json.Static<typeof schema> => {
    const { target, settled, orders } = value;
    return {
      crossplane: target.version,
      end: endOf(settled, target),
      steps: settled.steps.map(stepText),
      lock: settled.state.rows.map((row) => lockRowManifest(row, target.rules)),
      conditions: conditionsJson(settled, target),
      hidden: settled.state.hidden,
      ...(orders > 0 && {
        orders: {
          tried: orders,
          same: value.sameEnd,
          otherEnds: value.otherEnds.map((other) => ({
            orders: other.orders,
            end: endOf(other.settled, target),
            packages: references(other.settled, target),
            conditions: conditionsJson(other.settled, target),
          })),
        },
      }),
      compare: value.disagreements?.map(({ repository, locked, installed }) => {
        return { source: repository, locked, installed };
      }),
      notes: value.notes,
    };
  },
);

function endOf(settled: ReconciledCluster, target: Target): json.Static<typeof end> {
  return endsHealthy(settled, target) ? 'healthy' : 'stuck';
}

function references({ state }: ReconciledCluster, target: Target): string[] {
  return packageConditions(state, target).map(({ reference }) => reference);
}

function conditionsJson(
  { state }: ReconciledCluster,
  target: Target,
): readonly json.Static<typeof condition>[] {
  const { resolved } = state;
  return [
    ...packageConditions(state, target).flatMap(({ kind, name, installed, healthy }) => [
      { kind, name, type: 'Installed' as const, ...installed },
      { kind, name, type: 'Healthy' as const, ...healthy },
    ]),
    ...(resolved === undefined
      ? []
      : [{ kind: 'Lock', name: 'lock', type: 'Resolved' as const, ...resolved }]),
  ];
}

/** Returns the steps and the end, then the results of other orders and of the comparison with the lockfile. */
export function simulationLines(value: SimulationValue): string[] {
  const { target, settled, disagreements } = value;
  return [
    ...settled.steps.map(stepText).flatMap((step, i) => {
      const { package: name, version = '', because, result } = step;
      const head = `${i + 1}. ${`${name} ${version}`.trim()}: ${result}`;
      const isByUser = because === USER_CHANGE;
      return [...wrap(head, '', '   '), ...(isByUser ? [] : wrap(`because ${because}`, '   '))];
    }),
    ...(settled.steps.length === 0 ? [] : ['']),
    ...endLines(settled, target),
    ...orderLines(value),
    ...(disagreements === undefined ? [] : ['', ...compareLines(disagreements)]),
  ];
}

function endLines(settled: ReconciledCluster, target: Target): string[] {
  const { state, isAtRest } = settled;
  const conditions = packageConditions(state, target);
  const bad = conditions.filter(isUnhealthy);
  const on = `on Crossplane ${target.version}`;
  const { resolved } = state;
  const lock = resolved?.status === 'False' ? wrap(`Lock: ${resolved.message}`, '  ', '    ') : [];
  const hidden = state.hidden.flatMap(({ revision, crd, controller }) =>
    wrap(`no package shows it: ${revision} cannot make CRD ${crd}, it is of ${controller}`, '  '),
  );
  if (!isAtRest) return [`stuck ${on}: it keeps changing`, ...lock];
  if (bad.length === 0) {
    return [`healthy ${on}: ${amount(conditions.length, 'package')}`, ...lock, ...hidden];
  }
  const count = `${bad.length} of ${amount(conditions.length, 'package')}`;
  return [`stuck ${on}: ${count} not healthy`, ...bad.flatMap(unhealthyLines), ...lock, ...hidden];
}

function isUnhealthy({ installed, healthy }: PackageConditions): boolean {
  return installed.status !== 'True' || healthy.status !== 'True';
}

function unhealthyLines({
  kind,
  name,
  reference,
  installed,
  healthy,
}: PackageConditions): string[] {
  const [type, { status, message = '' }] =
    installed.status === 'True' ? ['Healthy', healthy] : ['Installed', installed];
  return [
    `  ${kind} ${name} (${reference}): ${type}=${status}`,
    ...(message === '' ? [] : wrap(message, '    ')),
  ];
}

/** Maximum number of other ends, and of differences in each. */
const MAX_SHOWN = 5;

function orderLines({ orders, sameEnd, otherEnds, settled, target }: SimulationValue): string[] {
  if (orders === 0) return [];
  const tried = `${amount(orders, 'other order')} of arrival`;
  if (otherEnds.length === 0) return ['', `${tried}: all end as above`];
  return [
    '',
    `${tried}: ${sameEnd === 0 ? 'none' : sameEnd} of them as above, ${amount(otherEnds.length, 'other end')}`,
    ...limitList(
      otherEnds.map(({ orders: count, settled: other }) => [
        `  in ${count} of them, ${endLines(other, target)[0]}`,
        ...differences(settled, other, target).map((line) => `    ${line}`),
      ]),
      (more) => [`  and ${more} more`],
    ).flat(),
  ];
}

/** Returns the differences between two ends, in both directions. */
function differences(first: ReconciledCluster, other: ReconciledCluster, target: Target): string[] {
  const [here, there] = [first, other].map((each) => new Set(references(each, target)));
  const lines = [
    ...[...there!].filter((each) => !here!.has(each)).map((each) => `+ ${each}`),
    ...[...here!].filter((each) => !there!.has(each)).map((each) => `- ${each}`),
  ];
  return limitList(lines, (more) => `and ${more} more`);
}

/** Returns the first items of a list; `rest` makes the last one from the number of the others. */
function limitList<T>(list: readonly T[], rest: (count: number) => T): T[] {
  const more = list.length - MAX_SHOWN;
  return more <= 0 ? [...list] : [...list.slice(0, MAX_SHOWN), rest(more)];
}

function compareLines(disagreements: readonly VersionDifference[]): string[] {
  if (disagreements.length === 0) return ['as locked'];
  return [
    'not as locked:',
    ...disagreements.map(
      ({ repository, locked = 'not at all', installed = 'not at all' }) =>
        `  ${repository}: locked ${locked}, in the cluster ${installed}`,
    ),
  ];
}

/** The reason for a change that the user makes. */
const USER_CHANGE = 'you do it';

function stepText(done: ClusterStep): json.Static<typeof step> {
  const { source = 'Lock', version } = done;
  return { package: source, version, because: because(done), result: result(done) };
}

function because({ did, source, implied }: ClusterStep): string {
  if (implied !== undefined) {
    const { by, dependency } = implied;
    return `${by.source} ${by.version} requires \`${dependency.constraint}\``;
  }
  if (did === 'applied' || did === 'removed') return USER_CHANGE;
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
