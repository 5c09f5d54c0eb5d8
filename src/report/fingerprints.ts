import { sha256 } from '../text/digest.js';
import type { PlacedFinding } from './placed-report.js';

/**
 * For each finding a text by which systems know it again: the same when lines move, and another for
 * each of several that are alike.
 */
export function fingerprints(findings: readonly PlacedFinding[]): string[] {
  const seen = new Map<string, number>();
  return findings.map(({ rule, origin, text }) => {
    const lineless = text.replaceAll(/:\d+\b/g, '');
    const hash = sha256(JSON.stringify([rule, origin.file, lineless])).slice('sha256:'.length);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return `${hash.slice(0, 32)}:${count}`;
  });
}
