import type { Released } from '../package-source.js';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** What a duration looks like, for a JSON Schema. */
export const DURATION_PATTERN = '^[0-9]{1,5}[mhdw]$';
const DURATION = new RegExp(DURATION_PATTERN, 'u');

/** `90m`, `24h`, `7d` or `2w` in milliseconds; undefined: none of these. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  const unit = text.at(-1) as keyof typeof UNITS; // the pattern admits no other
  return Number(text.slice(0, -1)) * UNITS[unit];
}

/** Before this there were no packages: an image that says so was built to say nothing of time. */
const FIRST_YEAR = 2018;

/**
 * When a version was published, in milliseconds; or why that is not known.
 *
 * What a publisher says of it counts only as far as an index that saw it come does not say that it
 * came later.
 */
export function publishedAt({
  created,
  firstSeen,
}: Released): number | { readonly unknown: string } {
  const [claimed, seen] = [timeOf(created), timeOf(firstSeen)];
  const known = [claimed, seen].filter((time) => time !== undefined);
  if (known.length > 0) return Math.max(...known);
  if (created === undefined || created === '') return { unknown: 'its image names no date' };
  return { unknown: `its image says \`${created}\`, which is no date of publishing` };
}

/** undefined: no time, or one that stands for none, as reproducible builds have it. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || !RFC_3339.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) || new Date(time).getUTCFullYear() < FIRST_YEAR ? undefined : time;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** To the second, as people and schemas write it: `2026-11-22T10:00:00Z`. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
