import {
  crossplane,
  jsonOutput,
  oneOf,
  outputSchema,
  type Static,
  text,
  texts,
} from '../../cli/kit/json-schema.js';

const renderSchema = outputSchema('render -o json', {
  status: oneOf(
    ['rendered', 'matched'],
    'Files were written (not with `--no-write`), or are as they should be.',
  ),
  crossplane,
  files: texts('Files of the bundle.'),
});

type RenderDocument = Static<typeof renderSchema>;

/** The result of `render`. */
export interface RenderValue extends RenderDocument {
  /** The manifests for stdout; undefined if they are files. */
  readonly manifests?: string | undefined;
  readonly headline?: string | undefined;
  /** What was written or compared; undefined if there is nothing to report. */
  readonly note: string | undefined;
}

export const renderOutput = jsonOutput(
  renderSchema,
  ({ status, crossplane: release, files }: RenderValue): RenderDocument => ({
    status,
    crossplane: release,
    files,
  }),
);

const pushSchema = outputSchema('push -o json', {
  reference: text('Where it is.'),
  digest: text('Digest of what was pushed.'),
  pinned: text('Reference to exactly this.'),
});

/** The result of `push` and of `index push`. */
export type PushValue = Static<typeof pushSchema>;

export const pushOutput = jsonOutput(pushSchema, (value: PushValue): PushValue => value);

export function pushNote({ reference }: PushValue, { write }: { readonly write: boolean }): string {
  return `${write ? 'pushed' : 'would push'} ${reference}`;
}
