import * as json from '../../cli/kit/json-schema.js';

const renderSchema = json.outputSchema('render -o json', {
  status: json.oneOf(
    ['rendered', 'matched'],
    'Files were written (not with `--no-write`), or are as they should be.',
  ),
  crossplane: json.crossplane,
  files: json.texts('Files of the bundle.'),
});

type RenderDocument = json.Static<typeof renderSchema>;

export interface RenderValue extends RenderDocument {
  /** The manifests for stdout; undefined if they are files. */
  readonly manifests?: string | undefined;
  readonly headline?: string | undefined;
  /** What was written or compared; undefined if there is nothing to report. */
  readonly note: string | undefined;
}

export const renderOutput = json.jsonOutput(
  renderSchema,
  ({ status, crossplane: release, files }: RenderValue): RenderDocument => ({
    status,
    crossplane: release,
    files,
  }),
);

const pushSchema = json.outputSchema('push -o json', {
  reference: json.text('Where it is.'),
  digest: json.text('Digest of what was pushed.'),
  pinned: json.text('Reference to exactly this.'),
});

/** The result of `push` and of `index push`. */
export type PushValue = json.Static<typeof pushSchema>;

export const pushOutput = json.valueOutput(pushSchema);

export function pushNote({ reference }: PushValue, { write }: { readonly write: boolean }): string {
  return `${write ? 'pushed' : 'would push'} ${reference}`;
}
