import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import type { IndexFile } from '../../model/index-file.js';
import {
  knownReleases,
  targetFor,
  type Target,
  type TargetRules,
} from '../../model/target/target.js';

/** Releases that follow each other, and how a source tells them apart. */
interface TargetDependence {
  /** Newest first. */
  readonly releases: readonly string[];
  /** Those releases as a range. */
  readonly range: string;
  /** The rule that decides what the source has. */
  readonly rule: keyof TargetRules;
  readonly salt: number;
}

/** Rules that sources go by: where an image is, which tags are listed, how an image is read. */
const RULES = [
  'defaultRegistry',
  'skipsIncompleteTags',
  'imageConfig',
  'tarEntry',
  'severalBaseLayers',
] as const satisfies readonly (keyof TargetRules)[];

/** So many releases before a change of the rule, and so many after it. */
const MAX_RELEASES = 6;

/** Releases on both sides of a change of some rule. */
export function targetDependence(): fc.Arbitrary<TargetDependence> {
  const known = knownReleases();
  const count = fc.integer({ min: 1, max: MAX_RELEASES });
  return fc
    .record({
      change: fc.constantFrom(...RULES.flatMap(changesOf)),
      before: count,
      after: count,
      salt: fc.nat({ max: 9999 }),
    })
    .map(({ change: { rule, since }, before, after, salt }) => {
      const releases = known.slice(Math.max(since - before, 0), since + after).reverse();
      return { rule, salt, releases, range: `>=${releases.at(-1)!}, <=${releases[0]!}` };
    });
}

/** Where a rule changes: the place of the first release that has it otherwise. */
function changesOf(rule: keyof TargetRules) {
  const values = knownReleases().map((release) => JSON.stringify(targetFor(release)!.rules[rule]));
  return values.flatMap((value, since) =>
    since > 0 && values[since - 1] !== value ? [{ rule, since }] : [],
  );
}

/**
 * A universe as a source has it that depends on the target: for each value of the rule some
 * versions are missing, and some require nothing.
 */
export function universeFor(
  { packages }: IndexFile,
  { rule, salt }: TargetDependence,
): (target: Target) => IndexFile {
  return ({ rules }) => {
    const value = JSON.stringify(rules[rule]);
    const draw = (name: string) =>
      createHash('sha256').update(`${salt} ${value} ${name}`).digest().readUInt8() / 256;
    const entries = Object.entries(packages).map(([repository, { kind, versions }]) => {
      const kept = Object.entries(versions).flatMap(([tag, version]) => {
        const lot = draw(`${repository} ${tag}`);
        if (lot < 0.35) return [];
        return [[tag, lot < 0.5 ? { ...version, dependsOn: [] } : version] as const];
      });
      return [repository, { kind, versions: Object.fromEntries(kept) }] as const;
    });
    return { packages: Object.fromEntries(entries) };
  };
}
