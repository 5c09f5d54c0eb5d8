import { packageConditions, type PackageConditions } from '../../../cluster/package-conditions.js';
import type { Settled } from '../../../cluster/settle-cluster.js';
import { lockRowManifest } from '../../../lock/lock-row.js';
import type { Target } from '../../../model/target/target.js';
import { wrap } from '../../../text/wrap.js';
import type { Disagreement } from '../../../usecases/simulate/compare-with-lock.js';
import { endsHealthy, type Simulation } from '../../../usecases/simulate/simulate.js';
import { counted } from '../counted.js';
import { jsonDocument } from '../json-document.js';
import { OWN_ACT, toldStep } from './simulation-steps.js';

/** A simulation, and what else was asked about it. */
interface SimulationReport extends Simulation {
  /** How many other orders were tried. */
  readonly orders: number;
  /** undefined: it was not compared with a lockfile. */
  readonly disagreements: readonly Disagreement[] | undefined;
}

export function simulationJson(report: SimulationReport): string {
  const { target, settled, sameEnd, otherEnds, orders, disagreements, notes } = report;
  return jsonDocument({
    crossplane: target.version,
    end: endOf(settled, target),
    steps: settled.steps.map(toldStep),
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

function endOf(settled: Settled, target: Target): 'healthy' | 'stuck' {
  return endsHealthy(settled, target) ? 'healthy' : 'stuck';
}

function conditionsJson({ state }: Settled, target: Target): object[] {
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

/** Step by step, then how it ends; below that, what other orders and the lockfile come to. */
export function simulationLines(report: SimulationReport): string[] {
  const { target, settled, disagreements } = report;
  return [
    ...settled.steps.map(toldStep).flatMap((step, i) => {
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

function endLines(settled: Settled, target: Target): string[] {
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

/** Of other ends, and of what differs in each, so many are shown. */
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

/** What another end has that the first has not, and the other way about. */
function differences(first: Settled, other: Settled, target: Target): string[] {
  const packagesOf = ({ state }: Settled) =>
    new Set(packageConditions(state, target).map(({ reference }) => reference));
  const [here, there] = [packagesOf(first), packagesOf(other)];
  const lines = [
    ...[...there].filter((each) => !here.has(each)).map((each) => `+ ${each}`),
    ...[...here].filter((each) => !there.has(each)).map((each) => `- ${each}`),
  ];
  return shown(lines, (more) => `and ${more} more`);
}

/** The first of a list, and a word about the rest. */
function shown<T>(list: readonly T[], rest: (count: number) => T): T[] {
  const more = list.length - MAX_SHOWN;
  return more <= 0 ? [...list] : [...list.slice(0, MAX_SHOWN), rest(more)];
}

function compareLines(disagreements: readonly Disagreement[]): string[] {
  if (disagreements.length === 0) return ['as locked'];
  return [
    'not as locked:',
    ...disagreements.map(({ repository, locked, installed }) => {
      return `  ${repository}: locked ${locked ?? 'not at all'}, in the cluster ${installed ?? 'not at all'}`;
    }),
  ];
}
