import { seededDraw } from '../../../src/base/collections.js';
import {
  drawnConstraint,
  drawnVersion,
  largeConstraint,
  versionsNear,
} from '../../support/drawn-constraints.js';
import { mutatedStream } from '../../support/mutated-streams.js';
import { oddPackage } from '../../support/odd-packages.js';
import type { OracleQuestion } from './ask-oracle.js';

/**
 * Draws a package with unusual contents, unusual syntax or both; equal numbers give equal packages.
 */
export function oracleStream(seed: number, i: number): Buffer {
  const draw = seededDraw(seed * 1_000_003 + i);
  if (i % 2 === 0) return Buffer.from(oddPackage(draw));
  return i % 4 === 1 ? mutatedStream(draw, () => oddPackage(draw)) : mutatedStream(draw);
}

export function oracleQuestion(seed: number, i: number): OracleQuestion {
  const draw = seededDraw(seed * 1_000_003 + i);
  const constraint = drawnConstraint(draw);
  const versions = [...versionsNear(constraint, draw), drawnVersion(draw), drawnVersion(draw)];
  return { constraint, versions: [...new Set(versions)] };
}

/** Draws a constraint and a version near the limits that the library has since 3.5.0. */
export function largeOracleQuestion(seed: number, i: number): OracleQuestion {
  const draw = seededDraw(seed * 1_000_003 + i);
  const constraint = largeConstraint(draw);
  const long = `1.2.3+${'a'.repeat(248 + draw(6))}`;
  return { constraint, versions: [...versionsNear(constraint, draw).slice(0, 10), long] };
}

/** Maximum number of characters of a recorded package. */
const MOST_CHARS = 800;

/** Returns short text packages to record. */
export function samplePackages(count: number): string[] {
  const found: string[] = [];
  for (let i = 0; found.length < count; i++) {
    const stream = oracleStream(0, i);
    const text = stream.toString();
    if (text.length <= MOST_CHARS && Buffer.from(text).equals(stream)) found.push(text);
  }
  return found;
}
