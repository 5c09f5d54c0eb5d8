import type { PartShard } from '../../cli/projects/shards.js';
import {
  jsonOutput,
  list,
  oneOf,
  outputSchema,
  record,
  shard,
  source,
  type Static,
  text,
  texts,
  version,
} from '../../cli/kit/json-schema.js';
import { coreJson } from '../resolve/answer-output.js';
import { answerFields } from '../resolve/answer-schema-output.js';
import type { Request } from '../../project/inputs/request.js';
import type { Matrix } from './matrix.js';

/** The result of `matrix`. */
export interface MatrixValue {
  readonly found: Matrix;
  readonly request: Request;
  /** Bytes read from the network. */
  readonly bytes: number;
  /** With `--shard`: the part of the releases that was checked. */
  readonly part: PartShard | undefined;
}

const row = record({
  from: text('Oldest release of the row.'),
  to: text('Newest release of the row.'),
  releases: texts('Every release of the row.'),
  status: oneOf(['solved', 'unsolvable', 'gave-up'], 'Whether the set works on them.'),
  'packages?': list(record({ source, version }), 'What is chosen there.'),
  'reason?': text('What blocks it, in one line.'),
  'core?': answerFields.core,
});

const schema = outputSchema('matrix -o json', {
  'shard?': shard,
  rows: list(row, 'Releases with the same answer, oldest first.'),
  stats: answerFields.stats,
});

export type MatrixRowDocument = Static<typeof row>;

/** The rows of a matrix, as `-o json` prints them. */
export interface MatrixRows {
  readonly rows: readonly MatrixRowDocument[];
}

export type MatrixDocument = Static<typeof schema>;

export const matrixOutput = jsonOutput(
  schema,
  ({ found, bytes, part }: MatrixValue): MatrixDocument => ({
    shard: part,
    ...matrixRows(found),
    stats: { ...found.stats, bytes },
  }),
);

export function matrixRows({ rows }: Matrix): MatrixRows {
  return {
    rows: rows.map((each) => ({
      from: each.releases[0]!,
      to: each.releases.at(-1)!,
      releases: each.releases,
      status: each.status,
      ...(each.status === 'solved' && {
        packages: each.packages.map(({ repository, version: chosen }) => ({
          source: repository,
          version: chosen,
        })),
      }),
      ...(each.status !== 'solved' && { reason: each.reason }),
      ...(each.status === 'unsolvable' && { core: coreJson(each.core) }),
    })),
  };
}
