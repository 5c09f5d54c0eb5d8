import { PINS, type Pin } from './package-object.js';
import type { LockInputs } from '../lockfile/lockfile.js';

/** Options of a rendering that differ from their defaults. */
export interface RenderRecord {
  readonly pin?: Pin | undefined;
  /** Whether `kubectl apply -k` applies the Lock as well. */
  readonly applyLock?: boolean | undefined;
  /** The release, if it is not the release of the lockfile. */
  readonly crossplane?: string | undefined;
  /** One file per object. */
  readonly split?: boolean | undefined;
  /** Whether to add waves and sync options of Argo CD, and the settings that Argo CD needs. */
  readonly argocd?: boolean | undefined;
  /** Sync options of Argo CD for every object, `KEY=VALUE`. */
  readonly syncOptions?: readonly string[] | undefined;
  /** Layout of the files; undefined for `kubectl apply -k`. */
  readonly layout?: BundleLayout | undefined;
  /** Name of the Flux objects or of the chart. */
  readonly name?: string | undefined;
  /** Source of the files for Flux: `KIND/NAMESPACE/NAME`. */
  readonly fluxSource?: string | undefined;
  /** Folder in the Flux source. */
  readonly fluxPath?: string | undefined;
}

/** Layouts other than that for `kubectl apply -k`. */
export type BundleLayout = 'flux' | 'helm';

const LAYOUTS: readonly BundleLayout[] = ['flux', 'helm'];

const RECORD_MARK = '# Rendered with';

/** Returns a comment with the options of a rendering; empty if all are defaults. */
export function renderRecord(record: RenderRecord): string {
  const flags = recordedFlags(record);
  return flags === '' ? '' : `${RECORD_MARK} ${flags}\n`;
}

/** Returns the command-line flags for the recorded options. Folders are `.`. */
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

const INPUTS_MARK = '# Package set:';

/** Returns a comment with the project of the manifests; empty if it is unknown. */
export function inputsRecord(inputs: LockInputs | undefined): string {
  if (inputs === undefined) return '';
  const { name, files } = inputs;
  return `${INPUTS_MARK} ${JSON.stringify({ name, files })}\n`;
}

/** Parses the comment of `inputsRecord`. Returns undefined if it is missing or was edited. */
export function readInputsRecord(text: string): LockInputs | undefined {
  try {
    const read = JSON.parse(
      commentAfter(INPUTS_MARK, text) ?? 'null',
    ) as Partial<LockInputs> | null;
    const { name, files } = read ?? {};
    if (!Array.isArray(files) || !files.every((file) => typeof file === 'string')) return undefined;
    return { ...(typeof name === 'string' && { name }), files };
  } catch {
    return undefined;
  }
}

/** Returns the rest of the comment that begins with `mark`, from the first lines of a file. */
function commentAfter(mark: string, text: string): string | undefined {
  const lines = text.split('\n', 3).filter((line) => line.startsWith(mark));
  return lines[0]?.slice(mark.length).trim();
}

/** Parses the comment of `renderRecord` in a rendered file. Invalid parts are ignored. */
export function readRenderRecord(text: string): RenderRecord {
  const flags = commentAfter(RECORD_MARK, text);
  if (flags === undefined) return {};
  const words = flags.split(' ');
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
