import { PINS, type Pin } from '../bundle/package-object.js';

/** What a bundle was rendered with, where that is not the default. */
export interface RenderRecord {
  readonly pin?: Pin | undefined;
  readonly applyLock?: boolean | undefined;
  /** The release, where it is not that of the lockfile. */
  readonly crossplane?: string | undefined;
}

const RECORD_MARK = '# Rendered with';

/** A comment that keeps what a bundle was rendered with; empty: all by default. */
export function renderRecord(record: RenderRecord): string {
  const flags = recordedFlags(record);
  return flags === '' ? '' : `${RECORD_MARK} ${flags}\n`;
}

/** The flags that render as recorded, as they are typed. */
export function recordedFlags({ pin = 'tag', applyLock = false, crossplane }: RenderRecord) {
  const flags = [
    ...(pin === 'tag' ? [] : [`--pin ${pin}`]),
    ...(applyLock ? ['--apply-lock'] : []),
    ...(crossplane === undefined ? [] : [`--crossplane ${crossplane}`]),
  ];
  return flags.join(' ');
}

/** Reads the comment back, from the text of the file that has it; what makes no sense is left out. */
export function readRenderRecord(text: string): RenderRecord {
  const line = text.split('\n', 2)[1] ?? '';
  if (!line.startsWith(RECORD_MARK)) return {};
  const words = line.slice(RECORD_MARK.length).trim().split(' ');
  const after = (flag: string) =>
    words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined;
  return {
    pin: PINS.find((pin) => pin !== 'tag' && pin === after('--pin')),
    applyLock: words.includes('--apply-lock') || undefined,
    crossplane: after('--crossplane'),
  };
}
