import { outputFlag } from '../../cli/arguments/common-flags.js';
import { defineCommand } from '../../cli/kit/command.js';
import * as json from '../../cli/kit/json-schema.js';
import { columns } from '../../cli/terminal/package-text.js';
import {
  type Release,
  releaseFacts,
  type ReleaseFacts,
} from '../../crossplane/releases/release-facts.js';

const schema = json.outputSchema('releases -o json', {
  asOf: json.text('Date on which the facts were collected.'),
  releases: json.list(
    json.record({
      version: json.text('Crossplane release.'),
      'date?': json.text('Date on which it was published.'),
      state: json.oneOf(
        ['tested', 'read', 'inferred'],
        'How its rules are known: from the running release, from its source, or from its neighbors.',
      ),
      'testedOn?': json.text('Date of the test.'),
    }),
    'Known releases, oldest first.',
  ),
});

const releasesOutput = json.jsonOutput(
  schema,
  (facts: ReleaseFacts): json.Static<typeof schema> => ({
    asOf: facts.asOf,
    releases: releasesOf(facts).map(({ version, date, state, testedOn }) => ({
      version,
      date,
      state,
      testedOn,
    })),
  }),
);

export const releasesCommand = defineCommand({
  positionals: {},
  flags: outputFlag,
  examples: [['$0 releases', 'which releases of Crossplane are known, and how well']],
  run: async (): Promise<ReleaseFacts> => releaseFacts(),
  json: () => releasesOutput,
  text: (facts) => columns(releasesOf(facts).toReversed().map(rowOf)),
  notes: ({ asOf }) => [
    `note: known on ${asOf}; other releases are treated as the nearest known one below`,
  ],
});

function releasesOf({ lines }: ReleaseFacts): Release[] {
  return lines.flatMap(({ releases, candidates }) => [...candidates, ...releases]);
}

function rowOf({ version, date, state, testedOn }: Release): string[] {
  return [version, date, testedOn === undefined ? state : `${state} on ${testedOn}`];
}
