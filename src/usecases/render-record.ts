import { PINS, type Pin } from '../bundle/package-object.js';

/** What a bundle was rendered with, where that is not the default. */
export interface RenderRecord {
  readonly pin?: Pin | undefined;
  readonly applyLock?: boolean | undefined;
  /** The release, where it is not that of the lockfile. */
  readonly crossplane?: string | undefined;
  /** A file for each object. */
  readonly split?: boolean | undefined;
  /** With waves and sync options of Argo CD. */
  readonly argocd?: boolean | undefined;
  /** Sync options of Argo CD for every object. */
  readonly syncOptions?: readonly string[] | undefined;
  /** For whom files are laid out; undefined: for `kubectl apply -k`. */
  readonly layout?: BundleLayout | undefined;
  /** What objects of Flux are called, or the chart. */
  readonly name?: string | undefined;
  /** `KIND/NAMESPACE/NAME`. */
  readonly fluxSource?: string | undefined;
  readonly fluxPath?: string | undefined;
}

/** Whom the files of a folder are for, beside `kubectl apply -k`. */
export type BundleLayout = 'flux' | 'helm';

const LAYOUTS: readonly BundleLayout[] = ['flux', 'helm'];

const RECORD_MARK = '# Rendered with';

/** A comment that keeps what a bundle was rendered with; empty: all by default. */
export function renderRecord(record: RenderRecord): string {
  const flags = recordedFlags(record);
  return flags === '' ? '' : `${RECORD_MARK} ${flags}\n`;
}

/** The flags that render as recorded, as they are typed; a folder is the one they are found in. */
export function recordedFlags(record: RenderRecord): string {
  const { pin = 'tag', applyLock = false, crossplane, layout } = record;
  const flags = [
    ...(pin === 'tag' ? [] : [`--pin ${pin}`]),
    ...(applyLock ? ['--apply-lock'] : []),
    ...(crossplane === undefined ? [] : [`--crossplane ${crossplane}`]),
    ...(record.split === true ? ['--split'] : []),
    ...(record.argocd === true ? ['--argocd'] : []),
    ...(record.syncOptions ?? []).map((option) => `--sync-option ${option}`),
    ...(layout === undefined ? [] : [`--${layout} .`]),
    ...(record.name === undefined ? [] : [`--name ${record.name}`]),
    ...(record.fluxSource === undefined ? [] : [`--flux-source ${record.fluxSource}`]),
    ...(record.fluxPath === undefined ? [] : [`--flux-path ${record.fluxPath}`]),
  ];
  return flags.join(' ');
}

/** Reads the comment back, from the text of the file that has it; what makes no sense is left out. */
export function readRenderRecord(text: string): RenderRecord {
  const line = text.split('\n', 2)[1] ?? '';
  if (!line.startsWith(RECORD_MARK)) return {};
  const words = line.slice(RECORD_MARK.length).trim().split(' ');
  const all = (flag: string) => words.filter((_, n) => words[n - 1] === flag);
  const after = (flag: string) => all(flag)[0];
  const has = (flag: string) => words.includes(flag) || undefined;
  const options = all('--sync-option');
  return {
    pin: PINS.find((pin) => pin !== 'tag' && pin === after('--pin')),
    applyLock: has('--apply-lock'),
    crossplane: after('--crossplane'),
    split: has('--split'),
    argocd: has('--argocd'),
    syncOptions: options.length === 0 ? undefined : options,
    layout: LAYOUTS.find((layout) => has(`--${layout}`)),
    name: after('--name'),
    fluxSource: after('--flux-source'),
    fluxPath: after('--flux-path'),
  };
}
