import {
  crossplane,
  jsonOutput,
  list,
  notes,
  outputSchema,
  record,
  source,
  type Static,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
import { EFFECT_SCHEMA, HELD_BY_SCHEMA, heldByJson } from '../resolve/answer-schema-output.js';
import type { OutdatedReport } from './outdated.js';
import type { AdvisedPackage } from './update-advice-output.js';

/** The result of `outdated`. */
export interface OutdatedValue {
  readonly report: OutdatedReport;
  /** The packages of the report, with their advice as it is printed. */
  readonly packages: readonly AdvisedPackage[];
  readonly crossplane: string;
}

const advice = record(
  {
    text: text('What changes in the input files.'),
    version: text('Version that the commands lock.'),
    commands: texts('Command lines, without the flags that name sources.'),
    effect: EFFECT_SCHEMA,
  },
  'How to lock the newest version, where a way is known. It was tried.',
);

const schema = outputSchema('outdated -o json', {
  crossplane,
  packages: list(
    record({
      source,
      version,
      'fits?': text('What `update` of it would lock; absent: what is asked for has no answer.'),
      newest: text('The newest version there is.'),
      'heldBy?': HELD_BY_SCHEMA,
      'advice?': advice,
    }),
    'Locked packages that are not at their newest version.',
  ),
  notes,
});

export type OutdatedDocument = Static<typeof schema>;

export const outdatedOutput = jsonOutput(
  schema,
  ({ packages, report, crossplane: locked }: OutdatedValue): OutdatedDocument => ({
    crossplane: locked,
    packages: packages.map(({ repository, heldBy, ...each }) => ({
      source: repository,
      ...each,
      heldBy: heldByJson(heldBy),
    })),
    notes: report.notes,
  }),
);
