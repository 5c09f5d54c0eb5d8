import { standingOf, type FleetPackage } from '../../../usecases/compare-fleet.js';
import { changesJson } from '../answer/answer-json.js';
import { count, list, oneOf, outputSchema, record, text } from '../schemas/parts.js';
import { source, version } from '../schemas/fields.js';
import type { FleetSet } from './fleet-set.js';

/** A line of JSON for each set. */
export function fleetLines(
  sets: readonly FleetSet[],
  packages: readonly FleetPackage[],
): readonly string[] {
  const usual = new Map(packages.map((each) => [each.repository, each.usual]));
  return sets.map(({ set, exitCode, headline, out, lockfile, update }) =>
    JSON.stringify({
      schemaVersion: 1,
      set,
      exitCode,
      headline,
      ...failureIn(out),
      // Of a set without an answer, too, this is about what is locked.
      crossplane: lockfile?.crossplane,
      packages: lockfile?.packages.map((locked) => ({
        source: locked.repository,
        version: locked.version,
        usual: usual.get(locked.repository)!,
        standing: standingOf(locked.version, usual.get(locked.repository)!),
      })),
      update: update && {
        status: update.status,
        changes: update.status === 'solved' ? changesJson(update.changes) : [],
      },
    }),
  );
}

/** What went wrong, as every command tells it; the exit code is told already. */
function failureIn(out: string): object {
  if (out === '') return {};
  const { schemaVersion: _, exitCode: __, ...failure } = JSON.parse(out) as Record<string, unknown>;
  return failure;
}

export const FLEET_OUTPUT_SCHEMA = outputSchema('fleet -o json, a line', {
  set: text('File of the set.'),
  exitCode: count('0; 4 where it has no lockfile; that of `update` where an update would fail.'),
  headline: text('How it stands, in one line.'),
  'status?': oneOf(
    ['error', 'mismatch', 'unsolvable', 'gave-up'],
    'Of a set that failed: how, with the fields of error-output, mismatch-output or resolve-output.',
  ),
  'crossplane?': text('Crossplane release that it is locked for; absent: there is no lockfile.'),
  'packages?': list(
    record({
      source,
      version,
      usual: text('The version that most sets have of it; of several, the newest.'),
      standing: oneOf(
        ['usual', 'behind', 'ahead', 'other'],
        'How the version compares with the usual one.',
      ),
    }),
    'What is locked, by source.',
  ),
  'update?': record(
    {
      status: oneOf(['solved', 'unsolvable', 'gave-up'], 'Whether there would be an answer.'),
      changes: list(
        record({
          source,
          'from?': text('Version that is locked; absent: the package is added.'),
          'to?': text('Version that would be; absent: the package is removed.'),
          'reason?': text('Why.'),
        }),
        'What would move; empty: nothing.',
      ),
    },
    'What an update would touch; absent: none was looked for, or it is about no package here.',
  ),
});
