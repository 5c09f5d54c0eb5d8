import { seeded } from '../../../src/usecases/fuzz/seeded.js';
import { drawnConstraint, drawnVersion, versionsNear } from '../../support/drawn-constraints.js';
import { mutatedStream } from '../../support/mutated-streams.js';
import { oddPackage } from '../../support/odd-packages.js';
import type { OracleQuestion } from './ask-oracle.js';

/** Packages that are odd in what they say, in how they are written, or both; the same for the same numbers. */
export function oracleStream(seed: number, i: number): Buffer {
  const draw = seeded(seed * 1_000_003 + i);
  if (i % 2 === 0) return Buffer.from(oddPackage(draw));
  return i % 4 === 1 ? mutatedStream(draw, () => oddPackage(draw)) : mutatedStream(draw);
}

export function oracleQuestion(seed: number, i: number): OracleQuestion {
  const draw = seeded(seed * 1_000_003 + i);
  const constraint = drawnConstraint(draw);
  const versions = [...versionsNear(constraint, draw), drawnVersion(draw), drawnVersion(draw)];
  return { constraint, versions: [...new Set(versions)] };
}

/** Characters of a recorded package: longer ones tell nothing more. */
const MOST_CHARS = 800;

/** Packages to record: short, and text. */
export function samplePackages(count: number): string[] {
  const found: string[] = [];
  for (let i = 0; found.length < count; i++) {
    const stream = oracleStream(0, i);
    const text = stream.toString();
    if (text.length <= MOST_CHARS && Buffer.from(text).equals(stream)) found.push(text);
  }
  return found;
}
